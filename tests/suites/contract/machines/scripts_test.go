package machines

import (
	"context"
	"net/netip"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// TestScripts_doOnFakeMachinesWhatTheyDoOnReal plays the same turns on both kinds of machines. The expected outcomes
// are written here. So a run without real machines also checks the fake ones.
func TestScripts_doOnFakeMachinesWhatTheyDoOnReal(t *testing.T) {
	t.Run("fake machines", func(t *testing.T) { playAll(t, fakeMachines()) })
	t.Run("real machines", func(t *testing.T) { playAll(t, realMachines(t)) })
}

// elsewhere are scripts for servers that are no nodes: Ansible servers, and load balancers in front of clusters.
// tests/suites/kubespray runs the scripts of Windlass among them on real machines.
var elsewhere = []string{
	"check-ansible", "run-playbook", "remove-inventory", "balance-externally", "run-balancer-script",
	"expose-services", "run-exposure-script", "run-package-script", "play-package",
}

// playAll builds a cluster with storage and registries, and removes parts of it.
func playAll(t *testing.T, kind kindOfMachines) {
	t.Helper()
	s := newStage(t, kind)
	s.checkAndPrepare()
	s.together(s.buildCluster, func() { s.serveVolumes(); s.installRegistry() })
	s.lookAtCluster()
	s.useVolumes()
	s.useStorageClass()
	s.useRegistries()
	s.drainWorker()
	s.loseControlPlane()
	for _, name := range fake.New(fake.Options{}).Scripts() {
		if slices.Contains(elsewhere, name) {
			continue
		}
		assert.True(t, s.broken.Load() || s.played[name], "no turn played the script %s", name)
	}
}

func fakeMachines() kindOfMachines {
	d := fake.New(fake.Options{})
	return kindOfMachines{
		driver: d, network: machine.Network{ID: "scripts", CIDR: netip.MustParsePrefix("127.80.1.0/24")}, port: "2222",
		hold: func(s *stage, node string) {
			require.NoError(s.t, d.AddPod(machinesCluster, fake.Pod{Name: "web", Node: node, Budget: "web"}))
		},
		free: func(s *stage) { require.NoError(s.t, d.AddPod(machinesCluster, fake.Pod{Name: "web"})) },
	}
}

func realMachines(t *testing.T) kindOfMachines {
	t.Helper()
	img := builtImage(t)
	dir, err := os.MkdirTemp("/var/tmp", "windlass-scripts-") // machines can hard link to the image's files
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.NoError(t, err)
	free, err := nspawn.FreeSubnets(t.Context(), 1)
	require.NoError(t, err)
	return kindOfMachines{
		driver: d, port: "22",
		network: machine.Network{ID: "scripts", CIDR: free[0], Gateway: free[0].Addr().Next()},
		hold: func(s *stage, node string) {
			s.kubectl(`apply -f - <<<'` + heldPod(node) + `'`)
			// A PodDisruptionBudget does not protect a Pod that has not started yet.
			s.kubectl(`wait pod/web --for jsonpath='{.status.phase}'=Running --timeout 60s`)
		},
		free: func(s *stage) { s.kubectl(`delete pod,poddisruptionbudget web --force --grace-period=0`) },
	}
}

// heldPod returns a Pod that does nothing, and a PodDisruptionBudget that prevents its eviction.
func heldPod(node string) string {
	return `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "default"},
 "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
 "spec": {"nodeName": "` + node + `", "automountServiceAccountToken": false,
  "containers": [{"name": "web", "image": "registry.k8s.io/pause:3.10.1", "imagePullPolicy": "Never"}]}}]}`
}

// kubectl runs kubectl on a real cluster, for actions that no script has.
func (s *stage) kubectl(arguments string) {
	s.t.Helper()
	_, err := s.hosts["cp-1"].Run(context.WithoutCancel(s.t.Context()), remote.Command{
		ID: "kubectl", Sudo: true, Script: "#!/bin/bash\nkubectl --kubeconfig /etc/kubernetes/admin.conf " + arguments + "\n",
	})
	require.NoError(s.t, err)
	require.NoError(s.t, s.hosts["cp-1"].Forget(s.t.Context(), "kubectl"))
}
