package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestChangeExtConn_startsOneWorkflowAndTellsWhatHasChanged(t *testing.T) {
	const address = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}`
	for root, config := range map[string]string{"/vnflcm/v1": `[` + address + `]`, "/vnflcm/v2": `{"x":` + address + `}`} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			instance := b.PlainServer(root)
			links := b.Do("GET", instance,
				nil).Want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)["extVirtualLinkInfo"].([]any)
			require.Len(t, links, 1)
			body := `{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"VDU1_CP1","cpConfig":` + config +
				`}]}]}`
			plan := b.Do("POST", "/windlass/v1"+strings.TrimPrefix(instance, root)+"/plan",
				`{"operation":"CHANGE_EXT_CONN","request":`+body+`}`).Want(http.StatusOK)
			require.Equal(t, []any{"b"}, plan["changedLinks"])
			a := b.Do("POST", instance+"/change_ext_conn", body)
			a.Want(http.StatusAccepted)
			o := b.Operation(a.Path())
			require.Equal(t, []lcm.OperationInput{{
				OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: lcm.OpChangeExtConn,
			}}, b.Starter.Starts)
			_, err := b.Store.KeepPlan(t.Context(), o.ID, lcm.Plan{
				Operation: lcm.OpChangeExtConn, ChangedLinks: []string{"b"}, VimConnectionID: "vim1",
				Links: []lcm.ExtVirtualLink{{ID: "b", ResourceID: "net-b", ExtCps: []lcm.ExtCp{{CpdID: "VDU1_CP1"}}}},
			})
			require.NoError(t, err)
			require.NotContains(t, b.Do("GET", a.Path(), nil).Want(http.StatusOK), "changedExtConnectivity",
				"not before it is complete")
			b.Enter(a.Path(), lcm.Processing)
			b.Enter(a.Path(), lcm.Completed)
			changed := b.Do("GET", a.Path(), nil).Want(http.StatusOK)["changedExtConnectivity"].([]any)
			require.Equal(t, "net-b", changed[0].(map[string]any)["resourceHandle"].(map[string]any)["resourceId"])
			require.NotContains(t, b.Do("GET", root+"/vnf_lcm_op_occs", nil).List()[0], "changedExtConnectivity")
		})
	}
}

// addressed returns a request of v2 with these addresses of a connection point.
func addressed(ethernet string) string {
	return `{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"VDU1_CP1","cpConfig":{"x":{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{` + ethernet + `}}]}}}]}]}`
}

func TestChangeExtConn_changesVimConnections(t *testing.T) {
	const links = `{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"VDU1_CP1"}]}],"vimConnectionInfo":`
	for root, form := range map[string]struct{ before, after, path string }{
		"/vnflcm/v1": {`[{"id":"vim1",`, `}]}`, "$.vimConnectionInfo[0]"},
		"/vnflcm/v2": {`{"vim1":{`, `}}}`, "$.vimConnectionInfo.vim1"},
	} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			instance := b.PlainServer(root)
			inst := b.Instance(instance)
			inst.VimConnections = []lcm.VimConnectionInfo{{
				ID: "vim1", VimID: lcm.VimID(b.RegisterVim("lab", false)), VimType: "openstack",
			}}
			require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
			change := func(entry string) string { return links + form.before + entry + form.after }
			for entry, want := range map[string]struct {
				status int
				at     string
			}{
				`"vimId":null`:    {400, ".vimId"},
				`"accessInfo":[]`: {400, ".accessInfo"},
				`"vimType":7`:     {400, ".vimType"},
				`"vimId":"5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"`:                                                                        {422, ".vimId"},
				`"vimId":null,"interfaceInfo":{"endpoint":"https://cloud.example.com/v3"},"accessInfo":{"username":"u","password":"p"}`: {400, ".accessInfo.project"},
			} {
				refused := b.Do("POST", instance+"/change_ext_conn", change(entry))
				refused.Problem(want.status)
				require.Equal(t, []string{form.path + want.at}, refused.Paths(), entry)
			}
			require.Equal(t, []string{"$.vimConnectionInfo"}, func() []string {
				a := b.Do("POST", instance+"/change_ext_conn", links+`null}`)
				a.Problem(http.StatusBadRequest)
				return a.Paths()
			}())
			if root == "/vnflcm/v2" {
				require.Contains(t, b.Do("POST", instance+"/change_ext_conn", links+`{"vim1":null}}`).Problem(http.StatusConflict),
					"cannot be removed")
			}
			body := change(`"accessInfo":{"password":"` + servertest.Marker + `-conn"}`)
			planned := b.Do("POST", "/windlass/v1/vnf_instances/"+string(inst.ID)+"/plan",
				`{"operation":"CHANGE_EXT_CONN","request":`+body+`}`)
			planned.Want(http.StatusOK)
			require.Contains(t, string(planned.Body), "Try the VIM connection")
			require.Empty(t, b.Starter.Starts)
			a := b.Do("POST", instance+"/change_ext_conn", body)
			a.Want(http.StatusAccepted)
			require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)
			require.Contains(t, string(b.Do("GET", a.Path(), nil).Body), `"password":"***"`)
			require.Equal(t, inst.VimConnections, b.Instance(instance).VimConnections, "not before it is complete")
		})
	}
}

func TestChangeExtConn_refusesWhatCannotBe(t *testing.T) {
	b := servertest.New(t)
	instance := b.PlainServer("/vnflcm/v2")
	for _, c := range []struct {
		body   string
		status int
		says   string
	}{
		{`{}`, 400, "$.extVirtualLinks"},
		{
			`{"extVirtualLinks":[{"id":"a","resourceId":"n"}],"additionalParams":{"ready_timeout":0}}`, 400,
			"$.additionalParams.ready_timeout",
		},
		{`{"extVirtualLinks":[{"id":"a"}]}`, 400, "$.extVirtualLinks[0].resourceId"},
		{
			`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"nothing"}]}]}`, 400,
			"no external connection point",
		},
		{`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"VDU1_CP1","cpConfig":[]}]}]}`, 400, "cpConfig"},
		{addressed(`"macAddress":"1A-2B"`), 400, "ipOverEthernet.macAddress: must be a MAC address such as"},
		{
			addressed(`"ipAddresses":[{"type":"IPV4","fixedAddresses":["10.0.0.7"],"numDynamicAddresses":1}]`), 400,
			"exactly one of fixedAddresses",
		},
		{
			addressed(`"ipAddresses":[{"type":"IPV4","addressRange":{"minAddress":"10.0.0.7","maxAddress":"10.0.0.9"}}]`), 422,
			"ipAddresses[0].addressRange: Neutron gives a port no range",
		},
		{addressed(`"ipAddresses":[{"type":"IPV4","numDynamicAddresses":2}]`), 422, "name the subnet (subnetId)"},
		{
			`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"VDU1_CP1","cpConfig":{"VDU1_CP1":null}}]}]}`,
			422, "cpConfig: the connection point VDU1_CP1 would have no entry",
		},
		{`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"VDU1_CP1","cpConfig":{"x":{"linkPortId":"p"}}}],"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"r"}}]}]}`, 422, "cannot have the port r of linkPortId \"p\": the Base HOT makes the port itself"},
		{`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"VDU1_CP1","cpConfig":{"x":{"linkPortId":"q"}}}],"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"r"}}]}]}`, 400, "cpConfig.x.linkPortId: is \"q\", and none of the link's extLinkPorts"},
		{
			`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[],"extLinkPorts":[{"id":"p"}]}]}`, 400,
			"$.extVirtualLinks[0].extLinkPorts[0].resourceHandle",
		},
		{
			addressed(`"ipAddresses":[{"type":"IPV4","fixedAddresses":["10.0.0.256"]}]`), 400,
			`fixedAddresses[0]: must be an IP address, not "10.0.0.256"`,
		},
	} {
		require.Contains(t, b.Do("POST", instance+"/change_ext_conn", c.body).Problem(c.status), c.says, c.body)
	}
	cluster := b.Running("/vnflcm/v1")
	body := `{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"masterNode_CP1"}]}]}`
	require.Contains(t, b.Do("POST", cluster+"/change_ext_conn", body).Problem(http.StatusConflict),
		"the cluster would fail")
	fresh := b.Create("/vnflcm/v1", string(b.Instance(cluster).VnfdID))
	require.Contains(t, b.Do("POST", fresh+"/change_ext_conn", body).Problem(http.StatusConflict), "not instantiated")
	require.Empty(t, b.Starter.Starts)
}

