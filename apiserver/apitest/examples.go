package apitest

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// At is the time of all events in the examples.
var At = time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.UTC)

// Instance returns an instantiated VNF instance.
func Instance() lcm.VnfInstance {
	return lcm.VnfInstance{
		ID: "0b2dd4c5-5b64-4a5e-8d5c-2e1f63b1f0aa", Name: "edge-1", Description: "north",
		VnfdID:   "b1bb0ce7-ebca-4fa7-95ed-4840d70a1177",
		VnfPkgID: "8b0a5d5e-4d59-4a3a-9b7d-7f0c1e110b0e",
		Provider: "Windlass", ProductName: "Kubernetes", SoftwareVersion: "1.34", VnfdVersion: "1.0",
		InstantiationState: lcm.Instantiated,
		Metadata:           map[string]any{"site": "north"},
		VimConnections: []lcm.VimConnectionInfo{
			{ID: "vim1", VimID: "7dc3c839-bf15-45ac-8dff-fc5b95c2940e", VimType: "openstack"},
			{
				ID: "vim2", VimID: "d24f9796-a8a9-4cb0-85ce-5920dcddafa1", VimType: "kubernetes",
				AccessInfo: map[string]any{"bearer_token": map[string]any{lcm.SecretKey: "vnf/x/token"}},
			},
		},
		Instantiated: &lcm.InstantiatedVnfInfo{
			FlavourID: "ha", VnfState: "STARTED", LocalizationLanguage: "de-AT", DeploymentID: "stack",
			ScaleStatus:    []lcm.ScaleInfo{{AspectID: "worker_instance"}},
			MaxScaleLevels: []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 48}},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{
				ID: "net", ResourceID: "network-1",
				ExtCps: []lcm.ExtCp{{CpdID: "masterNode_CP1", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}}}},
			}},
			ExtCps: []lcm.VnfExtCpInfo{{
				ID: "cp-1", CpdID: "masterNode_CP1", AssociatedVnfcCpID: "vnfc-cp-1", ExtLinkPortID: "port-1",
				PortType: "OS::Neutron::Port",
				CpProtocolInfo: lcm.ProtocolInfo("fa:16:3e:00:00:01", []lcm.FixedIP{{Address: "10.0.0.7", SubnetID: "subnet-1"}},
					nil),
			}},
			VnfcResources: []lcm.VnfcResourceInfo{{
				CpInfo: []lcm.VnfcCpInfo{{ID: "vnfc-cp-1", CpdID: "masterNode_CP1", VnfExtCpID: "cp-1"}},
				ID:     "r1", VduID: "workerNode", ZoneID: "nova", Metadata: map[string]any{"stack_id": "nested"},
				ComputeResource: lcm.ResourceHandle{
					VimConnectionID: "vim1", ResourceID: "server-1", VimLevelResourceType: "OS::Nova::Server",
				},
			}},
			ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{
				ID: "m1", VnfVirtualLinkDescID: "backbone", ResourceID: "net-7",
			}},
			VirtualLinks: []lcm.VnfVirtualLinkResourceInfo{{
				ID: "n1", VnfVirtualLinkDescID: "inner", NetworkResource: lcm.ResourceHandle{
					VimConnectionID: "vim1", ResourceID: "n1", VimLevelResourceType: "OS::Neutron::Net",
				},
				VnfLinkPorts: []lcm.VnfLinkPortInfo{{
					ID: "p2", ResourceHandle: lcm.ResourceHandle{
						VimConnectionID: "vim1", ResourceID: "p2", VimLevelResourceType: "OS::Neutron::Port",
					},
					CpInstanceID: "vnfc-cp-2", CpInstanceType: "VNFC_CP",
				}},
			}},
			VirtualStorages: []lcm.VirtualStorageResourceInfo{{
				ID: "s1", VirtualStorageDescID: "data", StorageResource: lcm.ResourceHandle{ResourceID: "volume-1"},
			}},
			AdditionalParams: json.RawMessage(`{"a":"b"}`), Nodes: lcm.Nodes{{Name: "worker-1"}},
		},
	}
}

