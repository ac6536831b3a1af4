package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gracefulCancelOfWaits cancels operations that wait for SSH servers which never answer, and for Pods which never go.
func gracefulCancelOfWaits(t *testing.T, b *bed) {
	b.Pace(t, time.Hour, 0)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "waits", nil)
	const answers = "Wait until every node answers on SSH"
	b.AwaitNode(t, op, answers, "RUNNING")
	b.cancelsSoon(t, op, "GRACEFUL")
	for _, state := range b.NodeStates(t, op, answers) {
		require.Equal(t, "CANCELLED", state)
	}
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "instantiate-cancel-waits")
	b.RequireNothingLeft(t)
	b.Delete(t, vnf)

	b.Pace(t, 0, 0)
	vnf, op = b.Instantiate(t, "drains", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.ScriptFault(t, map[string]any{"script": "drain-node", "times": 1, "hang": true})
	op = b.Scale(t, vnf, "SCALE_IN", "worker_instance")
	b.AwaitNode(t, op, "Drain the nodes that leave", "RUNNING")
	b.cancelsSoon(t, op, "GRACEFUL")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
