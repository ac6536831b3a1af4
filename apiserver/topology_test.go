package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestTopology_tellsWhereAndHowLarge has a VNF with everything that its record and its VNFD tell beside the parts.
func TestTopology_tellsWhereAndHowLarge(t *testing.T) {
	b := newBench(t)
	path := b.running("/vnflcm/v2")
	inst := b.instance(path)
	vim, cluster := b.registerVim("north", false), b.registerCluster("edge")
	inst.VimConnections = []lcm.VimConnectionInfo{
		{ID: "own", VimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3", InterfaceInfo: map[string]any{"endpoint": "http://192.0.2.8/v3"}},
		{ID: "vim1", VimID: lcm.VimID(vim), VimType: "openstack"},
		{ID: "edge", VimID: lcm.VimID(cluster), VimType: "kubernetes"},
	}
	i := inst.Instantiated
	i.ClusterVimID = lcm.VimID(cluster)
	i.MaxScaleLevels = []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 8}}
	i.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "outside", ResourceID: "net0", ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1"}}}}
	i.ExtManagedVirtualLinks = []lcm.ExtManagedVirtualLink{{ID: "given", VnfVirtualLinkDescID: "internalVL", ResourceID: "net1"}}
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
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))

	doc := b.do("GET", "/windlass/v1/vnf_instances/"+string(inst.ID)+"/topology", nil).want(http.StatusOK)
	require.Equal(t, []any{
		map[string]any{"vimConnectionId": "own", "vimType": "ETSINFV.OPENSTACK_KEYSTONE.V_3", "address": "http://192.0.2.8/v3"},
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
	require.Equal(t, []any{1.0, 5.0, []any{"masterNode"}}, []any{masters["scaleLevel"], masters["vnfcs"], masters["vduIds"]})
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
