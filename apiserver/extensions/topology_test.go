package extensions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestTopology_tellsWhereAndHowLarge has a VNF with everything that its record and its VNFD tell beside the parts.
func TestTopology_tellsWhereAndHowLarge(t *testing.T) {
	b := servertest.New(t)
	path := b.Running("/vnflcm/v2")
	inst := b.Instance(path)
	vim, cluster := b.RegisterVim("north", false), b.RegisterCluster("edge")
	inst.VimConnections = []lcm.VimConnectionInfo{
		{
			ID:            "own",
			VimType:       "ETSINFV.OPENSTACK_KEYSTONE.V_3",
			InterfaceInfo: map[string]any{"endpoint": "http://192.0.2.8/v3"},
		},
		{ID: "vim1", VimID: lcm.VimID(vim), VimType: "openstack"},
		{ID: "edge", VimID: lcm.VimID(cluster), VimType: "kubernetes"},
	}
	i := inst.Instantiated
	i.ClusterVimID = lcm.VimID(cluster)
	i.MaxScaleLevels = []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 8}}
	i.ExtVirtualLinks = []lcm.ExtVirtualLink{
		{ID: "outside", ResourceID: "net0", ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1"}}},
	}
	i.ExtManagedVirtualLinks = []lcm.ExtManagedVirtualLink{
		{ID: "given", VnfVirtualLinkDescID: "internalVL", ResourceID: "net1"},
	}
	i.VirtualLinks = []lcm.VnfVirtualLinkResourceInfo{{
		ID: "made", VnfVirtualLinkDescID: "ownVL", NetworkResource: lcm.ResourceHandle{ResourceID: "net2"},
		VnfLinkPorts: []lcm.VnfLinkPortInfo{{ID: "port-2", CpInstanceID: "inner"}},
	}}
	i.ExtCps = []lcm.VnfExtCpInfo{{
		ID: "ext", CpdID: "masterNode_CP1", ExtLinkPortID: "port-1",
		CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:01", []lcm.FixedIP{{Address: "10.0.0.7"}}, nil),
	}}
	first := &i.VnfcResources[0]
	first.CpInfo = []lcm.VnfcCpInfo{
		{ID: "outer", CpdID: "masterNode_CP1", VnfExtCpID: "ext"}, {ID: "inner", CpdID: "inner_CP", VnfLinkPortID: "port-2"},
	}
	first.StorageIDs, first.ZoneID = []string{"s"}, "zone-1"
	i.VirtualStorages = []lcm.VirtualStorageResourceInfo{{ID: "s", VirtualStorageDescID: "unknown"}}
	i.Granted = &lcm.GrantedChoices{ComputeFlavours: map[string]string{"masterNode": "m1.large"}}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))

	doc := b.Do("GET", "/windlass/v1/vnf_instances/"+string(inst.ID)+"/topology", nil).Want(http.StatusOK)
	require.Equal(t, []any{
		map[string]any{
			"vimConnectionId": "own",
			"vimType":         "ETSINFV.OPENSTACK_KEYSTONE.V_3",
			"address":         "http://192.0.2.8/v3",
		},
		map[string]any{
			"vimConnectionId": "vim1", "vimId": vim, "vimType": "openstack", "name": "north", "status": "REACHABLE",
			"address": "http://192.0.2.5/identity/v3",
		},
		map[string]any{
			"vimConnectionId": "edge", "vimId": cluster, "vimType": "kubernetes", "name": "edge", "status": "REACHABLE",
			"address": doc["endpoint"], "ofCluster": true,
		},
	}, doc["vims"])
	require.Equal(t, "192.0.2.6", doc["virtualIp"], "it is where the cluster is registered")
	require.Equal(t, []any{
		map[string]any{"id": "outside", "kind": "EXTERNAL", "resourceId": "net0"},
		map[string]any{"id": "given", "kind": "MANAGED", "name": "internalVL", "resourceId": "net1"},
		map[string]any{"id": "made", "kind": "INTERNAL", "name": "ownVL", "resourceId": "net2"},
	}, doc["networks"])
	require.Equal(t, []any{map[string]any{
		"id": "s", "virtualStorageDescId": "unknown", "resourceId": "", "vnfcInstanceId": inst.VnfcInfoID(*first),
	}}, doc["volumes"])

	scaling := doc["scaling"].([]any)
	require.Len(t, scaling, 2)
	masters, workers := scaling[0].(map[string]any), scaling[1].(map[string]any)
	require.Equal(
		t,
		[]any{1.0, 5.0, []any{"masterNode"}},
		[]any{masters["scaleLevel"], masters["vnfcs"], masters["vduIds"]},
	)
	require.Equal(t, []any{2.0, 4.0, 8.0}, []any{workers["scaleLevel"], workers["vnfcs"], workers["maxScaleLevel"]})

	part := doc["parts"].([]any)[0].(map[string]any)
	require.Equal(t, "zone-1", part["zone"])
	require.Equal(t, "m1.large", part["computeFlavour"], "the grant wins over the VNFD")
	require.NotEmpty(t, part["image"])
	require.Equal(t, []any{
		map[string]any{
			"cpdId": "masterNode_CP1", "networkId": "outside", "resourceId": "port-1", "macAddress": "fa:16:3e:00:00:01",
			"addresses": []any{"10.0.0.7"},
		},
		map[string]any{"cpdId": "inner_CP", "networkId": "made", "resourceId": "port-2"},
	}, part["ports"])
	require.Nil(t, doc["parts"].([]any)[1].(map[string]any)["ports"])
}

