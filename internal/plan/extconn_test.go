package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/plan"
)

const moveMaster = `{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"masterNode_CP1"}]}]}`

func TestChangeExtConn_movesConnectionPoints(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Cluster = nil
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1"}, {CpdID: "workerNode_CP2"}}}}
	p, err := plan.For(f, lcm.OpChangeExtConn, json.RawMessage(moveMaster))
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, p.ChangedLinks)
	require.Len(t, p.Links, 2)
	require.Equal(t, []lcm.ExtVirtualLinkInfo{{ID: "b", ResourceHandle: lcm.ResourceHandle{ResourceID: "net-b"}}}, p.ChangedLinkInfo(1))
	require.Zero(t, p.Adds()+p.Removes())
}

func TestChangeExtConn_refusesWhatCannotMove(t *testing.T) {
	f := cluster(t, 3, 2)
	_, err := plan.For(f, lcm.OpChangeExtConn, json.RawMessage(moveMaster))
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "would fall apart")
	f.Cluster = nil
	for body, says := range map[string]string{
		`{"extVirtualLinks":[{"id":"b","resourceId":"n","extCps":[{"cpdId":"nothing"}]}]}`:                                                                          "$.extVirtualLinks[0].extCps[0].cpdId",
		`{"extVirtualLinks":[{"id":"b","resourceId":"n","extCps":[{"cpdId":"masterNode_CP1"}]},{"id":"c","resourceId":"n","extCps":[{"cpdId":"masterNode_CP1"}]}]}`: "is named twice",
	} {
		_, err := plan.For(f, lcm.OpChangeExtConn, json.RawMessage(body))
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
}