func TestChangeExtConn_takesEntriesAwayByNull(t *testing.T) {
	b := servertest.New(t)
	instance := b.PlainServer("/vnflcm/v2")
	moved := strings.Replace(addressed(`"macAddress":"fa:16:3e:00:00:01"`), `"extVirtualLinks":[`,
		`"extVirtualLinks":[{"id":"old","resourceId":"o","extCps":[{"cpdId":"VDU1_CP1","cpConfig":{"y":null}}]},`, 1)
	a := b.Do("POST", instance+"/change_ext_conn",
		strings.Replace(moved, `"cpConfig":{"x"`, `"cpConfig":{"VDU1_CP1":null,"x"`, 1))
	a.Want(http.StatusAccepted)
	shown := func(path string) []any {
		links := b.Do("GET", path, nil).Want(http.StatusOK)["operationParams"].(map[string]any)["extVirtualLinks"].([]any)
		return links[0].(map[string]any)["extCps"].([]any)
	}
	require.Equal(t, map[string]any{"y": nil}, shown(a.Path())[0].(map[string]any)["cpConfig"])
	require.Equal(t, []any{map[string]any{"cpInstanceId": "y"}},
		shown(strings.Replace(a.Path(), "v2", "v1", 1))[0].(map[string]any)["cpConfig"])
}

func TestInstantiate_refusesConfigurationsThatCannotBe(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	vim := b.RegisterVim("lab", true)
	for root, null := range map[string]string{"/vnflcm/v1": `[null]`, "/vnflcm/v2": `{"x":null}`} {
		instance := b.Create(root, vnfdID)
		request := servertest.ClusterRequest(vim)
		if root == "/vnflcm/v2" {
			request = servertest.AsV2(t, request)
		}
		link := request["extVirtualLinks"].([]any)[0].(map[string]any)
		cp := link["extCps"].([]any)[0].(map[string]any)
		link["extLinkPorts"] = []any{map[string]any{"id": "port", "resourceHandle": map[string]any{"resourceId": "r"}}}
		require.Contains(t, b.Do("POST", instance+"/instantiate", request).Problem(http.StatusBadRequest),
			"a port belongs to one server only")
		other := link["extCps"].([]any)[1].(map[string]any)
		kept := other["cpConfig"]
		delete(other, "cpConfig")
		require.Contains(t, b.Do("POST", instance+"/instantiate", request).Problem(http.StatusUnprocessableEntity),
			"the Base HOT makes the port itself and does not take one from a parameter")
		other["cpConfig"] = kept
		delete(link, "extLinkPorts")
		cp["cpConfig"] = json.RawMessage(null)
		require.Contains(t, b.Do("POST", instance+"/instantiate", request).Problem(http.StatusBadRequest), "must not be null")
	}
	require.Empty(t, b.Starter.Starts)
}
