package model

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestModel_ofDrivers walks with VNFs whose drivers do more than make servers: an Ansible server installs clusters, the
// worker runs scripts of the package on servers, and Ansible servers play playbooks of the package. After each
// operation the test compares what was made and what was run with the model.
func TestModel_ofDrivers(t *testing.T) {
	t.Setenv("WINDLASS_WORKER_ATTEMPTS", "2")
	t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
	bed := testbed.NewIn(t, &environment.Lab{
		Machines: environment.Fake, Listen: "127.0.0.1:0", Args: []string{"--image-alias", "tiny"},
	})
	const shared, stack = "ansible", "ansible-servers"
	servers := []kubespray.Server{{Name: shared, Image: kubespray.AnsibleImage, Password: testbed.NodePassword}}
	for i := range *walkers {
		servers = append(servers, kubespray.Server{Name: namespaceOf(i), Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	}
	made, err := kubespray.Machines(t.Context(), bed.Cloud.Login(), stack, servers...)
	require.NoError(t, err)
	hooked(t, bed, "scripts", scriptsVnfdID)
	hooked(t, bed, "playbooks", playbooksVnfdID)
	vims := map[string]string{"openstack": bed.Vim}
	kinds := []kind{
		{name: "kubespray", vnfdIDs: []string{clusterVnfdID}, cps: clusterCps, work: newClusters(t, bed, made[shared])},
		{name: "scripts", vnfdIDs: []string{scriptsVnfdID}, cps: serverCps, work: scripts{}},
		{name: "playbooks", vnfdIDs: []string{playbooksVnfdID}, cps: serverCps, work: playbooks{machines: made}},
	}
	for i := range kinds {
		kinds[i].servers, kinds[i].vims = true, vims
	}
	network := bed.AddNetwork(t, networks[1])
	stop := harass(t, bed, trip(t, bed, refuse(t, bed)))
	counts := walk(t, bed, max(*sequences/8, 1), kinds...)
	stop()
	if !t.Failed() {
		require.NoError(t, kubespray.RemoveMachines(t.Context(), bed.Cloud.Login(), stack))
		network.Remove(t)
		bed.RequireNothingLeft(t)
	}
	report(t, counts)
}

// trip makes scripts slow and lets one fail now and then: with 1, after which Windlass does not try again, or with 75,
// after which it does.
func trip(t *testing.T, bed *testbed.Bed, refuse func(*rand.Rand, int)) func(*rand.Rand, int) {
	scripts := []string{
		"run-package-script", "play-package", "run-playbook", "balance-externally", "check-ansible", "remove-inventory",
		"drain-node", "retire-node",
	}
	return func(random *rand.Rand, tick int) {
		refuse(random, tick)
		bed.Pace(t, 0, time.Duration(random.IntN(80))*time.Millisecond)
		if random.IntN(3) == 0 {
			script := scripts[random.IntN(len(scripts))]
			bed.ScriptFault(t, map[string]any{
				"script": script, "times": 1, "exit_code": []int{1, 75}[random.IntN(2)],
				"output": fmt.Sprintf("windlass: %s does not want to", script),
			})
		}
	}
}
