package lifecycle_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// zoned returns the facts of a VNF with each control plane in a zone of its own, and all workers in one zone.
func zoned(t *testing.T) lifecycle.Facts {
	f := cluster(t, 3, 4)
	list := f.Instance.Instantiated.VnfcResources
	for i := range list {
		list[i].ZoneID = "west"
		if list[i].VduID == "masterNode" {
			list[i].ZoneID = []string{"north", "south", "west"}[i]
		}
	}
	return f
}

func TestGranted_namesTheVeryServers(t *testing.T) {
	type want struct{ add, remove []string } // VDU, zone and replaced server; server, zone and reason
	for name, c := range map[string]struct {
		op   lcm.Operation
		body string
		want want
	}{
		"out, where the zone is clear": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`,
			want{add: []string{"add-workerNode-1 zone-west ", "add-workerNode-2 zone-west "}},
		},
		"out, where the VIM chooses": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"master_instance"}`,
			want{add: []string{"add-masterNode-1  ", "add-masterNode-2  "}},
		},
		"in": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":1}`,
			want{remove: []string{"server-worker-3 zone-west it is among the newest"}},
		},
		"heal": {
			lcm.OpHeal, `{"vnfcInstanceId":"cp-1"}`,
			want{
				add:    []string{"add-masterNode-1 zone-south cp-1"},
				remove: []string{"server-cp-1 zone-south the request names it"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := zoned(t)
			p, err := planOf(f, c.op, json.RawMessage(c.body))
			require.NoError(t, err)
			g := lifecycle.Granted(f, p, lcm.VimConnectionInfo{
				ID: "openstack", VimID: "vim-1", VimType: "openstack", AccessInfo: map[string]any{"password": "secret"},
			})
			require.Equal(t, []lcm.VimConnectionInfo{{ID: "openstack", VimID: "vim-1", VimType: "openstack"}}, g.VimConnections,
				"no credentials")
			var got want
			for _, r := range g.AddResources {
				require.Nil(t, r.Resource)
				if r.Type != lcm.GrantCompute {
					continue
				}
				got.add = append(got.add, r.ResourceDefinitionID+" "+r.ZoneID+" "+r.Replaces)
			}
			for _, r := range g.RemoveResources {
				got.remove = append(got.remove, r.Resource.ResourceID+" "+r.ZoneID+" "+r.Why)
			}
			require.Equal(t, c.want, got)
			for _, r := range append(g.AddResources, g.RemoveResources...) {
				if r.ZoneID != "" {
					require.Contains(t, g.Zones, lcm.GrantZone{
						ID: r.ZoneID, ZoneID: r.ZoneID[len("zone-"):], VimConnectionID: "openstack",
					})
				}
			}
		})
	}
}

func TestGranted_ofAnInstantiationAndATermination(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Instance.Instantiated = nil
	p, err := planOf(f, lcm.OpInstantiate, nil)
	require.NoError(t, err)
	g := lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	require.Len(t, ofType(g.AddResources, lcm.GrantCompute), 5)
	require.Len(t, ofType(g.AddResources, lcm.GrantLinkPort), 5)
	require.Empty(t, g.RemoveResources)

	f = zoned(t)
	p, err = planOf(f, lcm.OpTerminate, nil)
	require.NoError(t, err)
	g = lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	require.Empty(t, g.AddResources)
	require.Len(t, g.RemoveResources, 7)
	require.Len(t, g.Zones, 3)
}

// ofType returns the ids of the definitions of one type of resources.
func ofType(list []lcm.GrantResource, kind string) (ids []string) {
	for _, r := range list {
		if r.Type == kind {
			ids = append(ids, r.ResourceDefinitionID)
		}
	}
	return ids
}

