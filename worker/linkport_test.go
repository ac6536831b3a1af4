package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// ported is an instantiation of which one of two connection points is given a port.
func ported() *job {
	j := instantiating(``)
	j.Flavour.Cps = []vnfpkg.VduCp{{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true}}
	port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	j.Request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{
		CpdID: "cp", LinkPort: port,
		Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}},
	}, {CpdID: "other"}}
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
	require.Equal(t, []string{"p", "port-1", "port-2", ""},
		[]string{external[0].ExtLinkPortID, external[0].PortID, external[1].ExtLinkPortID, external[1].PortID})
	v.Attached[0].ID = "former"
	_, external = j.connectionPoints(v, nil)
	require.Equal(t, []string{"former", ""}, []string{external[0].ExtLinkPortID, external[0].PortID},
		"not the port that was given")
}

func TestAcceptable_refusesAPortTwice(t *testing.T) {
	j := ported()
	j.Targets = []lcm.VimConnectionInfo{{ID: "vim", VimID: "v"}}
	links := `[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"other","cpConfig":[{"linkPortId":"x"}]}],"extLinkPorts":[{"id":"x","resourceHandle":{"resourceId":"port-1"}}]}]`
	_, err := (&resolver{}).acceptable(t.Context(), j, lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(links)})
	require.ErrorContains(t, err, "the connection points cp and other would have the same port")
}

// A request of Tacker's functional tests lays nfv over a dummy: the port of nfv is shown.
func TestConnectionPoints_showThePortsOfNfv(t *testing.T) {
	request, err := lcm.ParseInstantiate(json.RawMessage(`{"flavourId":"simple","extVirtualLinks":[{"id":"net","resourceId":"n","extCps":[
		{"cpdId":"one","cpConfig":{"one":{"linkPortId":"p"}}},{"cpdId":"two","cpConfig":{"two":{"linkPortId":"q"}}}],
		"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}},{"id":"q","resourceHandle":{"resourceId":"dummy-id"}}]}],
		"additionalParams":{"nfv":{"CP":{"two":{"port":"port-2"}}}}}`))
	require.NoError(t, err)
	j := instantiating(``)
	j.Flavour.Cps = []vnfpkg.VduCp{{ID: "one", VduID: "node", External: true}, {ID: "two", VduID: "node", External: true}}
	j.Request = request
	_, external := j.connectionPoints(activities.Vnfc{VduID: "node", ServerID: "s", Attached: []activities.Attached{
		{Type: lcm.GrantLinkPort, Resource: "one", ID: "port-1"}, {Type: lcm.GrantLinkPort, Resource: "two", ID: "port-2"},
	}}, nil)
	require.Equal(t, []string{"p", "port-1", "q", "port-2"},
		[]string{external[0].ExtLinkPortID, external[0].PortID, external[1].ExtLinkPortID, external[1].PortID})
}

// A grant's nfv counts before that of the request, as in Tacker.
func TestUnder_takesThePortsOfAGrantsNfv(t *testing.T) {
	j := ported()
	require.NoError(t, j.ApplyGrant(lcm.Grant{
		ID:               "g",
		AdditionalParams: json.RawMessage(`{"nfv":{"CP":{"cp":{"port":"granted"}}}}`),
	}))
	require.Equal(t, &lcm.LinkPort{ID: "p", ResourceID: "granted"}, lcm.GivenPort(j.Request.ExtVirtualLinks, "cp"))
}

// The VNFC that a scaling adds gets the port that the scaling names.
func TestOwnPorts_areThoseOfAScaling(t *testing.T) {
	j := &job{&operations.Operation{
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
		Request: lcm.InstantiateRequest{AdditionalParams: json.RawMessage(
			`{"lcm-operation-user-data": "x.py", "lcm-operation-user-data-class": "StandardUserData"}`)},
	}}
	j.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "l", ResourceID: "n",
		ExtCps: []lcm.ExtCp{{CpdID: "cp", LinkPort: &lcm.LinkPort{ID: "p", ResourceID: "port-0"}}},
	}}
	j.OpOcc.Params = json.RawMessage(`{"type":"SCALE_OUT","additionalParams":{"nfv":{"CP":{"cp-1":{"port":"port-1"}}}}}`)
	links, err := j.OwnPorts()
	require.NoError(t, err)
	_, cp, _ := lcm.Connection(links, "cp")
	require.Equal(t, []string{"port-0", "port-1"}, []string{cp.PortOf(0).ResourceID, cp.PortOf(1).ResourceID})
	require.Nil(t, cp.PortOf(2))
}
