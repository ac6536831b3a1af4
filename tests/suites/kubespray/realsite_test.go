package kubespray

import (
	_ "embed"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
)

// realSite is Windlass, a cloud without the Internet, and an Ansible server with kubespray.
type realSite struct{ site }

const (
	// ofOffline is the VNFD of the sample package k8s-kubespray for such a cloud.
	ofOffline   = "2d0c6f0a-3f0b-4a6b-9a53-7f2f4f0d1c79"
	realCluster = "real"
)

func newRealSite(t *testing.T) realSite {
	t.Helper()
	r := realSite{bareSite(t, kubespray.OfflineImage)}
	for from, to := range map[string]string{
		*checkout: playbooks, filepath.Join(*ansibleCore, "lib"): home + "ansible/lib",
		filepath.Join(*ansibleCore, "bin"): home + "ansible/bin",
	} {
		if !filepath.IsAbs(from) {
			from = filepath.Join(r.Root, from) // relative to the directory where the task was called
		}
		r.ansible.upload(t, from, to)
	}
	r.ansible.script(t, ansibleServer, installAnsible)
	r.mirror(t)
	r.onboardOffline(t)
	return r
}

// installAnsible has the user run Ansible from its sources.
const installAnsible = `mkdir -p ~/.local/bin
for program in ansible-playbook ansible-inventory; do
  printf '#!/bin/sh\nPYTHONPATH=%s/ansible/lib exec python3 %s/ansible/bin/%s "$@"\n' ~ ~ $program >~/.local/bin/$program
  chmod 0755 ~/.local/bin/$program
done
`

// understands has Ansible read the playbooks of kubespray that Windlass runs.
func (r realSite) understands(t *testing.T) {
	t.Helper()
	const ask = "cd " + playbooks + "\nexport PATH=$HOME/.local/bin:$PATH LC_ALL=C.UTF-8\n"
	for _, playbook := range []string{
		"cluster.yml", "scale.yml", "remove-node.yml", "recover-control-plane.yml", "playbooks/facts.yml", "reset.yml",
	} {
		out := r.ansible.script(t, ansibleServer, ask+"ansible-playbook -i inventory/sample/inventory.ini --syntax-check "+
			playbook+" 2>&1\n")
		require.NotContains(t, out, "ERROR", playbook)
	}
}

//go:embed offline.sh
var offlineScript string

// mirror has the Ansible server serve what kubespray downloads, and tells kubespray where it is, as
// docs/how-to/kubespray.md tells users.
func (r realSite) mirror(t *testing.T) {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join(r.Root, "vnfpkg/samples/k8s-ha/Files/kubernetes/flannel.yaml"))
	require.NoError(t, err)
	// kubespray takes it for a template, and applies it in this namespace only.
	network := strings.NewReplacer("__POD_CIDR__", "{{ kube_pods_subnet }}", "namespace: kube-flannel",
		"namespace: kube-system").Replace(string(manifest))
	r.ansible.script(t, ansibleServer, "cat >"+home+"flannel.yaml <<'MANIFEST'\n"+network+"\nMANIFEST\n")
	r.ansible.script(t, ansibleServer, "ADDRESS="+r.ansible.address[ansibleServer]+" KUBESPRAY="+playbooks+"\n"+offlineScript)
}

// offlineNode is what the image of a node in a cloud without the Internet has: no source of packages, because apt
// accepts what is installed if it has none; the settings that kubespray would give to the containerd that it installs;
// the image of the proxy in front of the API servers; and crictl, without which reset.yml stops no container.
const offlineNode = `
            runcmd:
              - |
                set -e
                find /etc/apt -name '*.list' -delete
                apt-get -q update
                containerd config default | sed -e 's/SystemdCgroup = false/SystemdCgroup = true/' \
                  -e 's#pause:[0-9.]*#pause:3.10.1#' >/etc/containerd/config.toml
                systemctl restart containerd
                ctr -n k8s.io images import /usr/local/share/downloads/haproxy.tar
                cp /usr/local/share/downloads/crictl /usr/local/bin/
                echo 'runtime-endpoint: unix:///run/containerd/containerd.sock' >/etc/crictl.yaml
`

// onboardOffline onboards a copy of the sample whose servers have all that such a cloud needs. Its highest level has one
// worker.
func (r realSite) onboardOffline(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(r.Root, "vnfpkg/samples/k8s-kubespray"))))
	change := strings.NewReplacer(ofSample, ofOffline, "debian-12-k8s", kubespray.OfflineImage,
		"            chpasswd: { expire: false }\n", "            chpasswd: { expire: false }"+offlineNode,
		"scale_level: 1\n          default_level", "scale_level: 0\n          default_level",
		"instantiation_level_3:\n              number_of_instances: 2", "instantiation_level_3:\n              number_of_instances: 1")
	for _, pattern := range []string{"Definitions/*.yaml", "BaseHOT/simple/nested/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(change.Replace(string(text))), 0o600))
		}
	}
	r.Onboard(t, dir)
}

// controlPlane returns the VNFC of the control plane at this place in kubespray's inventory.
func (r realSite) controlPlane(t *testing.T, vnf string, place int) string {
	t.Helper()
	names := strings.Fields(r.ansible.script(t, ansibleServer,
		"sed -n '/^.kube_control_plane.$/,/^$/p' "+inventories+"/windlass-"+vnf+"/hosts.ini\n"))
	require.Greater(t, len(names), place+1)
	info := r.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, v := range info["vnfcResourceInfo"].([]any) {
		server := v.(map[string]any)["computeResource"].(map[string]any)["resourceId"].(string)
		if lcm.NodeName(lcm.ControlPlane, server) == names[place+1] { // after the name of the group
			return v.(map[string]any)["id"].(string)
		}
	}
	t.Fatalf("no VNFC is %s", names[place+1])
	return ""
}

// outputOf returns all that an operation has said.
func (s site) outputOf(t *testing.T, op string) string {
	t.Helper()
	a := s.Call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+path.Base(op)+"/logs", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	return string(a.Body)
}

// awaitOutput waits until the operation has said this text.
func (s site) awaitOutput(t *testing.T, op, text string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.said(t, op, text) > 0 || s.errorOf(t, op) != ""
	}, 30*time.Minute, time.Second)
	require.Empty(t, s.errorOf(t, op), s.outputOf(t, op))
}
