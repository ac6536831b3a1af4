package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestInstanceIsCreatedReadAndDeleted(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			_, vnfdID := b.Onboard()
			created := b.Do("POST", root+"/vnf_instances", map[string]any{
				"vnfdId": vnfdID, "vnfInstanceName": "edge-1", "vnfInstanceDescription": "north",
				"metadata": map[string]any{"a": "b"},
			})
			doc := created.Want(http.StatusCreated)
			require.Equal(t, "NOT_INSTANTIATED", doc["instantiationState"])
			require.Equal(t, map[string]any{"a": "b"}, doc["metadata"])
			require.Equal(t, map[string]any{
				"self":        map[string]any{"href": servertest.Endpoint + created.Path()},
				"instantiate": map[string]any{"href": servertest.Endpoint + created.Path() + "/instantiate"},
			}, doc["_links"])

			read := b.Do("GET", created.Path(), nil)
			require.Equal(t, doc, read.Want(http.StatusOK))
			require.Equal(t, created.Header.Get("ETag"), read.Header.Get("ETag"))

			list := b.Do("GET", root+"/vnf_instances", nil).List()
			require.Len(t, list, 1)
			require.NotContains(t, list[0], "metadata")

			b.Do("DELETE", created.Path(), nil, `If-Match: "99"`).Problem(http.StatusPreconditionFailed)
			b.Do("DELETE", created.Path(), nil, "If-Match: "+read.Header.Get("ETag")).Want(http.StatusNoContent)
			b.Do("GET", created.Path(), nil).Problem(http.StatusNotFound)
			b.Do("DELETE", created.Path(), nil).Problem(http.StatusNotFound)
			require.Equal(t, "[]", string(b.Do("GET", root+"/vnf_instances", nil).Body))
		})
	}
}

func TestInstanceBeginsWithWhatTheVnfdSays(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	pkg, err := b.Store.Package(t.Context(), lcm.VnfPkgID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	vnfd.Metadata = map[string]any{"site": map[string]any{"name": "north", "rack": 7}, "tier": "gold"}
	vnfd.Extensions, vnfd.ConfigurableProperties = map[string]any{"retries": 3}, map[string]any{"proxy": "proxy.example"}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.Store.UpdatePackage(t.Context(), pkg))
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		created := b.Do("POST", root+"/vnf_instances", map[string]any{
			"vnfdId": vnfdID, "metadata": map[string]any{
				"site": map[string]any{"rack": nil}, "tier": nil, "password": servertest.Marker, "own": true,
			},
		})
		doc := created.Want(http.StatusCreated)
		require.Equal(t, map[string]any{"site": map[string]any{"name": "north"}, "password": "***", "own": true},
			doc["metadata"], "a merge patch over the VNFD's")
		require.Equal(t, map[string]any{"retries": 3.0}, doc["extensions"])
		require.Equal(t, map[string]any{"proxy": "proxy.example"}, doc["vnfConfigurableProperties"])
		require.Equal(t, doc, b.Do("GET", created.Path(), nil).Want(http.StatusOK))
		require.Equal(t, "gold", b.Do("POST", root+"/vnf_instances",
			map[string]any{"vnfdId": vnfdID}).Want(http.StatusCreated)["metadata"].(map[string]any)["tier"])
	}
}

func TestMetadataMustBeAsTheVnfdDeclaresIt(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	pkg, err := b.Store.Package(t.Context(), lcm.VnfPkgID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	vnfd.Declared.Metadata = map[string]descriptor.Member{
		"rack": {Type: descriptor.TypeInteger, Required: true}, "password": {Type: descriptor.TypeString},
		"tier": {Type: descriptor.TypeString, ValidValues: []any{"gold"}},
	}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.Store.UpdatePackage(t.Context(), pkg))
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		a := b.Do("POST", root+"/vnf_instances", map[string]any{
			"vnfdId":   vnfdID,
			"metadata": map[string]any{"rack": servertest.Marker, "tier": servertest.Marker, "password": 1},
		})
		require.NotContains(t, a.Problem(http.StatusUnprocessableEntity), servertest.Marker)
		require.Equal(t, []string{"$.metadata.password", "$.metadata.rack", "$.metadata.tier"}, a.Paths())
		require.Equal(t, "[]", string(b.Do("GET", root+"/vnf_instances", nil).Body))
	}
	b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{
		// Required members may be missing, and unknown ones may be there.
		"vnfdId": vnfdID, "metadata": map[string]any{"password": servertest.Marker, "own": []any{1}},
	}).Want(http.StatusCreated)
}

func TestInstanceOfUnknownVnfdIsUnprocessable(t *testing.T) {
	b := servertest.New(t)
	a := b.Do("POST", "/vnflcm/v2/vnf_instances", map[string]any{"vnfdId": "nobody-knows"})
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "nobody-knows")
	require.Equal(t, []string{"$.vnfdId"}, a.Paths())
}

func TestCreateReportsEveryMistypedMember(t *testing.T) {
	b := servertest.New(t)
	a := b.Do("POST", "/vnflcm/v2/vnf_instances", `{"vnfInstanceName":7,"metadata":"x","vnfInstanceDescription":null}`)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.vnfdId", "$.vnfInstanceName", "$.metadata"}, a.Paths())
	a = b.Do(
		"POST",
		"/vnflcm/v2/vnf_instances",
		`{"vnfdId":"x","metadata":{"iccid":8949017203456789012,"sites":9007199254740992}}`,
	)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.metadata.iccid"}, a.Paths(), "its digits would be lost")
	b.Do("POST", "/vnflcm/v2/vnf_instances", `{"vnfdId":`).Problem(http.StatusBadRequest)
	b.Do("POST", "/vnflcm/v2/vnf_instances", `{} {}`).Problem(http.StatusBadRequest)
	b.Do("POST", "/vnflcm/v2/vnf_instances", ``).Problem(http.StatusBadRequest)
	b.Do("POST", "/vnflcm/v2/vnf_instances", `[]`).Problem(http.StatusBadRequest)
	b.Do("POST", "/vnflcm/v2/vnf_instances", `{}`, "Content-Type: text/yaml").Problem(http.StatusUnsupportedMediaType)
	b.Do("GET", "/vnflcm/v2/vnf_instances", nil, "Accept: text/html").Problem(http.StatusNotAcceptable)
}

