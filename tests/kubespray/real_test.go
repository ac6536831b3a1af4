package kubespray

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var checkout = flag.String("kubespray", "", "a checkout of kubespray, as of its branch release-2.23, to be tried on machines of the lab")

// TestKubespray gives kubespray itself the inventory, and checks how its playbooks read it. Then it has kubespray
// install a cluster, as far as this is possible on machines without access to the Internet. The log says what stops it.
func TestKubespray(t *testing.T) {
	if *checkout == "" {
		t.Skip("not run: -kubespray names no checkout of kubespray")
	}
	b := newBed(t, AnsibleImage, "cp-1", "w-1")
	dir := *checkout
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(b.root, dir) // relative to the directory where the task was called
	}
	b.prepare(t, dir)
	b.place(t, []string{"cp-1"}, []string{"w-1"})
	b.understands(t)
	for _, node := range []string{"cp-1", "w-1"} {
		// No package archive can be reached; without sources, apt accepts the packages that are installed.
		b.script(t, node, "sudo find /etc/apt -name '*.list' -delete\nsudo apt-get -q update\n"+configureContainerd)
	}
	facts := b.run(t, "", playbook("facts"))
	require.NoError(t, facts.err, facts.Output)
	b.mirror(t)
	installed := b.run(t, "", playbook("cluster"))
	if installed.err == nil {
		t.Logf("kubespray has installed a cluster of %v", b.nodes(t, "cp-1"))
		return
	}
	require.NotEmpty(t, installed.failed, "a host stopped it: %s", installed.Output)
	for _, failure := range installed.failed {
		t.Log("STOPPED BY " + failure)
	}
}

// configureContainerd does what kubespray does for the containerd that it would install.
const configureContainerd = `containerd config default | sed -e 's/SystemdCgroup = false/SystemdCgroup = true/' \
  -e 's#pause:[0-9.]*#pause:3.10.1#' | sudo tee /etc/containerd/config.toml >/dev/null
sudo systemctl restart containerd
`

// understands compares what Ansible reads from the inventory with what the inventory means.
func (b *bed) understands(t *testing.T) {
	t.Helper()
	const ask = "cd " + playbooks + "\nexport ANSIBLE_DEPRECATION_WARNINGS=False LC_ALL=C.UTF-8\n"
	var groups map[string]struct{ Hosts, Children []string }
	list := b.script(t, ansibleServer, ask+"ansible-inventory -i "+inventory+"/hosts.ini --list | sed 's/\"_meta\": {$/&/'\n")
	require.NoError(t, json.Unmarshal([]byte(withoutMeta(t, list)), &groups))
	require.Equal(t, []string{"cp-1"}, groups["kube_control_plane"].Hosts)
	require.Equal(t, []string{"cp-1"}, groups["etcd"].Hosts)
	require.Equal(t, []string{"w-1"}, groups["kube_node"].Hosts)
	require.Subset(t, groups["k8s_cluster"].Children, []string{"kube_control_plane", "kube_node"})
	for _, playbook := range []string{
		"cluster.yml", "scale.yml", "remove-node.yml", "recover-control-plane.yml", "playbooks/facts.yml", "reset.yml", "upgrade-cluster.yml",
	} {
		for _, how := range []string{"--syntax-check", "--list-hosts"} {
			out := b.script(t, ansibleServer, ask+"ansible-playbook -i "+inventory+"/hosts.ini "+how+" "+playbook+" 2>&1\n")
			require.NotContains(t, out, "ERROR")
			if how == "--list-hosts" && playbook == "cluster.yml" {
				t.Log(out)
			}
			t.Logf("%s %s: %d lines, no error", playbook, how, strings.Count(out, "\n"))
		}
	}
}

// withoutMeta removes the variables of hosts, which have another form than the groups.
func withoutMeta(t *testing.T, list string) string {
	t.Helper()
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(list), &all), list)
	delete(all, "_meta")
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

// mirror makes the Ansible server serve the nodes' own binaries, and tells kubespray where they are: kubespray's own
// checksums end with Kubernetes 1.27. The images already are on the nodes. The other variables are needed because the
// nodes share one kernel and cannot load modules.
func (b *bed) mirror(t *testing.T) {
	t.Helper()
	b.script(t, ansibleServer, `mkdir -p `+home+`mirror
cd `+home+`mirror
cp /usr/bin/kubeadm /usr/bin/kubelet /usr/bin/kubectl .
tar cz -C /usr/lib/cni -f cni.tgz .
setsid -f python3 -m http.server 8000 >/dev/null 2>&1 </dev/null
file() {
  cat <<FILE
  $1:
    enabled: true
    file: true
    version: $version
    dest: /tmp/releases/$1-$version
    sha256: $(sha256sum "$2" | cut -d' ' -f1)
    url: http://`+b.address[ansibleServer]+`:8000/$2
    unarchive: false
    owner: root
    mode: "0755"
    groups: [k8s_cluster]
FILE
}
version=$(kubeadm version -o short)
cat >`+inventory+`/vars.json <<VARS
`+offlineVariables+`downloads:
$(file kubeadm kubeadm)
$(file kubelet kubelet)
$(file kubectl kubectl)
$(file cni cni.tgz)
VARS
`)
}

// offlineVariables are variables of kubespray. The Ansible server replaces words that begin with a dollar sign.
const offlineVariables = `kube_version: $version
kubeadm_version: $version
download_container: false
deploy_container_engine: false
etcd_deployment_type: kubeadm
etcd_image_repo: registry.k8s.io/etcd
etcd_image_tag: 3.6.5-0
coredns_version: v1.12.1
pod_infra_version: 3.10.1
kube_network_plugin: cni
kube_proxy_mode: iptables
kube_proxy_conntrack_max_per_core: 0
kube_proxy_conntrack_min: 0
kube_proxy_oom_score_adj: 0
enable_nodelocaldns: false
enable_dns_autoscaler: false
kubelet_fail_swap_on: false
kubelet_swap_behavior: NoSwap
eviction_hard: &none {memory.available: 100Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%, imagefs.inodesFree: 0%}
eviction_hard_control_plane: *none
kubelet_config_extra_args: {oomScoreAdj: 0, imageGCHighThresholdPercent: 100}
`
