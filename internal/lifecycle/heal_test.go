package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// TestHeal_keepsPortsAndVolumesUnlessTheRequestSaysOtherwise checks that a VNFC keeps its ports and volumes unless the
// request sets "all", as in SOL002 and Tacker. keep_volumes is about volumes only.
func TestHeal_keepsPortsAndVolumesUnlessTheRequestSaysOtherwise(t *testing.T) {
	f := equipped(t)
	for body, want := range map[string]lcm.Plan{
		`{"vnfcInstanceId":["worker-0"]}`:                                                             {Keepers: []string{"server-worker-0"}},
		`{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":false}}`:                            {Keepers: []string{"server-worker-0"}},
		`{"vnfcInstanceId":["worker-0"],"additionalParams":{"keep_volumes":true}}`:                    {Keepers: []string{"server-worker-0"}},
		`{"vnfcInstanceId":["worker-0"],"additionalParams":{"keep_volumes":false}}`:                   {LeavingVolumes: []string{"volume-worker-0"}},
		`{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":true}}`:                             {LeavingVolumes: []string{"volume-worker-0"}, LeavingPorts: []string{"port-worker-0"}},
		`{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":"true","keep_volumes":false}}`:      {LeavingVolumes: []string{"volume-worker-0"}, LeavingPorts: []string{"port-worker-0"}},
		`{"vnfcInstanceId":["worker-0","worker-1"],"additionalParams":{"all":false,"cause":"a fan"}}`: {Keepers: []string{"server-worker-0", "server-worker-1"}},
	} {
		p, err := planOf(f, lcm.OpHeal, json.RawMessage(body))
		require.NoError(t, err, body)
		require.True(t, p.Within, body)
		require.Equal(t, want, lcm.Plan{Keepers: p.Keepers, LeavingVolumes: p.LeavingVolumes, LeavingPorts: p.LeavingPorts},
			body)
		require.False(t, p.Revocable(), body)
	}
	for i := range f.Instance.Instantiated.VnfcResources {
		f.Instance.Instantiated.VnfcResources[i].StorageIDs = nil
	}
	p, err := planOf(f, lcm.OpHeal, json.RawMessage(`{"vnfcInstanceId":["worker-0"]}`))
	require.NoError(t, err)
	require.True(t, p.Revocable(), "without volumes nothing is deleted first")
	p, err = planOf(f, lcm.OpHeal,
		json.RawMessage(`{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":true}}`))
	require.NoError(t, err)
	require.False(t, p.Revocable(), "Heat takes addresses from ports that it replaces")
}

// TestHeal_ofEverythingIsInPlaceWhereStoragesAreNotReplaced checks that Tacker's v2 request without "all" replaces
// every server within the existing deployment.
func TestHeal_ofEverythingIsInPlaceWhereStoragesAreNotReplaced(t *testing.T) {
	f := equipped(t)
	f.Drivers = nil
	for body, wholes := range map[string][]bool{ // in v1 and in v2
		`{}`: {true, false}, `{"cause":"a","additionalParams":{"other":1}}`: {true, false},
		`{"additionalParams":{"all":true}}`: {true, true}, `{"additionalParams":{"keep_volumes":false}}`: {true, true},
		`{"additionalParams":{"all":false}}`: {false, false}, `{"additionalParams":{"keep_volumes":true}}`: {false, false},
	} {
		for i, whole := range wholes {
			f.APIVersion = i + 1
			requireWhole(t, f, body, whole)
		}
	}
}

func requireWhole(t *testing.T, f lifecycle.Facts, body string, whole bool) {
	t.Helper()
	p, err := planOf(f, lcm.OpHeal, json.RawMessage(body))
	require.NoError(t, err, body)
	require.Equal(t, []bool{whole, !whole}, []bool{p.Whole, p.Within}, body)
	require.Len(t, p.Leaving, len(f.Instance.Instantiated.VnfcResources))
	require.Equal(t, whole, len(p.Keepers) == 0)
	require.Empty(t, p.LeavingPorts)
	require.Empty(t, p.LeavingVolumes)
}

// TestHeal_ofAClusterIsNeverInPlace checks that a heal of the entire cluster makes it anew in both versions, because a
// cluster cannot lose all of its VMs at once.
func TestHeal_ofAClusterIsNeverInPlace(t *testing.T) {
	f := equipped(t)
	for f.APIVersion = range 3 {
		p, err := planOf(f, lcm.OpHeal, json.RawMessage(`{}`))
		require.NoError(t, err)
		require.True(t, p.Whole)
	}
}

// TestHeal_ofPodsDecidesNothingAboutTheirVolumes checks that a heal of Pods does not choose volumes, because a Pod gets
// its claims from its manifest.
func TestHeal_ofPodsDecidesNothingAboutTheirVolumes(t *testing.T) {
	f := repackaged()
	pod := &f.Instance.Instantiated.VnfcResources[0]
	pod.ComputeResource.ResourceID, pod.StorageIDs = "web-1", []string{"data-web-1"}
	f.Instance.Instantiated.Attached = []lcm.AttachedResource{
		{VnfcID: pod.ID, Type: lcm.GrantStorage, ResourceID: "data-web-1"},
		{VnfcID: pod.ID, Type: lcm.GrantLinkPort, ResourceID: "net1"},
	}
	for _, body := range []string{
		`{"vnfcInstanceId":["w1"]}`, `{"vnfcInstanceId":["w1"],"additionalParams":{"all":false}}`,
		`{"vnfcInstanceId":["w1"],"additionalParams":{"keep_volumes":true}}`,
		`{"vnfcInstanceId":["w2"],"additionalParams":{"all":true}}`,
	} {
		p, err := planOf(f, lcm.OpHeal, json.RawMessage(body))
		require.NoError(t, err, body)
		require.True(t, p.Within, body)
		require.Empty(t, append(append(p.Keepers, p.LeavingVolumes...), p.LeavingPorts...), body)
		steps := lifecycle.Steps(f, p)
		replacing := steps[len(steps)-2]
		require.Equal(t, lifecycle.StepReplaceContainers, replacing.ID)
		require.NotEmpty(t, replacing.Undo)
	}
	for member, body := range map[string]string{
		"all":          `{"vnfcInstanceId":["w1"],"additionalParams":{"all":true}}`,
		"keep_volumes": `{"vnfcInstanceId":["w1","w2"],"additionalParams":{"keep_volumes":false}}`,
	} {
		_, err := planOf(f, lcm.OpHeal, json.RawMessage(body))
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, "$.additionalParams."+member)
		require.ErrorContains(t, err, "get their former volumes")
	}
}