// equipped adds to every worker a port and a volume, as members of a group.
func equipped(t *testing.T) lifecycle.Facts {
	f := zoned(t)
	flavour := *f.Flavour
	flavour.Storages = []descriptor.VirtualStorage{{ID: "disk"}}
	flavour.Vdus = slices.Clone(flavour.Vdus)
	for i := range flavour.Vdus {
		if flavour.Vdus[i].ID == "workerNode" {
			flavour.Vdus[i].Storages = []string{"disk"}
		}
	}
	f.Flavour = &flavour
	info := f.Instance.Instantiated
	info.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "workerNode_CP2"}},
	}}
	for i, v := range info.VnfcResources {
		if v.VduID != "workerNode" {
			continue
		}
		info.VnfcResources[i].Metadata = map[string]any{"stack_id": "member", lcm.CreationTime: v.Metadata[lcm.CreationTime]}
		info.VnfcResources[i].StorageIDs = []string{"volume-" + v.ID}
		info.Attached = append(info.Attached,
			lcm.AttachedResource{
				VnfcID: v.ID, Type: lcm.GrantStorage, TemplateID: "disk", ResourceID: "volume-" + v.ID,
				VimType: "OS::Cinder::Volume",
			},
			lcm.AttachedResource{VnfcID: v.ID, Type: lcm.GrantLinkPort, TemplateID: "workerNode_CP2", ResourceID: "port-" +
				v.ID},
		)
	}
	return f
}