func TestTopology_tellsRolesAndHealth(t *testing.T) {
	b := servertest.New(t)
	id := b.Operation(b.Began()).VnfInstanceID
	path := "/windlass/v1/vnf_instances/" + string(id) + "/topology"
	require.Empty(t, b.Do("GET", path, nil).Want(http.StatusOK)["parts"])

	inst, err := b.Store.Instance(t.Context(), id)
	require.NoError(t, err)
	server := func(vdu, id string) lcm.VnfcResourceInfo {
		return lcm.VnfcResourceInfo{ID: id, VduID: vdu, ComputeResource: lcm.ResourceHandle{
			ResourceID: id, VimLevelResourceType: "OS::Nova::Server",
		}}
	}
	balancer := server("lb", "44444444-x")
	balancer.CpInfo = []lcm.VnfcCpInfo{{CpdID: "lb_CP"}}
	object := server("web", "web-0")
	object.ComputeResource.VimConnectionID, object.ComputeResource.VimLevelResourceType = "k8s", "Pod"
	inst.VimConnections = append(inst.VimConnections, lcm.VimConnectionInfo{ID: "k8s", VimType: "kubernetes"})
	inst.InstantiationState = lcm.Instantiated
	inst.ConfigurableProperties = map[string]any{lcm.RegistriesKey: []any{map[string]any{
		"server": "registry.example:5000", "connection_type": "2", "password": servertest.Marker,
	}}}
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "ha", VnfState: lcm.VnfStarted,
		VnfcResources: []lcm.VnfcResourceInfo{object, server("worker", "33333333-x"), server("cp", "22222222-x"), balancer},
		Nodes: lcm.Nodes{
			{Name: "cp-22222222", Role: lcm.ControlPlane, ServerID: "22222222-x", Address: "10.0.0.1"},
			{Name: "worker-33333333", Role: lcm.Worker, ServerID: "33333333-x", Address: "10.0.0.2"},
		},
		AdditionalParams: json.RawMessage(`{"k8s_cluster_installation_param":{"external_lb_param":{"ssh_cp_name":"lb_CP"}}}`),
		Stopped:          []lcm.StoppedVnfc{{VnfcID: "web-0"}},
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	_, err = b.Store.RecordDrift(t.Context(), id, lcm.DriftReport{
		ID: "1", CheckedAt: time.Now(), VirtualIPHolder: "cp-22222222",
		Findings: []lcm.DriftFinding{
			{Kind: lcm.DriftNodeNotReady, VnfcInstanceID: "33333333-x", Detail: "It is not Ready.", Remedy: lcm.RemedyVnfc},
			{Kind: lcm.DriftVirtualIPMissing, Detail: "Nobody has it.", Remedy: lcm.RemedyNone},
		},
	}, nil)
	require.NoError(t, err)

	doc := b.Do("GET", path, nil).Want(http.StatusOK)
	var shown []string
	for _, p := range doc["parts"].([]any) {
		part := p.(map[string]any)
		shown = append(
			shown,
			fmt.Sprintf("%s %s %s %t", part["role"], part["name"], part["health"], part["holdsVirtualIp"] == true),
		)
	}
	require.Equal(t, []string{
		"load-balancer lb-44444444 OK false", "control-plane cp-22222222 OK true",
		"worker worker-33333333 DRIFTED false", "object web-0 STOPPED false",
	}, shown)
	require.Len(t, doc["findings"], 1)
	require.Equal(t, []any{map[string]any{"server": "registry.example:5000", "connectionType": "2"}}, doc["registries"])
}

func TestTopology_hasTheLoadBalancerOfTheCloud(t *testing.T) {
	b := servertest.New(t)
	op := b.Operation(b.Began())
	id := op.VnfInstanceID
	inst, err := b.Store.Instance(t.Context(), id)
	require.NoError(t, err)
	vim := b.RegisterCluster("c")
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID:    "octavia",
		VnfState:     lcm.VnfStarted,
		ClusterVimID: lcm.VimID(vim),
		AdditionalParams: json.RawMessage(
			`{"k8s_cluster_installation_param":{"external_lb_param":{"octavia":{},"cluster_cp_name":"vip"}}}`,
		),
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	balancer := func() map[string]any {
		doc := b.Do("GET", "/windlass/v1/vnf_instances/"+string(id)+"/topology", nil).Want(http.StatusOK)
		require.Len(t, doc["parts"], 1)
		require.Empty(t, doc["findings"], "it is told of the load balancer")
		return doc["parts"].([]any)[0].(map[string]any)
	}
	require.Equal(t, map[string]any{
		"vnfcInstanceId": "", "name": "vnf-" + string(id), "role": "load-balancer", "vduId": "", "resourceId": "",
		"address": "192.0.2.6", "health": "UNKNOWN",
	}, balancer())
	b.Enter("/"+string(op.ID), lcm.Completed)
	require.Equal(t, "OK", balancer()["health"], "the operation has seen it work")
	for check, findings := range [][]lcm.DriftFinding{{}, {{Kind: lcm.DriftBalancerStatus, Detail: "It is in ERROR.", Remedy: lcm.RemedyNone}}} {
		_, err = b.Store.RecordDrift(t.Context(), id, lcm.DriftReport{
			ID: strconv.Itoa(check), CheckedAt: time.Now(), Findings: findings,
		}, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"OK", "DRIFTED"}[check], balancer()["health"])
		shown, _ := balancer()["findings"].([]any)
		require.Len(t, shown, len(findings))
	}
}
