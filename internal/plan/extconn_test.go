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

func TestReconnectedAsGranted_putsTheGrantsLinksInThePlaceOfTheRequests(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Cluster = nil
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1"}, {CpdID: "workerNode_CP2"}}}}
	cp := func(names ...string) (list []lcm.ExtCp) {
		for _, name := range names {
			list = append(list, lcm.ExtCp{CpdID: name})
		}
		return list
	}
	stays := lcm.ExtVirtualLink{ID: "a", ResourceID: "net-a", ExtCps: cp("workerNode_CP2")}
	for name, c := range map[string]struct {
		granted []lcm.ExtVirtualLink
		links   []lcm.ExtVirtualLink
		changed []string
	}{
		"repeats the request": {
			[]lcm.ExtVirtualLink{{ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")}},
			[]lcm.ExtVirtualLink{stays, {ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")}},
			[]string{"b"},
		},
		"another resource": {
			[]lcm.ExtVirtualLink{{ID: "b", ResourceID: "net-x", ExtCps: cp("masterNode_CP1")}},
			[]lcm.ExtVirtualLink{stays, {ID: "b", ResourceID: "net-x", ExtCps: cp("masterNode_CP1")}},
			[]string{"b"},
		},
		"another resource, without what is on it": {
			[]lcm.ExtVirtualLink{{ID: "b", ResourceID: "net-x"}},
			[]lcm.ExtVirtualLink{stays, {ID: "b", ResourceID: "net-x", ExtCps: cp("masterNode_CP1")}},
			[]string{"b"},
		},
		"another link": {
			[]lcm.ExtVirtualLink{{ID: "c", ResourceID: "net-c", ExtCps: cp("masterNode_CP1")}},
			[]lcm.ExtVirtualLink{stays, {ID: "c", ResourceID: "net-c", ExtCps: cp("masterNode_CP1")}},
			[]string{"c"},
		},
		"with what stays": {
			[]lcm.ExtVirtualLink{{ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")}, {ID: "a", ResourceID: "net-a", ExtCps: cp("workerNode_CP2")}},
			[]lcm.ExtVirtualLink{stays, {ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")}},
			[]string{"b"},
		},
		"back to where it is": {
			[]lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: cp("masterNode_CP1", "workerNode_CP2")}},
			[]lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: cp("workerNode_CP2", "masterNode_CP1")}},
			[]string{"a"},
		},
	} {
		p, err := plan.ReconnectedAsGranted(f, json.RawMessage(moveMaster), c.granted)
		require.NoError(t, err, name)
		require.Equal(t, c.links, p.Links, name)
		require.Equal(t, c.changed, p.ChangedLinks, name)
	}
	for says, granted := range map[string][]lcm.ExtVirtualLink{
		`$.extVirtualLinks[0].extCps[0].cpdId: to connect the connection point "workerNode_CP2" otherwise was not asked for`: {{ID: "b", ResourceID: "net-b", ExtCps: cp("workerNode_CP2")}},
		`$.extVirtualLinks[1].extCps[0].cpdId: the connection point "masterNode_CP1" is named twice`: {
			{ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")}, {ID: "c", ResourceID: "net-c", ExtCps: cp("masterNode_CP1")},
		},
	} {
		_, err := plan.ReconnectedAsGranted(f, json.RawMessage(moveMaster), granted)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
	require.Len(t, f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps, 2, "what it was given stays")
}
