package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// cluster returns the facts of the sample VNF with these numbers of control planes and workers, the first of each being
// the oldest.
func cluster(t require.TestingT, controlPlanes, workers int) lifecycle.Facts {
	b, err := os.ReadFile("../../vnfpkg/testdata/k8s-ha.vnfd.json")
	require.NoError(t, err)
	var vnfd descriptor.Vnfd
	require.NoError(t, json.Unmarshal(b, &vnfd))
	flavour, err := vnfd.Flavour("ha")
	require.NoError(t, err)
	info := lcm.InstantiatedVnfInfo{ScaleStatus: []lcm.ScaleInfo{
		{AspectID: "master_instance", ScaleLevel: (controlPlanes - 3) / 2},
		{AspectID: "worker_instance", ScaleLevel: workers - 2},
	}}
	add := func(vdu, kind string, role lcm.Role, n int) {
		for i := range n {
			id := fmt.Sprintf("%s-%d", kind, i)
			info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
				ID: id, VduID: vdu, ComputeResource: lcm.ResourceHandle{ResourceID: "server-" + id},
				Metadata: map[string]any{lcm.CreationTime: fmt.Sprintf("2026-01-01T00:00:%02dZ", i)},
			})
			info.Nodes = append(info.Nodes, lcm.Node{Name: id, Role: role, ServerID: "server-" + id})
		}
	}
	add("masterNode", "cp", lcm.ControlPlane, controlPlanes)
	add("workerNode", "worker", lcm.Worker, workers)
	return lifecycle.Facts{
		Flavour: flavour, Instance: lcm.VnfInstance{Instantiated: &info}, Unhealthy: map[string]string{},
		Drivers: []lifecycle.VnfDriver{kubeadm.New(k8s.Params{
			MasterNode: k8s.NodeParams{AspectID: "master_instance", SSHCpName: "masterNode_CP1"},
		})},
	}
}

func leaving(p lcm.Plan) (names []string) {
	for _, l := range p.Leaving {
		names = append(names, l.Node)
	}
	return names
}

func TestFor_whatIsPossible(t *testing.T) {
	for name, c := range map[string]struct {
		op      lcm.Operation
		body    string
		groups  []lcm.GroupChange
		leaving []string
	}{
		"out": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`,
			[]lcm.GroupChange{{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 6}},
			nil,
		},
		"a step without a number, and a number as Tacker's guides write it": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":"1"}`,
			[]lcm.GroupChange{{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 3}},
			[]string{"worker-3"},
		},
		"control planes come in twos": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"master_instance"}`,
			[]lcm.GroupChange{{AspectID: "master_instance", VduID: "masterNode", From: 5, To: 7}},
			nil,
		},
		"in, oldest": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":2,"additionalParams":{"scale_in_policy":"oldest"}}`,
			[]lcm.GroupChange{{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 2}},
			[]string{"worker-0", "worker-1"},
		},
		"in, named": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":["workerNode-worker-2"]}}`,
			[]lcm.GroupChange{{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 3}},
			[]string{"worker-2"},
		},
		"to a level: both aspects, one in and one out": {
			lcm.OpScaleToLevel, `{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":0},{"aspectId":"worker_instance","scaleLevel":3}]}`,
			[]lcm.GroupChange{
				{AspectID: "master_instance", VduID: "masterNode", From: 5, To: 3},
				{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 5},
			},
			[]string{"cp-4", "cp-3"},
		},
		"to a level by name": {
			lcm.OpScaleToLevel, `{"instantiationLevelId":"instantiation_level_1"}`,
			[]lcm.GroupChange{
				{AspectID: "master_instance", VduID: "masterNode", From: 5, To: 3},
				{AspectID: "worker_instance", VduID: "workerNode", From: 4, To: 2},
			},
			[]string{"cp-4", "cp-3", "worker-3", "worker-2"},
		},
		"where it is already": {
			lcm.OpScaleToLevel, `{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":2}]}`, nil,
			nil,
		},
		"heal, a bare string": {lcm.OpHeal, `{"vnfcInstanceId":"worker-1"}`, nil, []string{"worker-1"}},
		"heal, two of five": {
			lcm.OpHeal, `{"vnfcInstanceId":["cp-0","server-cp-4","cp-0"]}`, nil,
			[]string{"cp-0", "cp-4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planOf(cluster(t, 5, 4), c.op, json.RawMessage(c.body))
			require.NoError(t, err)
			require.Equal(t, c.groups, p.Groups)
			require.Equal(t, c.leaving, leaving(p))
			require.False(t, p.Whole)
		})
	}
}

