package apiserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// plainServer creates an instance of a package with one server, which is not a cluster.
func (b *bench) plainServer(root string) (instance string) {
	b.Helper()
	var csar bytes.Buffer
	require.NoError(b, vnfpkg.Build("../tests/bench/server", &csar))
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.do("PUT", created.path()+"/package_content", bytes.NewReader(csar.Bytes()),
		"Content-Type: application/zip").want(http.StatusAccepted)
	instance = b.create(root, b.do("GET", created.path(), nil).want(http.StatusOK)["vnfdId"].(string))
	inst := b.instance(instance)
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: lcm.VnfStarted,
		VnfcResources: []lcm.VnfcResourceInfo{{
			ID: "s", VduID: "VDU1", ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "s"},
		}},
		ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{
			{CpdID: "VDU1_CP1"},
		}}},
	}
	require.NoError(b, b.store.UpdateInstance(b.Context(), inst))
	return instance
}

func TestChangeExtConn_startsOneWorkflowAndTellsWhatHasChanged(t *testing.T) {
	const address = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}`
	for root, config := range map[string]string{"/vnflcm/v1": `[` + address + `]`, "/vnflcm/v2": `{"x":` + address + `}`} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			instance := b.plainServer(root)
			links := b.do("GET", instance,
				nil).want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)["extVirtualLinkInfo"].([]any)
			require.Len(t, links, 1)
			body := `{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"VDU1_CP1","cpConfig":` + config +
				`}]}]}`
			plan := b.do("POST", "/windlass/v1"+strings.TrimPrefix(instance, root)+"/plan",
				`{"operation":"CHANGE_EXT_CONN","request":`+body+`}`).want(http.StatusOK)
			require.Equal(t, []any{"b"}, plan["changedLinks"])
			a := b.do("POST", instance+"/change_ext_conn", body)
			a.want(http.StatusAccepted)
			o := b.operation(a.path())
			require.Equal(t, []lcm.OperationInput{{
				OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: lcm.OpChangeExtConn,
			}}, b.starter.starts)
			_, err := b.store.KeepPlan(t.Context(), o.ID, lcm.Plan{
				Operation: lcm.OpChangeExtConn, ChangedLinks: []string{"b"}, VimConnectionID: "vim1",
				Links: []lcm.ExtVirtualLink{{ID: "b", ResourceID: "net-b", ExtCps: []lcm.ExtCp{{CpdID: "VDU1_CP1"}}}},
			})
			require.NoError(t, err)
			require.NotContains(t, b.do("GET", a.path(), nil).want(http.StatusOK), "changedExtConnectivity",
				"not before it is complete")
			b.enter(a.path(), lcm.Processing)
			b.enter(a.path(), lcm.Completed)
			changed := b.do("GET", a.path(), nil).want(http.StatusOK)["changedExtConnectivity"].([]any)
			require.Equal(t, "net-b", changed[0].(map[string]any)["resourceHandle"].(map[string]any)["resourceId"])
			require.NotContains(t, b.do("GET", root+"/vnf_lcm_op_occs", nil).list()[0], "changedExtConnectivity")
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
			b := newBench(t)
			instance := b.plainServer(root)
			inst := b.instance(instance)
			inst.VimConnections = []lcm.VimConnectionInfo{{
				ID: "vim1", VimID: lcm.VimID(b.registerVim("lab", false)), VimType: "openstack",
			}}
			require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
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
				refused := b.do("POST", instance+"/change_ext_conn", change(entry))
				refused.problem(want.status)
				require.Equal(t, []string{form.path + want.at}, refused.paths(), entry)
			}
			require.Equal(t, []string{"$.vimConnectionInfo"}, func() []string {
				a := b.do("POST", instance+"/change_ext_conn", links+`null}`)
				a.problem(http.StatusBadRequest)
				return a.paths()
			}())
			if root == "/vnflcm/v2" {
				require.Contains(t, b.do("POST", instance+"/change_ext_conn", links+`{"vim1":null}}`).problem(http.StatusConflict),
					"cannot be removed")
			}
			body := change(`"accessInfo":{"password":"` + marker + `-conn"}`)
			planned := b.do("POST", "/windlass/v1/vnf_instances/"+string(inst.ID)+"/plan",
				`{"operation":"CHANGE_EXT_CONN","request":`+body+`}`)
			planned.want(http.StatusOK)
			require.Contains(t, string(planned.Body), "Try the VIM connection")
			require.Empty(t, b.starter.starts)
			a := b.do("POST", instance+"/change_ext_conn", body)
			a.want(http.StatusAccepted)
			require.NotContains(t, string(b.operation(a.path()).Params), marker)
			require.Contains(t, string(b.do("GET", a.path(), nil).Body), `"password":"***"`)
			require.Equal(t, inst.VimConnections, b.instance(instance).VimConnections, "not before it is complete")
		})
	}
}

func TestChangeExtConn_refusesWhatCannotBe(t *testing.T) {
	b := newBench(t)
	instance := b.plainServer("/vnflcm/v2")
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
		require.Contains(t, b.do("POST", instance+"/change_ext_conn", c.body).problem(c.status), c.says, c.body)
	}
	cluster := b.running("/vnflcm/v1")
	body := `{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"masterNode_CP1"}]}]}`
	require.Contains(t, b.do("POST", cluster+"/change_ext_conn", body).problem(http.StatusConflict),
		"the cluster would fail")
	fresh := b.create("/vnflcm/v1", string(b.instance(cluster).VnfdID))
	require.Contains(t, b.do("POST", fresh+"/change_ext_conn", body).problem(http.StatusConflict), "not instantiated")
	require.Empty(t, b.starter.starts)
}

func TestChangeExtConn_takesEntriesAwayByNull(t *testing.T) {
	b := newBench(t)
	instance := b.plainServer("/vnflcm/v2")
	moved := strings.Replace(addressed(`"macAddress":"fa:16:3e:00:00:01"`), `"extVirtualLinks":[`,
		`"extVirtualLinks":[{"id":"old","resourceId":"o","extCps":[{"cpdId":"VDU1_CP1","cpConfig":{"y":null}}]},`, 1)
	a := b.do("POST", instance+"/change_ext_conn",
		strings.Replace(moved, `"cpConfig":{"x"`, `"cpConfig":{"VDU1_CP1":null,"x"`, 1))
	a.want(http.StatusAccepted)
	shown := func(path string) []any {
		links := b.do("GET", path, nil).want(http.StatusOK)["operationParams"].(map[string]any)["extVirtualLinks"].([]any)
		return links[0].(map[string]any)["extCps"].([]any)
	}
	require.Equal(t, map[string]any{"y": nil}, shown(a.path())[0].(map[string]any)["cpConfig"])
	require.Equal(t, []any{map[string]any{"cpInstanceId": "y"}},
		shown(strings.Replace(a.path(), "v2", "v1", 1))[0].(map[string]any)["cpConfig"])
}

func TestInstantiate_refusesConfigurationsThatCannotBe(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	vim := b.registerVim("lab", true)
	for root, null := range map[string]string{"/vnflcm/v1": `[null]`, "/vnflcm/v2": `{"x":null}`} {
		instance := b.create(root, vnfdID)
		request := clusterRequest(vim)
		if root == "/vnflcm/v2" {
			request = asV2(t, request)
		}
		link := request["extVirtualLinks"].([]any)[0].(map[string]any)
		cp := link["extCps"].([]any)[0].(map[string]any)
		link["extLinkPorts"] = []any{map[string]any{"id": "port", "resourceHandle": map[string]any{"resourceId": "r"}}}
		require.Contains(t, b.do("POST", instance+"/instantiate", request).problem(http.StatusBadRequest),
			"a port belongs to one server only")
		other := link["extCps"].([]any)[1].(map[string]any)
		kept := other["cpConfig"]
		delete(other, "cpConfig")
		require.Contains(t, b.do("POST", instance+"/instantiate", request).problem(http.StatusUnprocessableEntity),
			"the Base HOT makes the port itself and does not take one from a parameter")
		other["cpConfig"] = kept
		delete(link, "extLinkPorts")
		cp["cpConfig"] = json.RawMessage(null)
		require.Contains(t, b.do("POST", instance+"/instantiate", request).problem(http.StatusBadRequest), "must not be null")
	}
	require.Empty(t, b.starter.starts)
}