// Operation returns an instantiation that has failed.
func Operation() lcm.VnfLcmOpOcc {
	return lcm.VnfLcmOpOcc{
		ID: "5d1cba62-5a3a-4d0c-a0c4-7f4e9b8b0a11", VnfInstanceID: "0b2dd4c5-5b64-4a5e-8d5c-2e1f63b1f0aa",
		Operation: lcm.OpInstantiate,
		State:     lcm.FailedTemp, StateEnteredTime: At.Add(time.Minute), StartTime: At,
		GrantID: "6f2a7c3e-9d59-5c0a-8a0e-0d3b1f0c9a10",
		Params: json.RawMessage(`{"flavourId":"ha","vimConnectionInfo":[{"id":"vim1","vimId":"7dc3c839-bf15-45ac-8dff-fc5b95c2940e","vimType":"openstack"}],
			"extVirtualLinks":[{"id":"a","resourceId":"b","extCps":[{"cpdId":"c","cpConfig":[{"linkPortId":"p"}]}]}],
			"additionalParams":{"password":{"$secret":"vnf/x/password"}}}`),
		APIVersion: 1, Error: &lcm.Error{
			Kind: lcm.KindBroken, Op: "join worker-1", Detail: "kubeadm's preflight failed",
			Problems: []lcm.Problem{
				{Path: "worker-1", Detail: "swap is on"},
				{Path: "worker-2", Detail: "port 10250 is in use"},
			},
		},
		ResourceChanges: &lcm.ResourceChanges{AffectedVnfcs: []lcm.AffectedVnfc{{
			ID: "r1", VduID: "workerNode", ChangeType: "ADDED",
			ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "server-1"},
			ZoneID:          "nova", AffectedVnfcCpIDs: []string{"vnfc-cp-1"}, AddedStorageResourceIDs: []string{"s1"},
		}}, AffectedVirtualLinks: []lcm.AffectedVirtualLink{{
			ID: "n1", VnfVirtualLinkDescID: "inner", VirtualLinkDescID: "inner", ChangeType: "LINK_PORT_ADDED",
			NetworkResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "n1"}, VnfLinkPortIDs: []string{"p2"},
		}}, AffectedExtLinkPorts: []lcm.AffectedExtLinkPort{{
			ID: "port-1", ChangeType: "ADDED", ExtCpInstanceID: "cp-1",
			ResourceHandle: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "port-1"},
		}}, AffectedVirtualStorages: []lcm.AffectedVirtualStorage{{
			ID: "s1", VirtualStorageDescID: "data", ChangeType: "ADDED",
			StorageResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "volume-1"},
		}}},
	}
}

// FullInstance returns an instance with every attribute that Windlass shows.
func FullInstance(vnfdID, pkg string) lcm.VnfInstance {
	inst := Instance()
	inst.ID, inst.VnfdID, inst.VnfPkgID = lcm.VnfInstanceID(uuid.NewString()), lcm.VnfdID(vnfdID), lcm.VnfPkgID(pkg)
	inst.Metadata = map[string]any{"site": "north", "since": "2030-01-02T03:04:05Z", "racks": []any{1.5, true}}
	inst.Extensions = map[string]any{"a": map[string]any{"x/y": "b"}}
	inst.ConfigurableProperties = map[string]any{"c": 7.0}
	for i := range inst.VimConnections {
		c := &inst.VimConnections[i]
		c.InterfaceInfo, c.AccessInfo = map[string]any{"endpoint": "http://192.0.2.5"}, map[string]any{"username": "nfv"}
		c.Extra = map[string]any{"region": "r"}
	}
	info := inst.Instantiated
	info.ScaleStatus[0].ScaleLevel = 2
	info.ExtCps = append(info.ExtCps, lcm.VnfExtCpInfo{ID: "cp-2", CpdID: "masterNode_CP1"},
		lcm.VnfExtCpInfo{ID: "cp-3", CpdID: "CP2", ExtLinkPortID: "given", PortID: "port-given"})
	info.VnfcResources[0].StorageIDs = []string{"s1"}
	info.VnfcResources[0].ConfigurableProperties = map[string]any{"log": map[string]any{"level": 3.0}}
	cp := &info.VnfcResources[0].CpInfo[0]
	cp.VnfLinkPortID, cp.CpProtocolInfo = "p2", info.ExtCps[0].CpProtocolInfo
	info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{ID: "r-2", VduID: "master-Node"})
	info.Stopped = []lcm.StoppedVnfc{{VnfcID: "r1"}}
	info.VirtualStorages[0].StorageResource = lcm.ResourceHandle{
		VimConnectionID: "vim1", ResourceID: "volume-1", VimLevelResourceType: "OS::Cinder::Volume",
	}
	info.ExtVirtualLinks = FullLinks()
	info.ExtManagedVirtualLinks = []lcm.ExtManagedVirtualLink{{
		ID: "m1", VnfVirtualLinkDescID: "inner", ResourceID: "net-9",
	}}
	return inst
}

// FullLinks returns links with every form of a connection point.
func FullLinks() []lcm.ExtVirtualLink {
	return []lcm.ExtVirtualLink{{ID: "l1", ResourceID: "net-1", ExtCps: []lcm.ExtCp{
		{CpdID: "CP/1", MAC: "fa:16:3e:00:00:09", FixedIPs: []lcm.FixedIP{
			{Address: "192.0.2.7", SubnetID: "sub-1"},
			{Address: "2001:db8::7"},
			{SubnetID: "sub-2"},
		}}, {CpdID: "CP2"}, {CpdID: "masterNode_CP1", Configs: []lcm.CpConfig{
			{Key: "CP/2"}, {
				Key: "key", MAC: "fa:16:3e:00:00:0a", LinkPort: &lcm.LinkPort{ID: "a-port", ResourceID: "port-a"},
				FixedIPs: []lcm.FixedIP{{Address: "192.0.2.8"}, {SubnetID: "sub-3", Dynamic: 3, IPv6: true}, {}},
			},
		}},
	}}}
}
