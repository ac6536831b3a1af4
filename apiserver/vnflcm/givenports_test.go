package vnflcm_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// TestGivenPorts_areTakenWhereTheBaseHOTTakesThem uses a package whose server can have a given port. Both versions of
// the API accept the port, and report at once if it is not there.
func TestGivenPorts_areTakenWhereTheBaseHOTTakesThem(t *testing.T) {
	for root, form := range map[string]struct{ config, vims string }{
		"/vnflcm/v1": {`[%s]`, `[{"id":"vim1","vimId":%q,"vimType":"openstack"}]`},
		"/vnflcm/v2": {`{"k":%s}`, `{"vim1":{"vimId":%q,"vimType":"openstack"}}`},
	} {
		b := servertest.New(t)
		var csar bytes.Buffer
		require.NoError(t, vnfpkg.Build("../../tests/suites/e2e/testdata/givenport", &csar))
		created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
		b.Do("PUT", created.Path()+"/package_content", bytes.NewReader(csar.Bytes()),
			"Content-Type: application/zip").Want(http.StatusAccepted)
		vnfd := b.Do("GET", created.Path(), nil).Want(http.StatusOK)["vnfdId"].(string)
		links := func(config, port string) string {
			return fmt.Sprintf(
				`"extVirtualLinks":[{"id":"net","resourceId":"n","extCps":[{"cpdId":"VDU1_CP1","cpConfig":%s}],"extLinkPorts":[{"id":"p","resourceHandle":{"vimConnectionId":"vim1","resourceId":%q}}]}]`,
				fmt.Sprintf(form.config, config),
				port,
			)
		}
		const with, without = `{"linkPortId":"p"}`, `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}`
		vims := fmt.Sprintf(form.vims, b.RegisterVim("lab", true))
		request := func(config string) string {
			return `{"flavourId":"simple","vimConnectionInfo":` + vims + `,` + links(config, "port-1") + `}`
		}
		instance := b.Create(root, vnfd)
		require.Contains(t, b.Do("POST", instance+"/instantiate", request(without)).Problem(http.StatusBadRequest),
			"the connection point VDU1_CP1 needs a port")
		a := b.Do("POST", instance+"/instantiate", request(with))
		a.Want(http.StatusAccepted)

		instance = b.Create(root, vnfd)
		inst := b.Instance(instance)
		inst.InstantiationState = lcm.Instantiated
		port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
		inst.Instantiated = &lcm.InstantiatedVnfInfo{
			FlavourID: "simple", VnfState: lcm.VnfStarted,
			VnfcResources: []lcm.VnfcResourceInfo{{
				ID: "s", VduID: "VDU1", ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "s"},
			}},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "net", ResourceID: "n", ExtCps: []lcm.ExtCp{
				{CpdID: "VDU1_CP1", LinkPort: port, Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}}},
			}}},
			ExtCps: []lcm.VnfExtCpInfo{{
				ID: "ext", CpdID: "VDU1_CP1", ExtLinkPortID: "p", PortID: "port-1", AssociatedVnfcCpID: "cp",
			}},
		}
		require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
		info := b.Do("GET", instance, nil).Want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)
		link := info["extVirtualLinkInfo"].([]any)[0].(map[string]any)
		shown := link["extLinkPorts"].([]any)[0].(map[string]any)
		require.Equal(t, []any{"p", "port-1"}, []any{shown["id"], shown["resourceHandle"].(map[string]any)["resourceId"]})
		require.Equal(t, "p", info["extCpInfo"].([]any)[0].(map[string]any)["extLinkPortId"])
		if root == "/vnflcm/v2" {
			cp := link["currentVnfExtCpData"].([]any)[0].(map[string]any)
			require.Equal(t, "p", cp["cpConfig"].(map[string]any)["k"].(map[string]any)["linkPortId"])
		}
		other := `{"extVirtualLinks":[{"id":"else","resourceId":"m","extCps":[{"cpdId":"VDU1_CP1"}]}]}`
		require.Contains(t, b.Do("POST", instance+"/change_ext_conn", other).Problem(http.StatusBadRequest),
			"the template takes a port of VDU1_CP1")
		b.Do("POST", instance+"/change_ext_conn", "{"+links(with, "port-2")+"}").Want(http.StatusAccepted)
	}
}

// overriddenPorts returns an instantiation in v2 like one of Tacker's functional tests: the request describes one port,
// and additionalParams replace the other one, which is a dummy.
func overriddenPorts(vim, params string) string {
	return fmt.Sprintf(
		`{"flavourId":"simple","vimConnectionInfo":{"vim1":{"vimId":%q,"vimType":"openstack"}},"extVirtualLinks":[{"id":"net","resourceId":"n","extCps":[
		{"cpdId":"VDU1_CP1-1","cpConfig":{"VDU1_CP1-1":{"linkPortId":"p"}}},{"cpdId":"VDU1_CP1-2","cpConfig":{"VDU1_CP1-2":{"linkPortId":"q"}}}],
		"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}},{"id":"q","resourceHandle":{"resourceId":"dummy-id"}}]}],
		"additionalParams":%s}`,
		vim,
		params,
	)
}

func TestGivenPorts_areThoseOfNfvWhereItNamesThem(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Python = true })
	var csar bytes.Buffer
	require.NoError(t, vnfpkg.Build("../../tests/suites/e2e/testdata/overriddenport", &csar))
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.Do("PUT", created.Path()+"/package_content", bytes.NewReader(csar.Bytes()),
		"Content-Type: application/zip").Want(http.StatusAccepted)
	vnfd := b.Do("GET", created.Path(), nil).Want(http.StatusOK)["vnfdId"].(string)
	vim := b.RegisterVim("lab", true)
	instantiate := func(params string) servertest.Answer {
		return b.Do("POST", b.Create("/vnflcm/v2", vnfd)+"/instantiate", overriddenPorts(vim, params))
	}
	for _, class := range []string{
		"",
		`"lcm-operation-user-data":"./UserData/ports.py","lcm-operation-user-data-class":"Ports",`,
	} {
		a := instantiate(`{` + class + `"nfv":{"CP":{"VDU1_CP1-2":{"port":"port-2"}}}}`)
		a.Want(http.StatusAccepted)
		req, err := lcmtest.Read[lcm.InstantiateRequest](b.Operation(a.Path()).Params)
		require.NoError(t, err)
		require.Equal(t, "port-1", lcm.GivenPort(req.ExtVirtualLinks, "VDU1_CP1-1").ResourceID)
		require.Equal(t, "port-2", lcm.GivenPort(req.ExtVirtualLinks, "VDU1_CP1-2").ResourceID)
	}
	require.Contains(t, instantiate(`{"nfv":{"CP":{"VDU1_CP1-2":{"port":"port-1"}}}}`).Problem(http.StatusBadRequest),
		"is the port port-1")
}
