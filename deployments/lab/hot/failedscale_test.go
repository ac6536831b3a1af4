package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

func (b *bench) scaleTo(st hot.Stack, workers int, want string) hot.Stack {
	b.t.Helper()
	require.NoError(b.t, b.engine.UpdateStack(b.t.Context(), st.ID,
		hot.Request{Existing: true, Parameters: map[string]any{"workers": workers}}))
	return b.await(st.ID, want)
}

// servers returns the ids of the existing servers.
func (b *bench) servers() (ids []string) {
	for _, i := range b.cloud.of("OS::Nova::Server") {
		ids = append(ids, i.UID)
	}
	return ids
}

func namesOf(members []hot.Located) (names []string) {
	for _, m := range members {
		names = append(names, m.Resource.Name)
	}
	return names
}

// TestGroupThatCannotGrowShrinksToTheMembersThatItHad checks that a group that could not grow is reduced to its former
// size. The former members stay, and the failed ones go, in every attempt.
func TestGroupThatCannotGrowShrinksToTheMembersThatItHad(t *testing.T) {
	b := newBench(t)
	req := request(t, "cluster.yaml")
	req.Parameters = map[string]any{"workers": 2}
	st := b.create(req)
	st = b.await(st.ID, "CREATE_COMPLETE")
	_, had := b.group(st, "workers")
	servers := b.servers()
	for range 40 { // sometimes a new member has not begun when another one fails
		b.cloud.fail("OS::Nova::Server")
		b.scaleTo(st, 5, "UPDATE_FAILED")
		b.cloud.fail("")
		b.scaleTo(st, 2, "UPDATE_COMPLETE")
		_, left := b.group(st, "workers")
		require.ElementsMatch(t, namesOf(had), namesOf(left))
		require.Equal(t, servers, b.servers())
	}
	b.scaleTo(st, 5, "UPDATE_COMPLETE")
	require.Len(t, b.servers(), len(servers)+3)
}

// TestMarkHealthyTakesBackMarkUnhealthyOnly checks that a resource that was marked as unhealthy can be marked as
// healthy again. A resource that has failed otherwise cannot, as in Heat.
func TestMarkHealthyTakesBackMarkUnhealthyOnly(t *testing.T) {
	b := newBench(t)
	st := b.create(request(t, "cluster.yaml"))
	st = b.await(st.ID, "CREATE_COMPLETE")
	b.cloud.fail("OS::Nova::Server")
	b.scaleTo(st, 3, "UPDATE_FAILED")
	group, members := b.group(st, "workers")
	failed := ""
	for _, m := range members {
		if m.Resource.Status == hot.Failed {
			failed = m.Resource.Name
		}
	}
	state := func() string {
		_, members := b.group(st, "workers")
		for _, m := range members {
			if m.Resource.Name == failed {
				return m.Resource.State()
			}
		}
		return ""
	}
	require.Equal(t, "CREATE_FAILED", state())
	require.NoError(t, b.engine.MarkUnhealthy(group, failed, false, ""))
	require.Equal(t, "CREATE_FAILED", state())
	require.NoError(t, b.engine.MarkUnhealthy(group, failed, true, ""))
	require.Equal(t, "CHECK_FAILED", state())
	require.NoError(t, b.engine.MarkUnhealthy(group, failed, false, ""))
	require.Equal(t, "CHECK_COMPLETE", state())
}
