package lifecycle_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

const moveMaster = `{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"masterNode_CP1"}]}]}`

func TestChangeExtConn_movesConnectionPoints(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Drivers = nil
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1"}, {CpdID: "workerNode_CP2"}},
	}}
	p, err := planOf(f, lcm.OpChangeExtConn, json.RawMessage(moveMaster))
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, p.ChangedLinks)
	require.Len(t, p.Links, 2)
	require.Equal(t, []lcm.ExtVirtualLinkInfo{{ID: "b", ResourceHandle: lcm.ResourceHandle{ResourceID: "net-b"}}},
		p.ChangedLinkInfo(1))
	require.Zero(t, p.Adds()+p.Removes())
}

func TestChangeExtConn_refusesWhatCannotMove(t *testing.T) {
	f := cluster(t, 3, 2)
	_, err := planOf(f, lcm.OpChangeExtConn, json.RawMessage(moveMaster))
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "the cluster would fail")
	f.Drivers = nil
	for body, says := range map[string]string{
		`{"extVirtualLinks":[{"id":"b","resourceId":"n","extCps":[{"cpdId":"nothing"}]}]}`:                                                                          "$.extVirtualLinks[0].extCps[0].cpdId",
		`{"extVirtualLinks":[{"id":"b","resourceId":"n","extCps":[{"cpdId":"masterNode_CP1"}]},{"id":"c","resourceId":"n","extCps":[{"cpdId":"masterNode_CP1"}]}]}`: "is named twice",
	} {
		_, err := planOf(f, lcm.OpChangeExtConn, json.RawMessage(body))
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
}

func TestReconnectedAsGranted_putsTheGrantsLinksInThePlaceOfTheRequests(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Drivers = nil
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1"}, {CpdID: "workerNode_CP2"}},
	}}
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
			[]lcm.ExtVirtualLink{
				{ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")},
				{ID: "a", ResourceID: "net-a", ExtCps: cp("workerNode_CP2")},
			},
			[]lcm.ExtVirtualLink{stays, {ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")}},
			[]string{"b"},
		},
		"back to where it is": {
			[]lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: cp("masterNode_CP1", "workerNode_CP2")}},
			[]lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: cp("workerNode_CP2", "masterNode_CP1")}},
			[]string{"a"},
		},
	} {
		p, err := reconnected(f, json.RawMessage(moveMaster), c.granted)
		require.NoError(t, err, name)
		require.Equal(t, c.links, p.Links, name)
		require.Equal(t, c.changed, p.ChangedLinks, name)
	}
	for says, granted := range map[string][]lcm.ExtVirtualLink{
		`$.extVirtualLinks[0].extCps[0].cpdId: Windlass did not ask for a change of the connection point ` +
			`"workerNode_CP2"`: {{ID: "b", ResourceID: "net-b", ExtCps: cp("workerNode_CP2")}},
		`$.extVirtualLinks[1].extCps[0].cpdId: the connection point "masterNode_CP1" is named twice`: {
			{ID: "b", ResourceID: "net-b", ExtCps: cp("masterNode_CP1")},
			{ID: "c", ResourceID: "net-c", ExtCps: cp("masterNode_CP1")},
		},
	} {
		_, err := reconnected(f, json.RawMessage(moveMaster), granted)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
	require.Len(t, f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps, 2, "what it was given stays")
}

// addressed returns the facts of a VNF whose connection point has an entry x with an address on the link a.
func addressed(t *testing.T) lifecycle.Facts {
	t.Helper()
	f := cluster(t, 3, 2)
	f.Drivers = nil
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{
		CpdID: "masterNode_CP1", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}},
		Configs: []lcm.CpConfig{{Key: "x", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}}}},
	}}}}
	return f
}

// onLinks returns a request with a configuration of the connection point for each link.
func onLinks(configs ...string) json.RawMessage {
	var list []string
	for i := 0; i < len(configs); i += 2 {
		list = append(list, `{"id":"`+configs[i]+`","resourceId":"net-`+configs[i]+`","extCps":[{"cpdId":"masterNode_CP1","cpConfig":`+configs[i+1]+`}]}`)
	}
	return json.RawMessage(`{"extVirtualLinks":[` + strings.Join(list, ",") + `]}`)
}

const nine = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[{"type":"IPV4","fixedAddresses":["10.0.0.9"]}]}}]}`

func TestChangeExtConn_takesEntriesAway(t *testing.T) {
	p, err := planOf(addressed(t), lcm.OpChangeExtConn, onLinks("a", `{"x":null}`, "b", `{"y":`+nine+`}`))
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, p.ChangedLinks)
	require.Len(t, p.Links, 1)
	require.Equal(t, []lcm.FixedIP{{Address: "10.0.0.9"}}, p.Links[0].ExtCps[0].FixedIPs)
	p, err = planOf(addressed(t), lcm.OpChangeExtConn, onLinks("a", `{"x":null,"y":`+nine+`}`))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, p.ChangedLinks)
	require.Equal(t, []lcm.CpConfig{{Key: "y", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.9"}}}},
		p.Links[0].ExtCps[0].Configs)
	for says, body := range map[string]json.RawMessage{
		"the connection point masterNode_CP1 would have no entry": onLinks("a", `{"x":null}`),
		"would have more than one entry with addresses":           onLinks("a", `{"y":`+nine+`}`),
		"is named twice": onLinks("a", `{"x":null,"y":`+nine+`}`, "b", `{"y":`+nine+`}`),
	} {
		_, err := planOf(addressed(t), lcm.OpChangeExtConn, body)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, ".extCps[0].cp")
	}
}

func TestReconnectedAsGranted_mergesEntries(t *testing.T) {
	asked := onLinks("a", `{"x":null,"y":`+nine+`}`)
	granted := func(config string) []lcm.ExtVirtualLink {
		t.Helper()
		req, err := lcmtest.Read[lcm.ChangeExtConnRequest](onLinks("a", config))
		require.NoError(t, err)
		return req.ExtVirtualLinks
	}
	p, err := reconnected(addressed(t), asked,
		granted(`{"y":`+strings.Replace(nine, "10.0.0.9", "10.0.0.8", 1)+`}`))
	require.NoError(t, err)
	require.Equal(t, []lcm.FixedIP{{Address: "10.0.0.8"}}, p.Links[0].ExtCps[0].FixedIPs)
	_, err = reconnected(addressed(t), asked, granted(`{"z":`+nine+`}`))
	require.ErrorContains(t, err, "more than one entry with addresses")
	_, err = reconnected(addressed(t), asked, granted(`{"y":null}`))
	require.ErrorContains(t, err, "would have no entry")
}
