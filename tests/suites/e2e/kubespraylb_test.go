package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// playedBalancedVnfdID is the VNFD id of the sample external-lb with the driver for kubespray.
const playedBalancedVnfdID = "6c2b6f1e-4d0e-4f0b-9f6d-8a3a5b1c9e43"

// balancedByKubespray makes clusters by kubespray behind every kind of load balancer.
func balancedByKubespray(t *testing.T, b *bed) {
	b.OnboardOnce(t, b.playedBalancedPackage(t))
	const server = "ansible"
	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	host := made[server].Address

	vnf := b.playedBalanced(t, host, "external-lb-pair", "played-pair", nil)
	b.requireBalanced(t, 2)
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "balancer_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 3)
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "worker_instance"), quick, "COMPLETED")
	b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, balancerVdu)), quick, "COMPLETED")
	b.requireBalanced(t, 3)
	b.Await(t, b.Heal(t, vnf), quick, "COMPLETED")
	b.requireBalanced(t, 3)
	b.terminate(t, vnf)

	vnf = b.playedBalanced(t, host, "external-lb-octavia", "played-octavia", nil)
	require.Empty(t, b.requireBalanced(t, 1)[0].MachineID, "it is no machine")
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.requireBalanced(t, 1)
	for _, vnfcs := range [][]string{{b.VnfcOf(t, vnf, "workerNode")}, nil} {
		b.Await(t, b.Heal(t, vnf, vnfcs...), quick, "COMPLETED")
		b.requireBalanced(t, 1)
	}
	b.terminate(t, vnf)

	vnf = b.playedBalanced(t, host, "external-lb", "played-script", func(lb map[string]any) {
		lb["script_path"] = "./Scripts/balance.sh"
		delete(lb, "node_ports")
	})
	b.Await(t, b.Scale(t, vnf, "SCALE_IN", "worker_instance"), quick, "COMPLETED")
	b.requireScripted(t)
	b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, balancerVdu)), quick, "COMPLETED")
	b.requireScripted(t)
	b.terminate(t, vnf)
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	b.RequireNothingLeft(t)
}

const balancerVdu = "externalLB"

// playedBalanced instantiates a cluster with the request's load balancer. The Ansible server at the address server runs
// kubespray.
func (b *bed) playedBalanced(t *testing.T, server, request, name string, edit func(lb map[string]any)) (vnf string) {
	t.Helper()
	vnf = b.CreateOf(t, playedBalancedVnfdID, name)
	op := b.Begin(t, vnf, "instantiate", b.SampleRequest(t, request, name, func(req, cluster map[string]any) {
		req["instantiationLevelId"] = "instantiation_level_3"
		playedBy(server)(cluster)
		lb := cluster["external_lb_param"].(map[string]any)
		if lb["octavia"] == nil {
			lb["ssh_password"] = testbed.NodePassword
		}
		if edit != nil {
			edit(lb)
		}
	}))
	b.Await(t, op, quick, "COMPLETED")
	return vnf
}

// playedBy makes kubespray the installer of a request's cluster. The Ansible server has that address.
func playedBy(server string) func(cluster map[string]any) {
	return func(cluster map[string]any) {
		for _, ofKubeadm := range []string{"cni_manifest_path", "kubeadm_config_path", "ignore_preflight_errors"} {
			delete(cluster, ofKubeadm)
		}
		cluster["ansible"] = map[string]any{
			"ip_address": server, "ssh_port": 2222, "username": "debian", "password": testbed.NodePassword,
			"kubespray_root_path": "/opt/kubespray", "transferring_inventory_path": "/home/debian/inventory",
		}
	}
}

// playedBalancedPackage makes the sample external-lb with the driver for kubespray.
func (b *bed) playedBalancedPackage(t *testing.T) (dir string) {
	t.Helper()
	return b.changedSample(t, "external-lb",
		strings.NewReplacer(balancedVnfdID, playedBalancedVnfdID, "mgmt-drivers-kubernetes", "mgmt-drivers-kubespray"))
}

// changedSample makes a sample package with changed definitions and templates.
func (b *bed) changedSample(t *testing.T, sample string, change *strings.Replacer) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples", sample))))
	require.NoError(t, filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".yaml" || strings.Contains(file, "/Files/") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, []byte(change.Replace(string(text))), 0o600)
	}))
	return dir
}
