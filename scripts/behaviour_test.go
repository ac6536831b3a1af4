package scripts_test

import (
	"context"
	"crypto/md5" //nolint:gosec // dpkg's digest
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// library returns shell code of this package whose absolute paths are changed to paths below root.
func library(t *testing.T, root string, files ...string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("sh", file+".sh"))
		require.NoError(t, err)
		all.Write(text)
	}
	return strings.NewReplacer("/proc/[", root+"/proc/[", "/etc/", root+"/etc/", "/var/lib/", root+"/var/lib/", "(/run/",
		"("+root+"/run/").
		Replace(all.String())
}

// shell runs code and returns what it prints and its exit code.
func shell(t *testing.T, code string, env ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", code)
	cmd.Env = append(os.Environ(), env...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// node is a root directory with a /proc of chosen processes only: a test must not stop other processes.
type node struct{ root string }

func newNode(t *testing.T) node {
	n := node{t.TempDir()}
	for _, dir := range []string{"proc", "run", "etc/kubernetes", "var/lib/windlass"} {
		require.NoError(t, os.MkdirAll(filepath.Join(n.root, dir), 0o755))
	}
	return n
}

// runs starts a process with this name on the node.
func (n node) runs(t *testing.T, name string, env ...string) *exec.Cmd {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.Symlink(sleep, program))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program, "60")
	cmd.Env = append(os.Environ(), env...)
	require.NoError(t, cmd.Start())
	pid := strconv.Itoa(cmd.Process.Pid)
	require.NoError(t, os.Symlink("/proc/"+pid, filepath.Join(n.root, "proc", pid)))
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// member runs a script of a joining node up to its check of the node's state.
func (n node) member(t *testing.T, script, role string) (string, int) {
	t.Helper()
	stubs := `
CLUSTER=c NODE_NAME=n ADDRESS=10.0.0.1 TIMEOUT=1 TOKEN_ID=t ROLE=` + role + `
read_inputs() { :; }; need_input() { :; }
member_state() { echo new; }
await_member() { :; }; remember_member() { :; }
kubeadm() { echo "kubeadm $*"; }; kube() { :; }
timeout() { shift; "$@"; }
`
	body := library(t, n.root, "lib-base", "lib-kube") + stubs + library(t, n.root, script)
	return shell(t, body, "WINDLASS_RUN=op-new-"+script)
}

func TestCheckMember_callsANodeBusyWhereKubeadmRuns(t *testing.T) {
	n := newNode(t)
	said, _ := n.member(t, "check-member", "control-plane")
	assert.Contains(t, said, "state=new")
	n.runs(t, "kubeadm")
	said, code := n.member(t, "check-member", "control-plane")
	assert.Contains(t, said, "state=busy")
	assert.Zero(t, code, said)
}

// TestCheckMember_callsANodeBusyWhereAScriptForKubeadmRuns checks that a node is busy as long as a script for kubeadm
// runs, because the script changes the node also before and after its kubeadm.
func TestCheckMember_callsANodeBusyWhereAScriptForKubeadmRuns(t *testing.T) {
	n := newNode(t)
	n.runs(t, "other", "WINDLASS_RUN=op-old-check-member")
	said, _ := n.member(t, "check-member", "control-plane")
	assert.Contains(t, said, "state=new")
	n.runs(t, "waiting", "WINDLASS_RUN=op-old-kubeadm-join")
	said, _ = n.member(t, "check-member", "control-plane")
	assert.Contains(t, said, "state=busy")
}

func TestKubeadm_stopsThatOfAnEarlierTryFirst(t *testing.T) {
	for name, c := range map[string]struct {
		script, role string
		code         int
		says         string
	}{
		"init":   {"kubeadm-init", "control-plane", 0, "kubeadm init"},
		"worker": {"kubeadm-join", "worker", 0, "kubeadm join"},
		"control plane": {
			"kubeadm-join", "control-plane", 75,
			"windlass: the kubeadm of an earlier try was still running and has been stopped",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			old, oldScript := n.runs(t, "kubeadm"), n.runs(t, "waiting", "WINDLASS_RUN=op-old-kubeadm-join")
			own := n.runs(t, "own", "WINDLASS_RUN=op-new-"+c.script)
			ended := make(chan error, 2)
			go func() { ended <- old.Wait() }()
			go func() { ended <- oldScript.Wait() }()
			said, code := n.member(t, c.script, c.role)
			assert.Equal(t, c.code, code, said)
			assert.Contains(t, said, c.says)
			for range 2 {
				assert.ErrorContains(t, <-ended, "signal: terminated")
			}
			assert.NoError(t, own.Process.Signal(syscall.Signal(0)), "what is ours lives")
		})
	}
}

