package lifecycle_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// withStorage returns the facts of a cluster with a storage server; recorded is set when its volumes are recorded.
func withStorage(t *testing.T, recorded bool) lifecycle.Facts {
	t.Helper()
	f := cluster(t, 3, 2)
	flavour := *f.Flavour
	flavour.Vdus = append(flavour.Vdus, descriptor.Vdu{ID: "storage_server"})
	flavour.Cps = append(flavour.Cps, descriptor.VduCp{ID: "storage_CP", VduID: "storage_server"})
	flavour.Aspects = append(flavour.Aspects, descriptor.ScalingAspect{
		ID: "storage", MaxScaleLevel: 2, StepDeltas: []string{"one"},
		Deltas: map[string]map[string]int{"storage_server": {"one": 1}},
	})
	f.Flavour = &flavour
	f.Drivers[0].(*kubeadm.Installer).Params.StorageServer = &k8s.StorageServerParams{SSHCpName: "storage_CP", NicCpName: "storage_CP"}
	info := f.Instance.Instantiated
	info.ScaleStatus = append(info.ScaleStatus, lcm.ScaleInfo{AspectID: "storage"})
	info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
		ID: "nfs", VduID: "storage_server", ComputeResource: lcm.ResourceHandle{ResourceID: "server-nfs"},
		StorageIDs: []string{"volume-1", "boot"},
	})
	if recorded {
		info.Storage = &lcm.StorageServer{
			Node:    lcm.Node{Name: "storage-1", Role: lcm.Storage, ServerID: "server-nfs"},
			Volumes: []lcm.StorageVolume{{ResourceID: "v", VolumeID: "volume-1"}},
		}
	}
	return f
}

func TestHeal_ofTheStorageServerSaysWhatBecomesOfTheVolumes(t *testing.T) {
	for name, c := range map[string]struct {
		body     string
		recorded bool
		replaces bool
		volumes  []string
		keeps    bool
		refusal  string
	}{
		"replaced":               {`{"vnfcInstanceId":["nfs"]}`, true, true, []string{"volume-1"}, false, ""},
		"replaced, little known": {`{"vnfcInstanceId":["nfs"]}`, false, true, []string{"volume-1", "boot"}, false, ""},
		"kept": {
			`{"vnfcInstanceId":["nfs"],"additionalParams":{"keep_volumes":true}}`, true, true, nil,
			true, "",
		},
		"kept, with a worker": {
			`{"vnfcInstanceId":["nfs","worker-0"],"additionalParams":{"keep_volumes":"true"}}`, true,
			true, nil, true, "",
		},
		"another VNFC": {`{"vnfcInstanceId":["worker-0"]}`, true, false, nil, false, ""},
		"everything":   {`{}`, true, true, nil, false, ""},
		"everything, kept": {
			`{"additionalParams":{"keep_volumes":true}}`, true, true, nil, false,
			"heal the storage server alone",
		},
		"another VNFC, kept": {
			`{"vnfcInstanceId":["worker-0"],"additionalParams":{"keep_volumes":true}}`, true, false,
			nil, false, "",
		},
		"no volume, kept": {
			`{"vnfcInstanceId":["cp-0"],"additionalParams":{"keep_volumes":true}}`, true, false, nil,
			false, "has volumes to keep",
		},
		"all is not replaced": {`{"vnfcInstanceId":["nfs"],"additionalParams":{"all":false}}`, true, true, nil, true, ""},
		"all is replaced": {
			`{"vnfcInstanceId":["nfs"],"additionalParams":{"all":"true"}}`, true, true,
			[]string{"volume-1"},
			false, "",
		},
		"both say the same": {
			`{"vnfcInstanceId":["nfs"],"additionalParams":{"all":false,"keep_volumes":true}}`, true,
			true, nil, true, "",
		},
		"everything, all": {`{"additionalParams":{"all":true}}`, true, true, nil, false, ""},
		"everything, not all": {
			`{"additionalParams":{"all":false}}`, true, true, nil, false,
			"to keep the rest, name the VNFCs to heal",
		},
		"no volume, not all": {
			`{"vnfcInstanceId":["cp-0"],"additionalParams":{"all":false}}`, true, false, nil, false,
			"",
		},
		"no volume, all": {
			`{"vnfcInstanceId":["cp-0"],"additionalParams":{"all":true}}`, true, false, nil, false,
			"",
		},
		"a volume handed over": {
			`{"vnfcInstanceId":["nfs","worker-1"],"additionalParams":{"all":true}}`, true, true,
			[]string{"volume-1", "volume-w"},
			false, "",
		},
		"handed over, not all": {
			`{"vnfcInstanceId":["worker-1"],"additionalParams":{"all":false}}`, true, false, nil,
			false, "",
		},
		"a member's volume": {
			`{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":true}}`, true, false,
			[]string{"volume-m"},
			false, "",
		},
		"a member's, not all": {
			`{"vnfcInstanceId":["nfs","worker-0"],"additionalParams":{"all":false}}`, true, true, nil,
			true, "",
		},
		"a member's, no word": {`{"vnfcInstanceId":["worker-0"]}`, true, false, nil, false, ""},
		"nothing is to be kept": {
			`{"vnfcInstanceId":["worker-0"],"additionalParams":{"keep_volumes":false}}`, true, false,
			[]string{"volume-m"},
			false, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := withStorage(t, c.recorded)
			for i, v := range f.Instance.Instantiated.VnfcResources {
				vnfc := &f.Instance.Instantiated.VnfcResources[i]
				switch v.ID {
				case "worker-0": // its server is in a nested stack
					vnfc.StorageIDs, vnfc.Metadata = []string{"volume-m"}, map[string]any{"stack_id": "nested"}
				case "worker-1": // its server is a resource of the stack itself
					vnfc.StorageIDs, vnfc.Metadata = []string{"volume-w"}, nil
				}
			}
			p, err := planOf(f, lcm.OpHeal, json.RawMessage(c.body))
			if c.refusal != "" {
				require.ErrorContains(t, err, c.refusal)
				require.True(t, lcm.Is(err, lcm.KindInvalid))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.replaces, slices.Contains(p.LeavingServers(), f.Drivers[0].(*kubeadm.Installer).StorageServer(f).Node.ServerID))
			require.Equal(t, c.volumes, p.LeavingVolumes)
			require.Equal(t, c.keeps, p.KeepVolumes)
		})
	}
	without := cluster(t, 3, 2)
	require.Nil(t, without.Drivers[0].(*kubeadm.Installer).StorageServer(without), "most clusters have none")
}

