package lifecycle_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// TestSteps_offerNoWayBackOnceAServerIsGone checks how a plan changes the list of steps. Tests of package workflows
// check that each step has its work.
func TestSteps_offerNoWayBackOnceAServerIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		op    lcm.Operation
		body  string
		final string
		undos int
	}{
		"out":               {lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance"}`, "", 4},
		"out, cps":          {lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"master_instance"}`, "", 5},
		"in":                {lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`, "Remove the servers", 1},
		"in, control plane": {lcm.OpScale, `{"type":"SCALE_IN","aspectId":"master_instance"}`, "Remove the servers", 2},
		"nothing to do":     {lcm.OpScaleToLevel, `{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":2}]}`, "", 0},
		"heal":              {lcm.OpHeal, `{"vnfcInstanceId":["cp-1","worker-0"]}`, "Replace the servers", 2},
		"heal all":          {lcm.OpHeal, `{}`, "Deregister the cluster", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := clusterWithVdus(t)
			p, err := planOf(f, c.op, json.RawMessage(c.body))
			require.NoError(t, err)
			final, undos := "", 0
			for _, s := range lifecycle.Steps(f, p) {
				if s.Final && final == "" {
					final = s.Title
				}
				if s.Undo != "" {
					require.Empty(t, final, "%s cannot be undone any more", s.Title)
					undos++
				}
			}
			require.Equal(t, c.final, final)
			require.Equal(t, c.undos, undos)
		})
	}
}

func clusterWithVdus(t *testing.T) lifecycle.Facts {
	f := cluster(t, 5, 4)
	for i, n := range f.Instance.Instantiated.Nodes {
		f.Instance.Instantiated.Nodes[i].VduID = map[lcm.Role]string{
			lcm.ControlPlane: "masterNode",
			lcm.Worker:       "workerNode",
		}[n.Role]
	}
	return f
}

func TestInstantiationAndTermination_countVMs(t *testing.T) {
	f := cluster(t, 5, 4)
	all, err := planOf(f, lcm.OpTerminate, nil)
	require.NoError(t, err)
	require.Equal(t, 9, all.Removes())
	require.Zero(t, all.Adds())

	f.Instance.Instantiated = nil
	made, err := planOf(f, lcm.OpInstantiate, nil)
	require.NoError(t, err)
	require.Equal(t, "instantiation_level_1", made.InstantiationLevelID)
	require.Equal(t, []lcm.GroupChange{
		{AspectID: "master_instance", VduID: "masterNode", To: 3}, {AspectID: "worker_instance", VduID: "workerNode", To: 2},
	}, made.Groups)
	require.Equal(t, 5, made.Adds())
	_, err = planOf(f, lcm.OpInstantiate, json.RawMessage(`{"instantiationLevelId":"huge"}`))
	require.Error(t, err)
	left, err := planOf(f, lcm.OpTerminate, nil)
	require.NoError(t, err)
	require.Equal(t, lcm.Plan{Operation: lcm.OpTerminate}, left, "nobody knows what a failed INSTANTIATE has left")
}

func TestFor_takesTheNameOfANodeAndRefusesAnAspectTwice(t *testing.T) {
	f := cluster(t, 3, 2)
	for i := range f.Instance.Instantiated.Nodes {
		f.Instance.Instantiated.Nodes[i].Name = "node-of-" + f.Instance.Instantiated.Nodes[i].Name
	}
	p, err := planOf(f, lcm.OpHeal, json.RawMessage(`{"vnfcInstanceId":["node-of-worker-1"]}`))
	require.NoError(t, err)
	require.Equal(t, "worker-1", p.Leaving[0].VnfcID)
	require.Equal(t, 1, p.Adds(), "a VM for each that leaves")

	_, err = planOf(f, lcm.OpScaleToLevel, json.RawMessage(
		`{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":1},{"aspectId":"worker_instance","scaleLevel":2}]}`))
	require.ErrorContains(t, err, "$.scaleInfo[1].aspectId: worker_instance is there twice")
}

// TestSteps_ofATermination checks that a termination first looks for other VNFs on a cluster, which must not lose its
// servers then. Servers are shut down only for a graceful termination.
func TestSteps_ofATermination(t *testing.T) {
	for name, c := range map[string]struct {
		graceful bool
		drivers  []lifecycle.VnfDriver
		want     []lifecycle.StepID
	}{
		"forceful": {false, nil, []lifecycle.StepID{"delete-stack", "forget-secrets"}},
		"forceful, cluster": {
			false,
			[]lifecycle.VnfDriver{&kubeadm.Installer{}},
			[]lifecycle.StepID{"deregister-cluster", "delete-stack", "forget-secrets"},
		},
		"graceful": {true, nil, []lifecycle.StepID{"shut-down", "delete-stack", "forget-secrets"}},
		"graceful, cluster": {
			true,
			[]lifecycle.VnfDriver{&kubeadm.Installer{}},
			[]lifecycle.StepID{"deregister-cluster", "shut-down", "delete-stack", "forget-secrets"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := lifecycle.Facts{Flavour: &descriptor.Flavour{}, Drivers: c.drivers, Graceful: c.graceful}
			starting, processing := lifecycle.Split(lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpTerminate, Whole: true}))
			require.Equal(t, []lifecycle.StepID{"ask-for-grant"}, idsOf(starting))
			require.Equal(t, c.want, idsOf(processing))
		})
	}
}

func TestSteps_ofARegistry(t *testing.T) {
	server := &registry.Server{}
	f := lifecycle.Facts{Flavour: &descriptor.Flavour{}, Drivers: []lifecycle.VnfDriver{server}}
	made := []lifecycle.StepID{"ask-for-grant", "create-stack", "find-nodes", "wait-for-registry", "install-registry"}
	require.Equal(t, made, idsOf(lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpInstantiate})))
	server.Params.Volume = &k8s.CinderVolumeParams{}
	made = slices.Insert(made, 4, "mount-registry-volume")
	require.Equal(t, made, idsOf(lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpInstantiate})))

	f.Instance.Instantiated = &lcm.InstantiatedVnfInfo{}
	for _, op := range []lcm.Operation{lcm.OpScale, lcm.OpScaleToLevel} {
		_, err := planOf(f, op, json.RawMessage(`{}`))
		require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	}
}

func idsOf(list []lifecycle.Step) (ids []lifecycle.StepID) {
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	return ids
}

// TestSteps_ofAPackageWithImages checks that an image of the package is stored before servers use it, and is deleted
// after them.
func TestSteps_ofAPackageWithImages(t *testing.T) {
	f := lifecycle.Facts{Flavour: &descriptor.Flavour{Vdus: []descriptor.Vdu{
		{ID: "server", Image: &descriptor.SwImage{Name: "debian", File: "Files/images/debian.img"}},
	}}}
	making := []lifecycle.StepID{"upload-images", "create-stack", "find-nodes"}
	require.Equal(t, append([]lifecycle.StepID{"ask-for-grant"}, making...),
		idsOf(lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpInstantiate})))
	require.Equal(t, []lifecycle.StepID{"ask-for-grant", "delete-stack", "release-images", "forget-secrets"},
		idsOf(lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpTerminate, Whole: true})))
	healing := idsOf(lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpHeal, Whole: true}))
	require.Subset(t, healing, making)
	require.NotContains(t, healing, lifecycle.StepID("release-images"), "it is needed again at once")
}