func TestInstantiatedInstanceShowsWhatItHasInBothVersions(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	path := b.Create("/vnflcm/v1", vnfdID)
	inst, err := b.Store.Instance(t.Context(), lcm.VnfInstanceID(path[len("/vnflcm/v1/vnf_instances/"):]))
	require.NoError(t, err)
	require.NoError(t, b.Vault.Put(t.Context(), "vnf/x/password", servertest.Marker))
	inst.InstantiationState = lcm.Instantiated
	inst.VimConnections = []lcm.VimConnectionInfo{{
		ID: "vim1", VimID: "7dc3c839-bf15-45ac-8dff-fc5b95c2940e", VimType: "openstack",
		AccessInfo: map[string]any{"username": "nfv", "password": map[string]any{lcm.SecretKey: "vnf/x/password"}},
	}}
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "ha", VnfState: "STARTED", DeploymentID: "stack-1",
		ScaleStatus: []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 0}},
		VnfcResources: []lcm.VnfcResourceInfo{{
			ID: "r1", VduID: "workerNode", ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "server-1"},
		}},
		ExtVirtualLinks: []lcm.ExtVirtualLink{{
			ID: "net", ResourceID: "n",
			ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}}}},
		}},
		ExtCps: []lcm.VnfExtCpInfo{{
			ID: "cp1", CpdID: "masterNode_CP1", ExtLinkPortID: "port-1",
			CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:01", []lcm.FixedIP{{Address: "10.0.0.7", SubnetID: "s"}}, nil),
		}},
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))

	v1 := b.Do("GET", path, nil).Want(http.StatusOK)
	conn := v1["vimConnectionInfo"].([]any)[0].(map[string]any)
	require.Equal(t, "vim1", conn["id"])
	require.Equal(t, map[string]any{"username": "nfv", "password": "***"}, conn["accessInfo"])
	require.Contains(t, v1["_links"], "terminate")
	require.NotContains(t, v1["_links"], "instantiate")

	v2 := b.Do("GET", "/vnflcm/v2"+path[len("/vnflcm/v1"):], nil).Want(http.StatusOK)
	require.Contains(t, v2["vimConnectionInfo"], "vim1")
	require.Equal(t, []any{map[string]any{
		"id": "workerNode-r1", "vduId": "workerNode", "vnfcResourceInfoId": "r1", "vnfcState": "STARTED",
	}},
		v2["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"])
	b.Do("DELETE", path, nil).Problem(http.StatusConflict)

	full := b.Do("GET", "/vnflcm/v2/vnf_instances?all_fields", nil).List()
	require.Contains(t, full[0], "instantiatedVnfInfo")
	some := b.Do("GET", "/vnflcm/v2/vnf_instances?fields=instantiatedVnfInfo/vnfState", nil).List()
	require.Equal(t, map[string]any{"vnfState": "STARTED"}, some[0]["instantiatedVnfInfo"])
	require.NotContains(t, some[0], "vnfInstanceName")
	both := b.Do("GET", "/vnflcm/v2/vnf_instances?exclude_default&fields=metadata", nil).List()
	require.Contains(t, both[0], "vnfInstanceName")
	without := b.Do("GET", "/vnflcm/v2/vnf_instances?exclude_fields=id,vnfInstanceName", nil).List()
	require.Contains(t, without[0], "id", "mandatory attributes stay")
	require.NotContains(t, without[0], "vnfInstanceName")
}

func TestListsFilterAndRefuseWhatTheyDoNotKnow(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	b.Create("/vnflcm/v1", vnfdID)
	b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{
		"vnfdId":          vnfdID,
		"vnfInstanceName": "it's, (odd)",
	}).Want(http.StatusCreated)
	count := map[string]int{
		"(eq,vnfInstanceName,edge-1)":                                          1,
		"(neq,vnfInstanceName,edge-1)":                                         1,
		"(in,vnfInstanceName,edge-1,edge-2)":                                   1,
		"(cont,vnfInstanceName,edge)":                                          1,
		"(eq,vnfInstanceName,'it''s, (odd)')":                                  1,
		"(eq,instantiationState,NOT_INSTANTIATED)":                             2,
		"(eq,instantiationState,NOT_INSTANTIATED);(gt,vnfInstanceName,edge-1)": 1,
		"(eq,metadata/nothing,1)":                                              0,
	}
	for filter, n := range count {
		require.Len(t, b.Do("GET", "/vnflcm/v2/vnf_instances?filter="+escape(filter), nil).List(), n, filter)
	}
	for _, query := range []string{
		"attribute_not_exist=some_value", "filter=(eq,nothing,1)", "filter=nonsense", "filter=(xx,a,b)", "filter=(eq,a)",
		"filter=(eq,a,b",
		"nextpage_opaque_marker=7", "all_fields&fields=metadata", "fields=a&exclude_fields=b",
	} {
		b.Do("GET", "/vnflcm/v2/vnf_instances?"+query, nil).Problem(http.StatusBadRequest)
	}
	b.Do("GET", "/vnflcm/v1/vnf_instances?all_records=yes", nil).List()
}