func TestScale_refusesTheStorageServer(t *testing.T) {
	f := withStorage(t, true)
	for op, body := range map[lcm.Operation]string{
		lcm.OpScale:        `{"type":"SCALE_OUT","aspectId":"storage"}`,
		lcm.OpScaleToLevel: `{"scaleInfo":[{"aspectId":"storage","scaleLevel":1}]}`,
	} {
		_, err := planOf(f, op, json.RawMessage(body))
		require.ErrorContains(t, err, "The VDU storage_server keeps its number of servers; the storage server cannot be "+
			"scaled")
	}
	_, err := planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_OUT","aspectId":"storage_server"}`))
	require.ErrorContains(t, err, "cannot be scaled: its volumes are attached to one server")
	p, err := planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance"}`))
	require.NoError(t, err, "workers can")
	require.Len(t, p.Groups, 1)
}

// TestGranted_namesTheVolumesThatAreReplaced checks that a grant names replaced volumes as removed and added, but not
// volumes that stay.
func TestGranted_namesTheVolumesThatAreReplaced(t *testing.T) {
	f := withStorage(t, true)
	storages := func(list []lcm.GrantResource) (ids []string) {
		for _, r := range list {
			if r.Type == lcm.GrantStorage {
				ids = append(ids, r.ResourceDefinitionID)
			}
		}
		return ids
	}
	for body, want := range map[string][2][]string{
		`{"vnfcInstanceId":["nfs"]}`: {
			{"remove-volume-1"},
			{"add-storage_server-1-volume-1"},
		},
		`{"vnfcInstanceId":["nfs"],"additionalParams":{"keep_volumes":true}}`: {},
	} {
		p, err := planOf(f, lcm.OpHeal, json.RawMessage(body))
		require.NoError(t, err)
		g := lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "vim"})
		require.Equal(t, want, [2][]string{storages(g.RemoveResources), storages(g.AddResources)}, body)
	}
}
