package e2e

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// soon limits a cancellation on a busy machine. The cancelled work would last five minutes, or never end.
const soon = 90 * time.Second

// cancelsSoon cancels an operation in that mode. The operation must end much earlier than its work or its wait.
func (b *bed) cancelsSoon(t *testing.T, op, mode string) {
	t.Helper()
	begun := time.Now()
	a := b.Act(t, op, "cancel", map[string]any{"cancelMode": mode})
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Less(t, time.Since(begun), soon)
	require.Contains(t, got["error"].(map[string]any)["detail"], "cancelled ("+mode+")")
}

// cancelWhileDialling cancels an operation that waits for machines which never answer.
func cancelWhileDialling(t *testing.T, b *bed) {
	b.Pace(t, time.Hour, 0)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "dialling", nil)
	b.AwaitNode(t, op, "Wait until every node answers on SSH", "RUNNING")
	b.cancelsSoon(t, op, "FORCEFUL")
	b.rollBack(t, op, vnf)
}

// awaitFault waits until a node has the fault of a script. A step is RUNNING before its script begins.
func (b *bed) awaitFault(t *testing.T, script string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return !strings.Contains(string(b.Lab(t, http.MethodGet, "/scripts/faults", nil).Body), script)
	}, time.Minute, 20*time.Millisecond, "no node has got the fault of %s", script)
}

// cancelOnFrozenNode cancels a command on a node that no longer answers. Windlass cannot stop the command, but the
// operation must end.
func cancelOnFrozenNode(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{"script": "kubeadm-init", "times": 1, "hang": true})
	vnf, op := b.Instantiate(t, "frozen", nil)
	const step = "Initialise the first control plane"
	b.AwaitNode(t, op, step, "RUNNING")
	b.awaitFault(t, "kubeadm-init")
	var node string
	for _, s := range b.Steps(t, op) {
		if s.Title == step && s.Node != "" {
			node = s.Node
		}
	}
	machine := b.MachineOf(t, node)
	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+machine+"/freeze", nil).Status, 300)
	b.cancelsSoon(t, op, "FORCEFUL")
	require.Less(t, b.Lab(t, http.MethodPost, "/machines/"+machine+"/thaw", nil).Status, 300)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
}

// cancelRollback cancels a rollback while Heat deletes the stack, and rolls back again.
func cancelRollback(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{"script": "check-node", "times": 1, "exit_code": 78, "output": "windlass: no."})
	vnf, op := b.Instantiate(t, "undo", nil)
	b.Await(t, op, quick, "FAILED_TEMP")
	b.Fault(t, map[string]any{"service": "heat", "method": "DELETE", "delay_ms": 60_000})
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLING_BACK")
	b.AwaitStep(t, op, "Undo: Create the infrastructure")
	b.cancelsSoon(t, op, "FORCEFUL")
	b.ClearFaults(t)
	b.rollBack(t, op, vnf)
}

// cancelTermination cancels a termination. It can only be retried, not rolled back.
func cancelTermination(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "endless", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.Fault(t, map[string]any{"service": "heat", "method": "DELETE", "delay_ms": 60_000})
	op = b.Terminate(t, vnf)
	b.AwaitStep(t, op, "Delete the infrastructure")
	b.cancelsSoon(t, op, "FORCEFUL")
	require.NotContains(t, b.Get(t, op)["_links"], "rollback")
	a := b.Act(t, op, "rollback", nil)
	require.Equal(t, http.StatusNotFound, a.Status, "SOL003 clause 5.4.15: the task is not supported for this operation")
	require.Contains(t, testbed.Problem(t, a), "TERMINATE")
	b.ClearFaults(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireNothingLeft(t)
	b.Delete(t, vnf)
}

// stoppedWorker stops the worker during the joins, as an upgrade does. The commands on the nodes continue, and the next
// worker finds them.
func stoppedWorker(t *testing.T, b *bed) {
	b.Pace(t, 0, 3*time.Second)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "stopped", nil)
	b.awaitControlPlanes(t, op, time.Minute, "PENDING", "RUNNING")
	info, err := b.Info()
	require.NoError(t, err)
	p, err := os.FindProcess(info.Processes["worker"])
	require.NoError(t, err)
	require.NoError(t, p.Signal(syscall.SIGTERM))
	got := b.Await(t, op, 4*time.Minute, "COMPLETED", "FAILED_TEMP")
	require.Equal(t, "COMPLETED", got["operationState"], "%v", got["error"])
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// revokedCredentials makes the cloud refuse the VIM's credentials after the registration of the VIM.
func revokedCredentials(t *testing.T, b *bed) {
	b.Fault(t, map[string]any{"service": "heat", "status": 401, "message": "Authentication required", "count": -1})
	b.Fault(t, map[string]any{
		"service": "keystone", "method": "POST", "path": "/auth/tokens$", "status": 401,
		"message": "The request you have made requires authentication.", "count": -1,
	})
	vnf, op := b.Instantiate(t, "revoked", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, "no longer accepts the credentials of the VIM", got["error"].(map[string]any)["detail"])
	b.ClearFaults(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

// rollBack rolls an operation back, checks that nothing of the VNF is left, and deletes the instance.
func (b *bed) rollBack(t *testing.T, op, vnf string) {
	t.Helper()
	a := b.Act(t, op, "rollback", nil)
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.RequireNothingLeft(t)
	b.Delete(t, vnf)
}
