package apiserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestInstanceIsCreatedReadAndDeleted(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			_, vnfdID := b.onboard()
			created := b.do("POST", root+"/vnf_instances", map[string]any{
				"vnfdId": vnfdID, "vnfInstanceName": "edge-1", "vnfInstanceDescription": "north",
				"metadata": map[string]any{"a": "b"},
			})
			doc := created.want(http.StatusCreated)
			require.Equal(t, "NOT_INSTANTIATED", doc["instantiationState"])
			require.Equal(t, map[string]any{"a": "b"}, doc["metadata"])
			require.Equal(t, map[string]any{
				"self":        map[string]any{"href": endpoint + created.path()},
				"instantiate": map[string]any{"href": endpoint + created.path() + "/instantiate"},
			}, doc["_links"])

			read := b.do("GET", created.path(), nil)
			require.Equal(t, doc, read.want(http.StatusOK))
			require.Equal(t, created.Header.Get("ETag"), read.Header.Get("ETag"))

			list := b.do("GET", root+"/vnf_instances", nil).list()
			require.Len(t, list, 1)
			require.NotContains(t, list[0], "metadata")

			b.do("DELETE", created.path(), nil, `If-Match: "99"`).problem(http.StatusPreconditionFailed)
			b.do("DELETE", created.path(), nil, "If-Match: "+read.Header.Get("ETag")).want(http.StatusNoContent)
			b.do("GET", created.path(), nil).problem(http.StatusNotFound)
			b.do("DELETE", created.path(), nil).problem(http.StatusNotFound)
			require.Equal(t, "[]", string(b.do("GET", root+"/vnf_instances", nil).Body))
		})
	}
}

func TestInstanceBeginsWithWhatTheVnfdSays(t *testing.T) {
	b := newBench(t)
	path, vnfdID := b.onboard()
	pkg, err := b.store.Package(t.Context(), lcm.VnfPkgID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	vnfd.Metadata = map[string]any{"site": map[string]any{"name": "north", "rack": 7}, "tier": "gold"}
	vnfd.Extensions, vnfd.ConfigurableProperties = map[string]any{"retries": 3}, map[string]any{"proxy": "proxy.example"}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.store.UpdatePackage(t.Context(), pkg))
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		created := b.do("POST", root+"/vnf_instances", map[string]any{
			"vnfdId": vnfdID, "metadata": map[string]any{
				"site": map[string]any{"rack": nil}, "tier": nil, "password": marker, "own": true,
			},
		})
		doc := created.want(http.StatusCreated)
		require.Equal(t, map[string]any{"site": map[string]any{"name": "north"}, "password": "***", "own": true},
			doc["metadata"], "a merge patch over the VNFD's")
		require.Equal(t, map[string]any{"retries": 3.0}, doc["extensions"])
		require.Equal(t, map[string]any{"proxy": "proxy.example"}, doc["vnfConfigurableProperties"])
		require.Equal(t, doc, b.do("GET", created.path(), nil).want(http.StatusOK))
		require.Equal(t, "gold", b.do("POST", root+"/vnf_instances",
			map[string]any{"vnfdId": vnfdID}).want(http.StatusCreated)["metadata"].(map[string]any)["tier"])
	}
}

func TestMetadataMustBeAsTheVnfdDeclaresIt(t *testing.T) {
	b := newBench(t)
	path, vnfdID := b.onboard()
	pkg, err := b.store.Package(t.Context(), lcm.VnfPkgID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	vnfd.Declared.Metadata = map[string]descriptor.Member{
		"rack": {Type: descriptor.TypeInteger, Required: true}, "password": {Type: descriptor.TypeString},
		"tier": {Type: descriptor.TypeString, ValidValues: []any{"gold"}},
	}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.store.UpdatePackage(t.Context(), pkg))
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		a := b.do("POST", root+"/vnf_instances", map[string]any{
			"vnfdId":   vnfdID,
			"metadata": map[string]any{"rack": marker, "tier": marker, "password": 1},
		})
		require.NotContains(t, a.problem(http.StatusUnprocessableEntity), marker)
		require.Equal(t, []string{"$.metadata.password", "$.metadata.rack", "$.metadata.tier"}, a.paths())
		require.Equal(t, "[]", string(b.do("GET", root+"/vnf_instances", nil).Body))
	}
	b.do("POST", "/vnflcm/v1/vnf_instances", map[string]any{
		// Required members may be missing, and unknown ones may be there.
		"vnfdId": vnfdID, "metadata": map[string]any{"password": marker, "own": []any{1}},
	}).want(http.StatusCreated)
}

func TestInstanceOfUnknownVnfdIsUnprocessable(t *testing.T) {
	b := newBench(t)
	a := b.do("POST", "/vnflcm/v2/vnf_instances", map[string]any{"vnfdId": "nobody-knows"})
	require.Contains(t, a.problem(http.StatusUnprocessableEntity), "nobody-knows")
	require.Equal(t, []string{"$.vnfdId"}, a.paths())
}

