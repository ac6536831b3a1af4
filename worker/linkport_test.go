package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// ported is an instantiation of which one of two connection points is given a port.
func ported() *job {
	j := instantiating(``)
	j.flavour.Cps = []vnfpkg.VduCp{{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true}}
	port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	j.request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{CpdID: "cp", LinkPort: port, Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}}}, {CpdID: "other"}}
	return j
}

func TestConnectionPoints_showTheGivenPortByTheRequestsID(t *testing.T) {
	j := ported()
	v := activities.Vnfc{VduID: "node", ServerID: "s", Attached: []activities.Attached{
		{Type: lcm.GrantLinkPort, Resource: "cp", ID: "port-1", MAC: "mac", Addresses: []lcm.FixedIP{{Address: "10.0.0.7"}}},
		{Type: lcm.GrantLinkPort, Resource: "other", ID: "port-2"},
	}}
	_, external := j.connectionPoints(v, nil)
	require.Equal(t, "10.0.0.7", external[0].CpProtocolInfo[0].IPOverEthernet.IPAddresses[0].Addresses[0])
	require.Equal(t, []string{"p", "port-1", "port-2", ""}, []string{external[0].ExtLinkPortID, external[0].PortID, external[1].ExtLinkPortID, external[1].PortID})
	v.Attached[0].ID = "former"
	_, external = j.connectionPoints(v, nil)
	require.Equal(t, []string{"former", ""}, []string{external[0].ExtLinkPortID, external[0].PortID}, "not the port that was given")
}

func TestInstantiation_tellsUserDataClassesOfPorts(t *testing.T) {
	j := ported()
	doc, err := json.Marshal(j.instantiation(nil)["extVirtualLinks"])
	require.NoError(t, err)
	const data = `"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[]}}]`
	require.JSONEq(t, `[{"id":"a","resourceId":"net-a","extCps":[{"cpdId":"cp","cpConfig":{"k":{"linkPortId":"p",`+data+`}}},{"cpdId":"other","cpConfig":{"other":{`+data+`}}}],
		"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}}]},{"id":"b","resourceId":"net-b","extCps":[]}]`, string(doc))
}

func TestAcceptable_refusesAPortTwice(t *testing.T) {
	j := ported()
	j.target = &lcm.VimConnectionInfo{ID: "vim", VimID: "v"}
	links := `[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"other","cpConfig":[{"linkPortId":"x"}]}],"extLinkPorts":[{"id":"x","resourceHandle":{"resourceId":"port-1"}}]}]`
	_, err := (&operations{}).acceptable(t.Context(), j, lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(links)})
	require.ErrorContains(t, err, "the connection points cp and other would have the same port")
}