func TestFor_whatIsNot(t *testing.T) {
	for name, c := range map[string]struct {
		op   lcm.Operation
		body string
		says string
	}{
		"everything wrong": {
			lcm.OpScale, `{"type":"UP","aspectId":"x","numberOfSteps":0}`,
			`(?s)\$\.type.*\$\.aspectId.*master_instance, worker_instance.*\$\.numberOfSteps`,
		},
		"not a number": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":"two"}`,
			"malformed",
		},
		"above the most": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"master_instance","numberOfSteps":3}`,
			"level 1 of at most 2",
		},
		"below nothing": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":9}`,
			"level 2: 9 steps in",
		},
		"unknown VNFC": {
			lcm.OpScale,
			`{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":["worker-1","nobody"]}}`,
			`vnfc_instance_ids\[1\].*nobody`,
		},
		"too many named": {
			lcm.OpScale,
			`{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":["worker-1","worker-2"]}}`,
			"removes 1 VMs of workerNode, but names 2",
		},
		"of another aspect": {
			lcm.OpScale,
			`{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":["worker-1","cp-0"]}}`,
			"names VMs that it does not remove",
		},
		"policy": {
			lcm.OpScale,
			`{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"scale_in_policy":"random"}}`,
			"newest or oldest",
		},
		"level and info": {lcm.OpScaleToLevel, `{}`, "either instantiationLevelId or scaleInfo"},
		"no such level":  {lcm.OpScaleToLevel, `{"instantiationLevelId":"huge"}`, `\$\.instantiationLevelId.*huge`},
		"a level out of bounds": {
			lcm.OpScaleToLevel,
			`{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":9},{"aspectId":"y","scaleLevel":1}]}`,
			`(?s)scaleInfo\[0\].*between 0 and 2.*scaleInfo\[1\]`,
		},
		"heal a stranger":     {lcm.OpHeal, `{"vnfcInstanceId":["nobody"]}`, `\$\.vnfcInstanceId\[0\].*nobody`},
		"heal without quorum": {lcm.OpHeal, `{"vnfcInstanceId":["cp-0","cp-1","cp-2"]}`, "no quorum"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := planOf(cluster(t, 5, 4), c.op, json.RawMessage(c.body))
			require.Error(t, err)
			require.Regexp(t, c.says, lcm.Sentence(err))
			require.Contains(t, []lcm.ErrorKind{lcm.KindInvalid, lcm.KindConflict}, lcm.KindOf(err))
		})
	}
}

func TestFor_unhealthyNodesGoFirstAndCountForQuorum(t *testing.T) {
	f := cluster(t, 3, 4)
	f.Unhealthy["worker-0"] = "it is not Ready"
	p, err := planOf(f, lcm.OpScale,
		json.RawMessage(`{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":2}`))
	require.NoError(t, err)
	require.Equal(t, []string{"worker-0", "worker-3"}, leaving(p))
	require.Equal(t, "it is not Ready", p.Leaving[0].Why)

	f.Unhealthy["cp-1"] = "etcd does not answer"
	_, err = planOf(f, lcm.OpHeal, json.RawMessage(`{"vnfcInstanceId":["cp-0"]}`))
	require.ErrorContains(t, err, "no quorum")
	_, err = planOf(f, lcm.OpHeal, json.RawMessage(`{"vnfcInstanceId":["cp-1"]}`))
	require.NoError(t, err, "the one that is out of order")
}

func TestFor_healOfTheEntireVnf(t *testing.T) {
	p, err := planOf(cluster(t, 3, 2), lcm.OpHeal, json.RawMessage(`{"cause":"all is lost"}`))
	require.NoError(t, err)
	require.True(t, p.Whole)
	require.Len(t, p.Leaving, 5)
}

func TestFor_notInstantiated(t *testing.T) {
	_, err := planOf(lifecycle.Facts{}, lcm.OpHeal, json.RawMessage(`{}`))
	require.True(t, lcm.Is(err, lcm.KindConflict))
}

// TestFor_plansAreConsistent checks plans of random requests: as many VMs leave as the group shrinks by, each only
// once, and all of that group.
func TestFor_plansAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := cluster(t, 3+2*rapid.IntRange(0, 2).Draw(t, "control planes"), rapid.IntRange(2, 9).Draw(t, "workers"))
		for _, node := range f.Instance.Instantiated.Nodes {
			if rapid.Bool().Draw(t, "bad "+node.Name) {
				f.Unhealthy[node.Name] = "it is not Ready"
			}
		}
		body := fmt.Sprintf(`{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":%d},{"aspectId":"worker_instance","scaleLevel":%d}]}`,
			rapid.IntRange(0, 2).Draw(t, "to"), rapid.IntRange(0, 9).Draw(t, "and"))
		p, err := planOf(f, lcm.OpScaleToLevel, json.RawMessage(body))
		require.NoError(t, err)
		gone := map[string]int{}
		seen := map[string]bool{}
		for _, l := range p.Leaving {
			require.False(t, seen[l.VnfcID])
			seen[l.VnfcID] = true
			gone[l.VduID]++
		}
		for _, g := range p.Groups {
			require.Equal(t, max(0, g.From-g.To), gone[g.VduID])
			delete(gone, g.VduID)
		}
		require.Empty(t, gone)
		require.Equal(t, len(p.Leaving) > 0, p.Shrinks())
	})
}