func TestPrepareNode_restartsContainerdAlsoWhenTheRunThatChangedItWasCutShort(t *testing.T) {
	n := newNode(t)
	require.NoError(t, os.MkdirAll(filepath.Join(n.root, "etc/containerd"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "etc/containerd/config.toml"), []byte("version = 3\n"), 0o600))
	functions, _, found := strings.Cut(library(t, n.root, "lib-base", "lib-apt", "prepare-node"), "\nread_inputs\n")
	require.True(t, found)
	run := func(steps string) string {
		said, code := shell(t, functions+`
systemctl() { echo "systemctl $*"; }
service() { echo "service $*"; }
NO_PROXY_LIST=localhost
echo http://proxy.example:3128 >"$SCRATCH/in.http_proxy"
`+steps)
		require.Zero(t, code, said)
		return said
	}
	run("set_proxy")
	assert.Contains(t, run("set_proxy; set_containerd"), "service restart containerd")
	assert.NotContains(t, run("set_proxy; set_containerd"), "service restart containerd", "once is enough")
}

// Debian 12's own file has another cgroup driver than kubelet, and another folder for CNI's programs.
func TestPrepareNode_replacesTheFileOfDebiansContainerd(t *testing.T) {
	const shipped = "version = 2\n[plugins.cni]\n  bin_dir = \"/usr/lib/cni\"\n"
	for name, c := range map[string]struct {
		has, defaults, want string
	}{
		"as Debian ships it": {
			shipped, "version = 2\n  sandbox_image = \"registry.k8s.io/pause:3.6\"\nSystemdCgroup = false\n",
			"version = 2\n  sandbox_image = \"registry.k8s.io/pause:3.10.1\"\nSystemdCgroup = true\n",
		},
		"of containerd 2": {
			"", "version = 3\n  sandbox = 'registry.k8s.io/pause:3.10'\n  sandboxer = 'podsandbox'\nSystemdCgroup = false\n",
			"version = 3\n  sandbox = \"registry.k8s.io/pause:3.10.1\"\n  sandboxer = 'podsandbox'\nSystemdCgroup = true\n",
		},
		"as the image's author wants": {shipped + "# mine\n", "version = 2\n", shipped + "# mine\n"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			file := filepath.Join(n.root, "etc/containerd/config.toml")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(c.has), 0o600))
			for range 2 {
				n.setContainerd(t, `
containerd() { printf '%s' `+singleQuoted(c.defaults)+`; }
dpkg-query() { printf '\n `+file+` `+md5Of(shipped)+`\n'; }`)
				assert.Equal(t, c.want, read(t, n.root, "etc/containerd/config.toml"))
			}
		})
	}
}

// The programs of CNI of Debian's package are not where pod networks put theirs, and containerd looks in one place.
func TestPrepareNode_copiesDebiansProgramsOfCNI(t *testing.T) {
	n := newNode(t)
	for _, program := range []string{"usr/lib/cni/loopback", "usr/lib/cni/bridge", "opt/cni/bin/bridge"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(n.root, program)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(n.root, program), []byte(program), 0o755))
	}
	for range 2 {
		n.setContainerd(t, "containerd() { echo 'version = 2'; }")
		assert.Equal(t, "usr/lib/cni/loopback", read(t, n.root, "opt/cni/bin/loopback"))
		assert.Equal(t, "opt/cni/bin/bridge", read(t, n.root, "opt/cni/bin/bridge"), "what is there stays")
	}
}

func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// setContainerd runs set_containerd, below n.root.
func (n node) setContainerd(t *testing.T, programs string) {
	t.Helper()
	functions, _, found := strings.Cut(library(t, n.root, "lib-base", "lib-apt", "prepare-node"), "\nread_inputs\n")
	require.True(t, found)
	functions = strings.NewReplacer("/opt/cni", n.root+"/opt/cni", "/usr/lib/cni", n.root+"/usr/lib/cni").Replace(functions)
	said, code := shell(t, functions+`
systemctl() { :; }; service() { :; }
kubeadm() { [[ $1 == version ]] && echo v1.34.4 || printf '%s\n' registry.k8s.io/kube-proxy:v1.34.4 registry.k8s.io/pause:3.10.1; }
`+programs+`
set_containerd`)
	require.Zero(t, code, said)
}

// A node with IPv6 pods forwards IPv6, and keeps the default route that its own router advertises.
func TestPrepareNode_forwardsIPv6WherePodsHaveIt(t *testing.T) {
	for forwards, want := range map[string]string{
		"yes": "net/ipv6/conf/ens3/accept_ra = 2\nnet/ipv6/conf/eth0.7/accept_ra = 2\n" +
			"net.ipv6.conf.all.forwarding = 1\nnet.ipv6.conf.default.forwarding = 1\n",
		"no": "",
	} {
		t.Run(forwards, func(t *testing.T) {
			n := newNode(t)
			for name, advertised := range map[string]string{"ens3": "1", "eth0.7": "2", "static": "0", "veth1": "1"} {
				file := filepath.Join(n.root, "proc/sys/net/ipv6/conf", name, "accept_ra")
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(advertised+"\n"), 0o600))
				device := filepath.Join(n.root, "sys/class/net", name)
				if name != "veth1" {
					device = filepath.Join(device, "device")
				}
				require.NoError(t, os.MkdirAll(device, 0o755))
			}
			functions, _, found := strings.Cut(library(t, n.root, "lib-base", "lib-apt", "prepare-node"), "\nread_inputs\n")
			require.True(t, found)
			functions = strings.NewReplacer("/proc/sys/net", n.root+"/proc/sys/net", "/sys/class", n.root+"/sys/class").Replace(functions)
			said, code := shell(t, functions+`
in_container() { :; }
setting() { echo "$1 = $2"; }
set_kernel`, "IPV6="+forwards)
			require.Zero(t, code, said)
			assert.Equal(t, want != "", strings.Contains(said, "net.ipv6.conf.all.forwarding = 1"))
			const always = "net.ipv4.ip_forward = 1\nnet.bridge.bridge-nf-call-iptables = 1\n" +
				"net.bridge.bridge-nf-call-ip6tables = 1\n"
			assert.Equal(t, always+want, read(t, n.root, "etc/sysctl.d/90-windlass.conf"))
		})
	}
}