func TestCreateReportsEveryMistypedMember(t *testing.T) {
	b := newBench(t)
	a := b.do("POST", "/vnflcm/v2/vnf_instances", `{"vnfInstanceName":7,"metadata":"x","vnfInstanceDescription":null}`)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.vnfdId", "$.vnfInstanceName", "$.metadata"}, a.paths())
	a = b.do("POST", "/vnflcm/v2/vnf_instances", `{"vnfdId":"x","metadata":{"iccid":8949017203456789012,"sites":9007199254740992}}`)
	a.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.metadata.iccid"}, a.paths(), "its digits would be lost")
	b.do("POST", "/vnflcm/v2/vnf_instances", `{"vnfdId":`).problem(http.StatusBadRequest)
	b.do("POST", "/vnflcm/v2/vnf_instances", `{} {}`).problem(http.StatusBadRequest)
	b.do("POST", "/vnflcm/v2/vnf_instances", ``).problem(http.StatusBadRequest)
	b.do("POST", "/vnflcm/v2/vnf_instances", `[]`).problem(http.StatusBadRequest)
	b.do("POST", "/vnflcm/v2/vnf_instances", `{}`, "Content-Type: text/yaml").problem(http.StatusUnsupportedMediaType)
	b.do("GET", "/vnflcm/v2/vnf_instances", nil, "Accept: text/html").problem(http.StatusNotAcceptable)
}

func TestInstantiatedInstanceShowsWhatItHasInBothVersions(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	path := b.create("/vnflcm/v1", vnfdID)
	inst, err := b.store.Instance(t.Context(), lcm.VnfInstanceID(path[len("/vnflcm/v1/vnf_instances/"):]))
	require.NoError(t, err)
	require.NoError(t, b.vault.Put(t.Context(), "vnf/x/password", marker))
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
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))

	v1 := b.do("GET", path, nil).want(http.StatusOK)
	conn := v1["vimConnectionInfo"].([]any)[0].(map[string]any)
	require.Equal(t, "vim1", conn["id"])
	require.Equal(t, map[string]any{"username": "nfv", "password": "***"}, conn["accessInfo"])
	require.Contains(t, v1["_links"], "terminate")
	require.NotContains(t, v1["_links"], "instantiate")

	v2 := b.do("GET", "/vnflcm/v2"+path[len("/vnflcm/v1"):], nil).want(http.StatusOK)
	require.Contains(t, v2["vimConnectionInfo"], "vim1")
	require.Equal(t, []any{map[string]any{
		"id": "workerNode-r1", "vduId": "workerNode", "vnfcResourceInfoId": "r1", "vnfcState": "STARTED",
	}},
		v2["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"])
	b.do("DELETE", path, nil).problem(http.StatusConflict)

	full := b.do("GET", "/vnflcm/v2/vnf_instances?all_fields", nil).list()
	require.Contains(t, full[0], "instantiatedVnfInfo")
	some := b.do("GET", "/vnflcm/v2/vnf_instances?fields=instantiatedVnfInfo/vnfState", nil).list()
	require.Equal(t, map[string]any{"vnfState": "STARTED"}, some[0]["instantiatedVnfInfo"])
	require.NotContains(t, some[0], "vnfInstanceName")
	both := b.do("GET", "/vnflcm/v2/vnf_instances?exclude_default&fields=metadata", nil).list()
	require.Contains(t, both[0], "vnfInstanceName")
	without := b.do("GET", "/vnflcm/v2/vnf_instances?exclude_fields=id,vnfInstanceName", nil).list()
	require.Contains(t, without[0], "id", "mandatory attributes stay")
	require.NotContains(t, without[0], "vnfInstanceName")
}

func TestListsFilterAndRefuseWhatTheyDoNotKnow(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	b.create("/vnflcm/v1", vnfdID)
	b.do("POST", "/vnflcm/v1/vnf_instances", map[string]any{
		"vnfdId":          vnfdID,
		"vnfInstanceName": "it's, (odd)",
	}).want(http.StatusCreated)
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
		require.Len(t, b.do("GET", "/vnflcm/v2/vnf_instances?filter="+escape(filter), nil).list(), n, filter)
	}
	for _, query := range []string{
		"attribute_not_exist=some_value", "filter=(eq,nothing,1)", "filter=nonsense", "filter=(xx,a,b)", "filter=(eq,a)",
		"filter=(eq,a,b",
		"nextpage_opaque_marker=7", "all_fields&fields=metadata", "fields=a&exclude_fields=b",
	} {
		b.do("GET", "/vnflcm/v2/vnf_instances?"+query, nil).problem(http.StatusBadRequest)
	}
	b.do("GET", "/vnflcm/v1/vnf_instances?all_records=yes", nil).list()
}
