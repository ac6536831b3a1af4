package e2e

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const createStack = "Create the infrastructure"

// labStack is a stack as Heat shows it. It may be a nested stack.
type labStack struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// resourcesOf returns the stacks and the number of servers in the lab.
func (b *bed) resourcesOf(t *testing.T) (stacks []labStack, servers int) {
	t.Helper()
	var out struct {
		Stacks  []labStack `json:"stacks"`
		Servers []any      `json:"servers"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/resources", nil).Body, &out))
	return out.Stacks, len(out.Servers)
}

// cancelledCreation cancels an INSTANTIATE while Heat creates its stack. Without the cancellation this would last
// minutes.
func (b *bed) cancelledCreation(t *testing.T, name string) (vnf, op string) {
	t.Helper()
	b.Fault(t, map[string]any{"service": "nova", "method": "POST", "path": "/servers$", "delay_ms": 300_000, "count": -1})
	vnf, op = b.Instantiate(t, name, nil)
	require.Eventually(t, func() bool {
		stacks, _ := b.resourcesOf(t)
		return len(stacks) == 8 // with two groups and five members
	}, time.Minute, 20*time.Millisecond, "the stacks are not being created")
	begun := time.Now()
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Less(t, time.Since(begun), soon)
	require.Contains(t, got["error"].(map[string]any)["detail"], "cancelled (FORCEFUL)")
	stacks, servers := b.resourcesOf(t)
	require.Len(t, stacks, 8)
	for _, s := range stacks {
		require.Equal(t, "CREATE_FAILED", s.Status, s.Name)
		require.Equal(t, "Stack CREATE cancelled", s.Reason, s.Name)
	}
	require.Zero(t, servers)
	for _, s := range b.Steps(t, op) {
		if s.Title == createStack {
			require.Equal(t, "CANCELLED", s.State)
			require.Contains(t, s.LastOutputLine, "CREATE_FAILED")
		}
	}
	b.ClearFaults(t)
	return vnf, op
}

func cancelledCreationIsRetried(t *testing.T, b *bed) {
	vnf, op := b.cancelledCreation(t, "halfmade")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func cancelledCreationIsRolledBack(t *testing.T, b *bed) {
	vnf, op := b.cancelledCreation(t, "unmade")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.RequireNothingLeft(t)
	b.Delete(t, vnf)
}

// gracefulTermination checks the machines between their shutdown and their deletion. The deletion fails at first.
func gracefulTermination(t *testing.T, b *bed) {
	const shutDown = "Shut the servers down"
	vnf, op := b.Instantiate(t, "gently", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.Fault(t, map[string]any{"service": "heat", "method": "DELETE", "status": 400, "message": "not yet", "count": 2})
	op = b.Begin(t, vnf, "terminate", map[string]any{"terminationType": "GRACEFUL", "gracefulTerminationTimeout": 30})
	b.Await(t, op, quick, "FAILED_TEMP")
	var all struct {
		Machines []struct {
			Name    string `json:"name"`
			Status  string `json:"status"`
			Machine string `json:"machine"`
		} `json:"machines"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/machines", nil).Body, &all))
	require.Len(t, all.Machines, 5)
	for _, m := range all.Machines {
		require.Equal(t, []string{"SHUTOFF", "STOPPED"}, []string{m.Status, m.Machine}, m.Name)
	}
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireNothingLeft(t)
	var titles []string
	for _, s := range b.Steps(t, op) {
		require.Equal(t, "DONE", s.State, s.Title)
		titles = append(titles, s.Title)
		if s.Title == shutDown {
			require.Contains(t, s.LastOutputLine, ": off")
			require.Equal(t, 1, s.Attempt, "it is not done again")
		}
	}
	require.Contains(t, titles, shutDown)
	b.Delete(t, vnf)
}