func md5Of(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) } //nolint:gosec // dpkg's digest

// TestScripts_endForGoodWhenTheirLimitIsUsedUp checks that a script that has used its whole time limit is not retried
// automatically.
func TestScripts_endForGoodWhenTheirLimitIsUsedUp(t *testing.T) {
	for name, c := range map[string]struct{ code, says string }{
		"admit-member, stale member": {"need_api() { :; }; etcd() { return 1; }", "after 0 s etcd does not let go"},
		"admit-member, sick etcd": {"need_api() { :; }; remove_stale() { :; }; kube() { :; }; etcd() { echo 1, " +
			"unstarted; return 1; }", "etcd is not healthy after 0 s"},
		"wait-for-nodes": {
			"need_api() { :; }; api_ready() { return 1; }; kube() { echo refused >&2; return 1; }",
			"after 0 s the API server does not answer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			script, _, _ := strings.Cut(name, ",")
			body := library(t, n.root, script)
			if strings.Contains(c.code, "remove_stale") {
				body = strings.Replace(body, "need_api\n", c.code+"\nneed_api\n", 1)
			}
			said, code := shell(t, library(t, n.root, "lib-base",
				"lib-kube")+"\nTIMEOUT=0 NODES='a b' JOINING=a PEER_URL=u\n"+c.code+"\n"+body)
			assert.Equal(t, 1, code, said)
			assert.Contains(t, said, "windlass: "+c.says)
		})
	}
	functions, _, _ := strings.Cut(library(t, t.TempDir(), "lib-base", "lib-apt", "prepare-node"), "\nread_inputs\n")
	said, code := shell(t, functions+"\nLOCK_FOR=1\ncloud-init() { :; }\ntimeout() { return 124; }\nwait_for_cloud_init")
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "windlass: cloud-init has not ended within 1 s")
	said, code = shell(t, functions+"\nLOCK_FOR=0\nlocked() { echo 'E: Could not get lock /x'; return 100; }\npatiently "+
		"'it failed' locked")
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "windlass: it failed: another installation of packages has not ended within 0 s")
}

// TestBalancer_hasThePartsOfAllOwners checks that HAProxy's configuration consists of the cluster's part and of the
// ports that VNFs expose, each port once.
func TestBalancer_hasThePartsOfAllOwners(t *testing.T) {
	n := newNode(t)
	exposed := filepath.Join(n.root, "var/lib/windlass/balancer/exposed")
	require.NoError(t, os.MkdirAll(exposed, 0o755))
	for file, text := range map[string]string{
		filepath.Join(exposed, "web"): "30080 30443\n", filepath.Join(exposed, "other"): "30443 31000\n",
		filepath.Join(n.root, "in.haproxy"): "frontend node-port-31000\n    bind *:31000\n",
		filepath.Join(n.root, "nodes"):      "cp-1 10.0.0.11\nworker-1 10.0.0.21\n",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	compose := "set -euo pipefail\nSCRATCH=" + n.root + "\n" + library(t, n.root, "lib-balancer") + "\ncompose_haproxy " + n.root + "/nodes\n"
	out, code := shell(t, compose)
	require.Zero(t, code, out)
	whole, err := os.ReadFile(filepath.Join(n.root, "in.haproxy"))
	require.NoError(t, err)
	for text, count := range map[string]int{
		"bind *:31000\n": 1, "bind *:30080\n": 1, "bind *:30443\n": 1, "    server cp-1 10.0.0.11:30080\n": 1,
		"    server worker-1 10.0.0.21:30443\n": 1, "\nbackend node-port-30443\n": 1,
	} {
		require.Equal(t, count, strings.Count(string(whole), text), "%s in %s", text, whole)
	}
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "nodes"), []byte("cp-1 fd00::11\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(n.root, "in.haproxy"), []byte("    bind [::]:31000 v4v6\n"), 0o600))
	out, code = shell(t, compose)
	require.Zero(t, code, out)
	whole, err = os.ReadFile(filepath.Join(n.root, "in.haproxy"))
	require.NoError(t, err)
	require.Contains(t, string(whole), "    bind [::]:30080 v4v6\n")
	require.Contains(t, string(whole), "    server cp-1 [fd00::11]:30080\n")
	require.Equal(t, 1, strings.Count(string(whole), ":31000"))
}
