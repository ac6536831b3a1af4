package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ported returns a request for one connection point with this configuration. Its link describes the ports p and q.
func ported(t *testing.T, config string) []lcm.ExtVirtualLink {
	t.Helper()
	return request(t, `"cpConfig":`+config+`}],"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-p"}},{"id":"q","resourceHandle":{"resourceId":"port-q"}}],"x":[{"y":0`)
}

func TestLinkPort_isTakenFromBothForms(t *testing.T) {
	t.Parallel()
	p := &lcm.LinkPort{ID: "p", ResourceID: "port-p"}
	for config, want := range map[string]*lcm.LinkPort{
		`[{"linkPortId":"p"}]`:                       p,
		`{"k":{"linkPortId":"p"}}`:                   p,
		`{"a":` + plain + `,"k":{"linkPortId":"p"}}`: p,
		`{"k":{"linkPortId":null}}`:                  nil,
		`{"k":{"linkPortId":"elsewhere"}}`:           nil,
	} {
		links := ported(t, config)
		assert.Equal(t, want, lcm.GivenPort(links, "one"), config)
		assert.Equal(t, want != nil, lcm.IsGiven(links, "port-p"), config)
		kept := lcm.Reconnected(nil, links)
		assert.Equal(t, want, lcm.GivenPort(kept, "one"), config)
		doc, err := json.Marshal(kept)
		require.NoError(t, err)
		var again []lcm.ExtVirtualLink
		require.NoError(t, json.Unmarshal(doc, &again))
		assert.Equal(t, want, lcm.GivenPort(again, "one"), "as it is stored: %s", doc)
	}
	assert.JSONEq(t, `[{"id":"a","resourceHandle":{"vimConnectionId":"vim","resourceId":"net-a"},"currentVnfExtCpData":[{"cpdId":"one","cpConfig":{
		"k":{"linkPortId":"p","cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}}}]}]`, shown(t, ported(t, `{"k":{"linkPortId":"p"}}`), 2))
}

// TestReconnected_mergesPorts follows the rules of JSON merge patch: a change does not affect what it does not name.
func TestReconnected_mergesPorts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ have, change, want string }{
		"another port":                {`{"k":{"linkPortId":"p"}}`, `{"k":{"linkPortId":"q"}}`, "port-q"},
		"nothing of the port":         {`{"k":{"linkPortId":"p"}}`, `{"k":` + plain + `}`, "port-p"},
		"nothing at all":              {`{"k":{"linkPortId":"p"}}`, `{"k":{}}`, "port-p"},
		"null":                        {`{"k":{"linkPortId":"p"}}`, `{"k":{"linkPortId":null}}`, ""},
		"away with the entry":         {`{"j":` + plain + `,"k":{"linkPortId":"p"}}`, `{"k":null}`, ""},
		"a port for one without":      {`{"k":` + plain + `}`, `{"k":{"linkPortId":"p"}}`, "port-p"},
		"a list takes the place":      {`[{"linkPortId":"p"}]`, `[` + plain + `]`, ""},
		"a list with another port":    {`[{"linkPortId":"p"}]`, `[{"linkPortId":"q"}]`, "port-q"},
		"a name that nobody explains": {`{"k":{"linkPortId":"p"}}`, `{"k":{"linkPortId":"z"}}`, "port-p"},
	} {
		have, change := ported(t, c.have), ported(t, c.change)
		links := lcm.Reconnected(have, change)
		got := ""
		if port := lcm.GivenPort(links, "one"); port != nil {
			got = port.ResourceID
		}
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, lcm.GivenPort(links, "one"), lcm.GivenPort(lcm.PartlyReconnected(have, links, []string{"one"}),
			"one"), name)
	}
}

func TestSharedPort_isInOneServer(t *testing.T) {
	t.Parallel()
	cp := func(id, port string) lcm.ExtCp {
		return lcm.ExtCp{CpdID: id, LinkPort: &lcm.LinkPort{ID: id, ResourceID: port}}
	}
	links := []lcm.ExtVirtualLink{
		{ID: "a", ExtCps: []lcm.ExtCp{cp("one", "p"), {CpdID: "free"}}},
		{ID: "b", ExtCps: []lcm.ExtCp{cp("two", "p"), cp("three", "q")}},
	}
	assert.Equal(t, []string{"two", "one", "", ""},
		[]string{
			lcm.SharedPort(links, "one"), lcm.SharedPort(links, "two"), lcm.SharedPort(links, "three"),
			lcm.SharedPort(links, "free"),
		})
}

// TestChangesOf_leavesGivenPortsOut checks that a port that was given does not come or go with the VNF, but its
// connection point has changed.
func TestChangesOf_leavesGivenPortsOut(t *testing.T) {
	t.Parallel()
	vnf := func(id, port string) *lcm.InstantiatedVnfInfo {
		return &lcm.InstantiatedVnfInfo{
			NetworksSeen:    true,
			ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net", ExtCps: []lcm.ExtCp{{CpdID: "cp"}}}},
			VnfcResources: []lcm.VnfcResourceInfo{{
				ID: "s", VduID: "vdu", CpInfo: []lcm.VnfcCpInfo{{ID: "cp-s", CpdID: "cp", VnfExtCpID: "ext"}},
			}},
			ExtCps: []lcm.VnfExtCpInfo{{
				ID: "ext", CpdID: "cp", ExtLinkPortID: id, PortID: port, AssociatedVnfcCpID: "cp-s",
			}},
		}
	}
	given := vnf("p", "port-p")
	changes := lcm.ChangesOf(nil, given)
	require.Empty(t, changes.AffectedExtLinkPorts)
	require.Equal(t, []string{"cp-s"}, changes.AffectedVnfcs[0].AffectedVnfcCpIDs)
	require.Empty(t, lcm.ChangesOf(given, nil).AffectedExtLinkPorts)
	changes = lcm.ChangesOf(given, vnf("p", "port-q"))
	require.Empty(t, changes.AffectedExtLinkPorts)
	require.Equal(t, []string{"cp-s"}, changes.AffectedVnfcs[0].AffectedVnfcCpIDs, "the same name of another port")
	changes = lcm.ChangesOf(given, vnf("made", ""))
	require.Len(t, changes.AffectedExtLinkPorts, 1)
	require.Equal(t, lcm.ChangeAdded, changes.AffectedExtLinkPorts[0].ChangeType)

	port := given.LinkInfo(2)[0].ExtLinkPorts[0]
	require.Equal(t, []string{"p", "port-p", "ext"}, []string{port.ID, port.ResourceHandle.ResourceID, port.CpInstanceID})
}
