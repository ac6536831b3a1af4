package apiserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares the JSON form of v with a file that a reader of the standard would recognise.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	doc, err := json.Marshal(v)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, secrets.MaskDocument(doc), "", "  "))
	got.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

var at = time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.UTC)

func exampleInstance() lcm.VnfInstance {
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
			FlavourID: "ha", VnfState: "STARTED", LocalizationLanguage: "de-AT", StackID: "stack",
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
					VimConnectionID: "vim1", ResourceID: "server-1",
					VimLevelResourceType: "OS::Nova::Server",
				},
			}},
			ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{
				ID: "m1", VnfVirtualLinkDescID: "backbone",
				ResourceID: "net-7",
			}},
			VirtualLinks: []lcm.VnfVirtualLinkResourceInfo{{
				ID: "n1", VnfVirtualLinkDescID: "inner", NetworkResource: lcm.ResourceHandle{
					VimConnectionID: "vim1",
					ResourceID:      "n1", VimLevelResourceType: "OS::Neutron::Net",
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

func exampleOperation() lcm.VnfLcmOpOcc {
	return lcm.VnfLcmOpOcc{
		ID: "5d1cba62-5a3a-4d0c-a0c4-7f4e9b8b0a11", VnfInstanceID: "0b2dd4c5-5b64-4a5e-8d5c-2e1f63b1f0aa",
		Operation: lcm.OpInstantiate,
		State:     lcm.FailedTemp, StateEnteredTime: at.Add(time.Minute), StartTime: at,
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

func TestResourcesLookAsTheStandardSaysInBothVersions(t *testing.T) {
	for _, d := range []*dialect{&dialectV1, &dialectV2} {
		suffix := map[int]string{1: "_v1", 2: "_v2"}[d.number]
		golden(t, "vnf_instance"+suffix, d.vnfInstance(endpoint, exampleInstance()))
		opOcc, err := d.opOcc(endpoint, exampleOperation())
		require.NoError(t, err)
		golden(t, "vnf_lcm_op_occ"+suffix, opOcc)
	}
}

func TestAForcefulCancelUnderWayHasNoLinkToAnother(t *testing.T) {
	o := exampleOperation()
	o.State = lcm.Processing
	for mode, linked := range map[lcm.CancelMode]bool{"": true, lcm.Graceful: true, lcm.Forceful: false} {
		o.IsCancelPending, o.CancelMode = mode != "", mode
		v, err := dialectV2.opOcc(endpoint, o)
		require.NoError(t, err)
		if linked {
			require.Contains(t, v.Links, "cancel")
		} else {
			require.NotContains(t, v.Links, "cancel", "it would be a 409")
		}
	}
}

func TestParametersSurviveTheWayThroughTheOtherVersion(t *testing.T) {
	there, err := dialectV2.operationParams(exampleOperation().Params)
	require.NoError(t, err)
	back, err := dialectV1.operationParams(there)
	require.NoError(t, err)
	require.Contains(t, string(there), `"vimConnectionInfo":{"vim1":`)
	require.Contains(t, string(back), `"vimConnectionInfo":[{"id":"vim1"`)
	none, err := dialectV1.operationParams(nil)
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestPackagesVimsAndStepsLookAsClientsExpect(t *testing.T) {
	s := &Server{base: endpoint}
	golden(t, "vnf_package", s.viewOfPackage(lcm.VnfPkg{
		ID: "8b0a5d5e-4d59-4a3a-9b7d-7f0c1e110b0e", OnboardingState: lcm.PkgOnboarded, OperationalState: lcm.PkgEnabled,
		UsageState: lcm.PkgInUse, VnfdID: "b1bb0ce7", Provider: "Windlass", ProductName: "Kubernetes",
		SoftwareVersion: "1.34",
		VnfdVersion:     "1.0", ChecksumAlgo: "SHA-256", Checksum: "00ff", UserDefinedData: map[string]any{"site": "north"},
		Artifacts: []lcm.PkgArtifact{{Path: "BaseHOT/ha.yaml", Size: 5, Algorithm: "SHA-256", Hash: "ff00"}},
		Warnings:  []lcm.Problem{{Path: "TOSCA.meta:7", Detail: "names an absent file"}},
	}))
	golden(t, "vim", viewOfVim(lcm.Vim{
		ID: "7dc3c839-bf15-45ac-8dff-fc5b95c2940e", Name: "lab", Type: lcm.VimOpenStack,
		AuthURL:  "http://192.0.2.5/identity/v3",
		AuthCred: map[string]any{"username": "nfv", "password": map[string]any{lcm.SecretKey: "vim/x/password"}},
		Project:  map[string]any{"name": "nfv"}, Regions: []string{"RegionOne"}, IsDefault: true, Status: "REACHABLE",
		Created: at, Updated: at.Add(time.Hour),
	}))
	golden(t, "step", viewOfStep(lcm.Step{
		Index: 6, Phase: lcm.PhaseForward, Title: "Join the workers", Node: "worker-1", State: lcm.StepFailed, Attempt: 2,
		Started: at, Ended: at.Add(time.Minute), Error: lcm.Errorf(lcm.KindExhausted, "worker-1: the disk is full"),
		LastLine: "no space left",
	}))
}

func FuzzRequestBodiesNeverPanic(f *testing.F) {
	f.Add([]byte(`{"flavourId":"ha","vimConnectionInfo":[{"id":"a"}],"extVirtualLinks":[{"id":1}]}`))
	f.Add([]byte(`{"flavourId":"ha","vimConnectionInfo":{"a":{"vimType":"x"}},"additionalParams":{"k8s_cluster_installation_param":{}}}`))
	f.Add([]byte(`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":1e400}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range []*dialect{&dialectV1, &dialectV2} {
			if d.checkInstantiate(body) == nil {
				_, err := lcm.ParseInstantiate(body)
				require.NoError(t, err, "what was checked can be read")
			}
			_ = d.checkTerminate(body)
			if _, err := d.operationParams(body); err != nil {
				require.NotEmpty(t, err.Error())
			}
		}
	})
}
