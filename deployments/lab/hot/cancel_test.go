package hot_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// ended waits until no resource of the tree is under way and returns their states by name, one for each resource.
func (b *bench) ended(st hot.Stack) map[string][]string {
	b.t.Helper()
	var states map[string][]string
	require.Eventually(b.t, func() bool {
		states = map[string][]string{}
		for _, l := range b.engine.ListResources(st, 5) {
			if l.Resource.Status == hot.InProgress {
				return false
			}
			states[l.Resource.Name] = append(states[l.Resource.Name], l.Resource.State())
		}
		return true
	}, time.Minute, time.Millisecond)
	return states
}

// halfMade returns the cluster's stack while all of its five servers boot.
func (b *bench) halfMade() hot.Stack {
	b.t.Helper()
	b.cloud.hold = make(chan struct{})
	st := b.create(request(b.t, "cluster.yaml"))
	require.Eventually(b.t, func() bool { return len(b.cloud.of("OS::Nova::Server")) == 5 }, time.Minute, time.Millisecond)
	return st
}

func TestCancelFailsTheTreeAtOnceAndLetsWhatIsUnderWayEnd(t *testing.T) {
	b := newBench(t)
	st := b.halfMade()
	require.NoError(t, b.engine.CancelStack(st.ID))
	for _, s := range b.engine.List(project, true, false) {
		require.Equal(t, "CREATE_FAILED", s.State(), s.Name)
		require.Equal(t, "Stack CREATE cancelled", s.Reason, s.Name)
	}
	l, err := b.engine.GetResource(st, "masters")
	require.NoError(t, err)
	require.Equal(t, "CREATE_FAILED", l.Resource.State())
	require.Equal(t, "Error: resources.masters: Stack CREATE cancelled", l.Resource.Reason)

	close(b.cloud.hold)
	states := b.ended(st)
	require.Equal(t, []string{
		"CREATE_COMPLETE", "CREATE_COMPLETE", "CREATE_COMPLETE", "CREATE_COMPLETE",
		"CREATE_COMPLETE",
	}, states["server"])
	st = b.await(st.ID, "CREATE_FAILED")
	require.Equal(t, "Stack CREATE cancelled", st.Reason, "what ends later does not change why")

	err = b.engine.CancelStack(st.ID)
	require.EqualError(t, err, "Cancelling update when stack is CREATE_FAILED is not supported.")
	require.NoError(t, b.engine.DeleteStack(st.ID))
	b.await(st.ID, "DELETE_COMPLETE")
	require.Empty(t, b.cloud.things)
}

func TestCancelBeginsNoOtherResource(t *testing.T) {
	b := newBench(t)
	b.cloud.hold = make(chan struct{})
	st := b.create(hot.Request{Name: "s", ProjectID: project, Template: template(t, `
heat_template_version: 2018-08-31
resources:
  first: {type: OS::Nova::Server, properties: {flavor: f}}
  second: {type: OS::Neutron::Port, properties: {network: n}, depends_on: first}
`)})
	require.Eventually(t, func() bool { return len(b.cloud.of("OS::Nova::Server")) == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, b.engine.CancelStack(st.ID))
	close(b.cloud.hold)
	require.Equal(t, []string{"CREATE_COMPLETE"}, b.ended(st)["first"])
	require.Empty(t, b.cloud.of("OS::Neutron::Port"))

	// Like any failed stack, it can be completed.
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID, hot.Request{Existing: true}))
	b.await(st.ID, "UPDATE_COMPLETE")
	require.Len(t, b.cloud.of("OS::Neutron::Port"), 1)
}

func TestCancelOfAnUpdateKeepsWhatTheUpdateWouldRemove(t *testing.T) {
	b := newBench(t)
	doc := `
heat_template_version: 2018-08-31
resources:
  old: {type: OS::Neutron::Port, properties: {network: n}}
`
	st := b.create(hot.Request{Name: "s", ProjectID: project, Template: template(t, doc)})
	b.await(st.ID, "CREATE_COMPLETE")
	b.cloud.mu.Lock()
	b.cloud.hold = make(chan struct{})
	b.cloud.mu.Unlock()
	require.NoError(t, b.engine.UpdateStack(t.Context(), st.ID, hot.Request{Template: template(t, `
heat_template_version: 2018-08-31
resources:
  new: {type: OS::Nova::Server, properties: {flavor: f}}
`)}))
	require.Eventually(t, func() bool { return len(b.cloud.of("OS::Nova::Server")) == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, b.engine.CancelStack(st.ID))
	close(b.cloud.hold)
	require.Equal(t, map[string][]string{"new": {"CREATE_COMPLETE"}, "old": {"CREATE_COMPLETE"}}, b.ended(st))
	st = b.await(st.ID, "UPDATE_FAILED")
	require.Equal(t, "Stack UPDATE cancelled", st.Reason)
}

func TestCancelSurvivesARestart(t *testing.T) {
	b := newBench(t)
	st := b.halfMade()
	require.NoError(t, b.engine.CancelStack(st.ID))
	b.restart()
	states := b.ended(st)
	require.Equal(t, []string{"CREATE_FAILED", "CREATE_FAILED", "CREATE_FAILED", "CREATE_FAILED", "CREATE_FAILED"},
		states["server"])
	st = b.await(st.ID, "CREATE_FAILED")
	require.Equal(t, "Stack CREATE cancelled", st.Reason)
	require.NoError(t, b.engine.DeleteStack(st.ID))
	b.await(st.ID, "DELETE_COMPLETE")
	require.Empty(t, b.cloud.things)
}