func TestGranted_namesVolumesAndPorts(t *testing.T) {
	f := equipped(t)
	of := func(op lcm.Operation, body string) lcm.Grant {
		t.Helper()
		p, err := planOf(f, op, json.RawMessage(body))
		require.NoError(t, err)
		return lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	}
	g := of(lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	require.Equal(t, []lcm.GrantResource{
		{
			ResourceDefinitionID: "add-workerNode-1", VimConnectionID: "openstack", ZoneID: "zone-west", Type: "COMPUTE",
			VduID: "workerNode", ResourceTemplateID: "workerNode",
		},
		{
			ResourceDefinitionID: "add-workerNode-1-disk", VimConnectionID: "openstack", Type: "STORAGE", VduID: "workerNode",
			ResourceTemplateID: "disk",
		},
		{
			ResourceDefinitionID: "add-workerNode-1-workerNode_CP2", VimConnectionID: "openstack", Type: "LINKPORT",
			VduID: "workerNode", ResourceTemplateID: "workerNode_CP2",
		},
	}, g.AddResources)

	g = of(lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	require.Equal(t, []string{"remove-volume-worker-3"}, ofType(g.RemoveResources, lcm.GrantStorage))
	require.Equal(t, []string{"remove-port-worker-3"}, ofType(g.RemoveResources, lcm.GrantLinkPort))
	require.Equal(t, &lcm.ResourceHandle{ResourceID: "volume-worker-3", VimLevelResourceType: "OS::Cinder::Volume"},
		g.RemoveResources[1].Resource)
	require.Equal(t, "worker-3", g.RemoveResources[1].VnfcInstanceID)

	g = of(lcm.OpHeal, `{"vnfcInstanceId":["worker-0","cp-1"]}`)
	require.Equal(t, []string{"add-workerNode-1", "add-masterNode-1"}, ofType(g.AddResources, lcm.GrantCompute))
	require.Empty(t, ofType(g.AddResources, lcm.GrantLinkPort), "a server that is healed keeps its own")
	require.Empty(t, ofType(g.AddResources, lcm.GrantStorage))
	g = of(lcm.OpHeal, `{"vnfcInstanceId":["worker-0","cp-1"],"additionalParams":{"all":true}}`)
	require.Equal(t, []string{"remove-port-worker-0"}, ofType(g.RemoveResources, lcm.GrantLinkPort))
	require.Equal(t, []string{"remove-volume-worker-0"}, ofType(g.RemoveResources, lcm.GrantStorage))
	require.Equal(t, []string{"add-workerNode-1-workerNode_CP2"}, ofType(g.AddResources, lcm.GrantLinkPort))
	require.Len(t, ofType(g.AddResources, lcm.GrantStorage), 1)

	f.Instance.Instantiated.Attached = nil
	g = of(lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	require.Equal(t, []string{"remove-volume-worker-3"}, ofType(g.RemoveResources, lcm.GrantStorage),
		"what was recorded before ports were")
}

func TestGranted_namesWhatIsUpdated(t *testing.T) {
	f := equipped(t)
	f.Drivers = nil
	of := func(op lcm.Operation, body string) lcm.Grant {
		t.Helper()
		p, err := planOf(f, op, json.RawMessage(body))
		require.NoError(t, err)
		return lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	}
	g := of(lcm.OpOperate, `{"changeStateTo":"STOPPED","vnfcInstanceId":["worker-1"]}`)
	require.Empty(t, g.AddResources)
	require.Empty(t, g.RemoveResources)
	require.Equal(t, []lcm.GrantResource{{
		ResourceDefinitionID: "update-worker-1", VimConnectionID: "openstack", ZoneID: "zone-west", Type: "COMPUTE",
		VduID: "workerNode", ResourceTemplateID: "workerNode", VnfcInstanceID: "worker-1",
		Resource: &lcm.ResourceHandle{ResourceID: "server-worker-1"}, Node: "worker-1",
	}}, g.UpdateResources)

	links := func(network, address string) string {
		return `{"extVirtualLinks":[{"id":"b","resourceId":"` + network + `","extCps":[{"cpdId":"workerNode_CP2","cpConfig":[{"cpProtocolData":[
			{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[{"type":"IPV4","subnetId":"` + address + `"}]}}]}]}]}]}`
	}
	g = of(lcm.OpChangeExtConn, links("net-b", ""))
	require.Len(t, ofType(g.UpdateResources, lcm.GrantCompute), 4)
	require.Equal(t, "remove-port-worker-0", ofType(g.RemoveResources, lcm.GrantLinkPort)[0],
		"on another network the port is another one")
	require.Equal(t, "add-worker-0-workerNode_CP2", ofType(g.AddResources, lcm.GrantLinkPort)[0])
	require.Empty(t, ofType(g.UpdateResources, lcm.GrantLinkPort))

	g = of(lcm.OpChangeExtConn, links("net-a", "other"))
	require.Empty(t, append(g.AddResources, g.RemoveResources...))
	require.Equal(t, "update-port-worker-0", ofType(g.UpdateResources, lcm.GrantLinkPort)[0])
	require.Len(t, ofType(g.UpdateResources, lcm.GrantCompute), 4)

	g = of(lcm.OpChangeExtConn, links("net-a", ""))
	require.Empty(t, g.UpdateResources, "nothing but the link's name")
}

// linked adds one internal network, and another one for every worker.
func linked(t *testing.T) lifecycle.Facts {
	f := equipped(t)
	flavour := *f.Flavour
	flavour.VirtualLinks = []descriptor.VirtualLink{
		{ID: "inner", Made: true},
		{ID: "private", Made: true, VduID: "workerNode"},
		{ID: "elsewhere"},
	}
	f.Flavour = &flavour
	info := f.Instance.Instantiated
	info.Attached = append(info.Attached, lcm.AttachedResource{
		Type: lcm.GrantLink, TemplateID: "inner", ResourceID: "net-inner", VimType: "OS::Neutron::Net",
	})
	for _, v := range info.VnfcResources {
		if v.VduID == "workerNode" {
			info.Attached = append(info.Attached, lcm.AttachedResource{
				VnfcID: v.ID, Type: lcm.GrantLink, TemplateID: "private", ResourceID: "net-" + v.ID,
			})
		}
	}
	return f
}

func TestGranted_namesTheNetworksOfTheVNF(t *testing.T) {
	f := linked(t)
	of := func(op lcm.Operation, body string) lcm.Grant {
		t.Helper()
		p, err := planOf(f, op, json.RawMessage(body))
		require.NoError(t, err)
		return lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	}
	out := of(lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	require.Equal(t, []string{"add-workerNode-1-private"}, ofType(out.AddResources, lcm.GrantLink))
	in := of(lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	require.Equal(t, []string{"remove-net-worker-3"}, ofType(in.RemoveResources, lcm.GrantLink), "the VNF's own stays")

	healed := of(lcm.OpHeal, `{"vnfcInstanceId":["worker-0"]}`)
	require.Empty(t, ofType(append(healed.RemoveResources, healed.AddResources...), lcm.GrantLink),
		"the server alone is replaced")

	whole := of(lcm.OpHeal, `{"additionalParams":{"all":true}}`)
	require.Contains(t, ofType(whole.RemoveResources, lcm.GrantLink), "remove-net-inner")
	require.Contains(t, ofType(whole.AddResources, lcm.GrantLink), "add-inner")

	p, err := planOf(f, lcm.OpTerminate, nil)
	require.NoError(t, err)
	gone := lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	require.Len(t, ofType(gone.RemoveResources, lcm.GrantLink), 5)
	require.Equal(t, lcm.GrantResource{
		ResourceDefinitionID: "remove-net-inner", VimConnectionID: "openstack", Type: "VL",
		Resource: &lcm.ResourceHandle{ResourceID: "net-inner", VimLevelResourceType: "OS::Neutron::Net"},
	}, gone.RemoveResources[0])

	f.Instance.Instantiated = nil
	made := func() lcm.Grant {
		p, err := planOf(f, lcm.OpInstantiate, nil)
		require.NoError(t, err)
		return lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	}
	require.Equal(t, []string{"add-inner", "add-workerNode-1-private", "add-workerNode-2-private"},
		ofType(made().AddResources, lcm.GrantLink))
	f.Managed = []lcm.ExtManagedVirtualLink{{VnfVirtualLinkDescID: "inner", ResourceID: "net"}}
	require.NotContains(t, ofType(made().AddResources, lcm.GrantLink), "add-inner")
}

// rated sets a bit rate of the workers' network, which a template uses.
func rated(t *testing.T) lifecycle.Facts {
	f := linked(t)
	flavour := *f.Flavour
	flavour.VirtualLinks = slices.Clone(flavour.VirtualLinks)
	flavour.VirtualLinks[0].InitialBitrate, flavour.VirtualLinks[0].Rated = &descriptor.Bitrate{Root: 1000}, true
	flavour.Aspects = append(slices.Clone(flavour.Aspects), descriptor.ScalingAspect{
		ID: "bandwidth", MaxScaleLevel: 2, StepDeltas: []string{"more"},
		Bitrates: map[string]map[string]descriptor.Bitrate{"inner": {"more": {Root: 500}}},
	})
	f.Flavour = &flavour
	return f
}

func TestScale_ofBitratesAlone(t *testing.T) {
	f := rated(t)
	p, err := planOf(f, lcm.OpScale,
		json.RawMessage(`{"type":"SCALE_OUT","aspectId":"bandwidth","numberOfSteps":2}`))
	require.NoError(t, err)
	require.True(t, p.Bitrates)
	require.True(t, p.OnlyBitrates())
	require.Empty(t, p.Groups)
	g := lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	require.Empty(t, append(g.AddResources, g.RemoveResources...))
	require.Equal(t, []lcm.GrantResource{{
		ResourceDefinitionID: "update-net-inner", VimConnectionID: "openstack", Type: "VL", ResourceTemplateID: "inner",
		Resource: &lcm.ResourceHandle{ResourceID: "net-inner", VimLevelResourceType: "OS::Neutron::Net"},
	}}, g.UpdateResources)
	var titles []string
	for _, s := range lifecycle.Steps(f, p) {
		titles = append(titles, s.Title)
	}
	require.Contains(t, titles, "Change the bit rates of the virtual links")

	p, err = planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance"}`))
	require.NoError(t, err)
	require.False(t, p.Bitrates)
	f.Flavour.VirtualLinks[0].Rated = false
	p, err = planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_OUT","aspectId":"bandwidth"}`))
	require.NoError(t, err)
	require.False(t, p.Bitrates, "no template takes them")
}
