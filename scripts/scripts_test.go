package scripts_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

var member = scripts.Member{Cluster: "7f3c", Node: "cp-1a2b3c4d", Address: "10.0.0.11", ControlPlane: true}

// steps returns one of each shell step, with parameters as in an operation.
func steps() []scripts.Script {
	return []scripts.Script{
		scripts.CheckNode{
			Node: "cp-1a2b3c4d", Address: "10.0.0.11", Ports: []string{"6443", "2379"}, Packages: []string{"kubeadm", "haproxy"},
			MinCPUs: 2, MinMemoryMiB: 1700, MinDiskMiB: 4096, Ignore: []string{"NumCPU", "Mem"},
		},
		scripts.PrepareNode{
			Node: "cp-1a2b3c4d", Hosts: []string{"10.0.0.11 cp-1a2b3c4d", "10.0.0.21 worker-5e6f7a8b"},
			NoProxy:  "localhost,10.0.0.0/24",
			Packages: []string{"containerd", "kubeadm", "kubelet", "kubectl"}, Hold: []string{"kubeadm", "kubelet", "kubectl"},
			Version: "1.34.4-1.1", Source: "https://packages.example.com/core:/stable:/v1.34/deb/ /", LockFor: 600, IPv6: true,
		},
		scripts.ConnectRegistries{
			Servers: []string{"192.168.0.10:5000", "registry.example.com"}, Gone: []string{"old.example.com"},
			DockerGone: []string{"old.example.com"},
			Hosts:      []string{"192.168.0.20 registry.example.com"}, Credentials: true,
		},
		scripts.CheckRegistries{
			Servers:   []string{"192.168.0.10:5000", "registry.example.com"},
			URLs:      []string{"http://192.168.0.10:5000", "https://registry.example.com"},
			Manifests: []string{"", "/v2/library/busybox/manifests/1.36"},
		},
		scripts.InstallRegistry{
			Port: 5000, HTTPS: true, Image: "docker.io/library/registry:2", ImageFile: "/var/lib/windlass/registry-image.tar",
			LockFor: 600, Volume: "/registry",
			Certificate: &scripts.MadeCertificate{
				CA: "11112222-3333-4444-8555-666677778888", Names: []string{"registry.example.com"},
				Addresses: []string{"10.0.0.41", "fd00::41"}, Days: 3650,
			},
		},
		scripts.CheckAnsible{
			Root: "/opt/kubespray", Directory: "/srv/inventories/windlass-7f3c", Passwords: true, Playbooks: []string{"cluster", "facts"},
		},
		scripts.RunPlaybook{
			Root: "/opt/kubespray", Directory: "/srv/inventories/windlass-7f3c", Playbook: "remove-node",
			Limit: []string{"worker-5e6f7a8b"}, Variables: []string{"node=worker-5e6f7a8b", "skip_confirmation=yes"}, Owner: "operation 4711",
		},
		scripts.RemoveInventory{Directory: "/srv/inventories/windlass-7f3c"},
		scripts.FindInterface{Address: "10.0.0.11"},
		scripts.ConfigureLoadBalancer{Node: "cp-1a2b3c4d", Port: 16443, Timeout: 30},
		scripts.BalanceExternally{Node: "lb-7c8d9e0f", Port: 8383, Timeout: 60, LockFor: 600, NoProxy: "10.0.0.0/24"},
		scripts.ExposeServices{Owner: "4a0b6c1e", Ports: []int{30080, 30443}, Timeout: 60},
		scripts.RunExposureScript{Services: []string{"default,web,30080,30443"}, Add: true},
		scripts.RunPackageScript{Path: "Scripts/configure.sh"},
		scripts.PlayPackage{Playbook: "Scripts/web.yaml", Password: true},
		scripts.RunBalancerScript{ControlPlanes: []string{"10.0.0.11"}, Workers: []string{"10.0.0.21", "10.0.0.22"}},
		scripts.FindVirtualIP{VirtualIP: "10.0.0.10", Port: 16443, Timeout: 5},
		scripts.CheckMember{Member: member, Timeout: 300},
		scripts.KubeadmInit{Member: member, TokenID: "abcdef", Timeout: 900},
		scripts.KubeadmJoin{Member: member, Endpoint: "10.0.0.10:16443", Timeout: 900},
		scripts.AdmitMember{Member: member, Joining: "cp-9z", PeerURL: "https://10.0.0.12:2380", Timeout: 120},
		scripts.MintJoin{Member: member, Operation: "4711", TTL: 1800, Timeout: 60},
		scripts.RevokeJoin{Member: member, Operation: "4711"},
		scripts.ApplyManifest{Member: member, Manifest: "Files/cni.yaml"},
		scripts.LabelNodes{
			Member: member, Labels: []string{"worker-5e6f7a8b CIS-node=compute1 kubernetes.io/zone=az1"}, Timeout: 60,
		},
		scripts.WaitForNodes{Member: member, Nodes: []string{"cp-1a2b3c4d", "worker-5e6f7a8b"}, Timeout: 600},
		scripts.CreateVimAccount{Member: member, TokenFile: "/run/windlass-4711.token", Timeout: 60},
		scripts.RemoveFile{File: "/run/windlass-4711.token"},
		scripts.ClusterHealth{Member: member, Timeout: 60},
		scripts.DrainNode{Member: member, Leaving: "worker-5e6f7a8b", DrainFor: 300, DetachFor: 120, Off: "SHUTOFF"},
		scripts.UncordonNode{Member: member, Leaving: "worker-5e6f7a8b", Timeout: 60},
		scripts.DeleteNode{Member: member, Leaving: "worker-5e6f7a8b", Timeout: 60},
		scripts.RemoveMembers{
			Member:  member,
			Leaving: []scripts.LeavingMember{{Name: "cp-9z", PeerURL: "https://10.0.0.12:2380"}}, Timeout: 120,
		},
		scripts.RetireNode{Member: member},
		scripts.LookAtNode{Node: "cp-1a2b3c4d", VirtualIP: "10.0.0.10", Port: 16443},
		scripts.LookForRemains{},
		scripts.PointToSelf{Member: member, Gone: []string{"10.0.0.12"}, GoneNodes: []string{"cp-9z"}},
		scripts.CheckStorageServer{Node: "storage-7c8d9e0f", Address: "10.0.0.31"},
		scripts.SetUpVolumes{
			Node:    "storage-7c8d9e0f",
			Volumes: []scripts.MountedVolume{{ID: "0b1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e", Directory: "/volume"}}, Timeout: 60,
			LockFor: 600,
		},
		scripts.ExportVolumes{
			Node: "storage-7c8d9e0f", Exports: []scripts.Export{{
				Directory: "/volume/nfs/pv1",
				Networks:  []string{"10.0.0.0/24", "10.1.0.5"},
			}},
			Mounts: []string{"/volume"}, NoProxy: "localhost", LockFor: 600, Timeout: 60,
		},
		scripts.MountExports{
			Node: "worker-5e6f7a8b", Exports: []scripts.RemoteExport{{Server: "10.0.0.31", Directory: "/volume/nfs/pv1"}},
			LockFor: 600, Timeout: 60,
		},
		scripts.LookAtVolumes{Member: member},
		scripts.RemoveVolumes{Member: member, Timeout: 60},
		scripts.RegisterVolumes{
			Member: member, Manifest: "Files/kubernetes/nfs-pv1.yaml", Names: []string{"nfs-pv1"}, Timeout: 60,
		},
		scripts.SetUpStorageClass{Member: member, StorageClassManifest: storageClass, Timeout: 600},
		scripts.ScaleProvisioners{Member: member, Classes: []string{"files", "kept"}, Stop: true, Timeout: 60},
		scripts.MoveVolumes{
			Member: member, Class: "files", Provisioner: "nfs.windlass/files", Server: "10.0.0.31", Timeout: 60,
		},
		scripts.TellHosts{Node: "cp-1a2b3c4d", Hosts: []string{"10.0.0.11 cp-1a2b3c4d", "10.0.0.21 worker-5e6f7a8b"}},
	}
}

func TestScripts_passBashAndShellcheck(t *testing.T) {
	t.Parallel()
	for _, step := range steps() {
		t.Run(step.Name(), func(t *testing.T) {
			t.Parallel()
			text, err := step.Render()
			require.NoError(t, err)
			check(t, text, "bash", "-n", "/dev/stdin")
			// SC2034, SC2317: not every script uses all functions of a library and all its parameters.
			check(t, text, "shellcheck", "--shell=bash", "--exclude=SC2034,SC2317", "/dev/stdin")
		})
	}
}

func TestRender_refusesWhatCannotBeAParameter(t *testing.T) {
	_, err := scripts.FindInterface{}.Render()
	assert.ErrorContains(t, err, "ADDRESS is empty")
	_, err = scripts.FindInterface{Address: "10.0.0.1\nreboot"}.Render()
	assert.ErrorContains(t, err, "more than one line")
}

func TestRender_quotesWhateverComes(t *testing.T) {
	text, err := scripts.RemoveFile{File: `/tmp/it's $(reboot) "x"`}.Render()
	require.NoError(t, err)
	head, _, _ := strings.Cut(text, "\nset -")
	out, err := exec.CommandContext(t.Context(), "bash", "-c", head+"\nprintf %s \"$FILE\"").Output()
	require.NoError(t, err)
	assert.Equal(t, `/tmp/it's $(reboot) "x"`, string(out))
}

func TestStdin_isReadBackByTheLibrary(t *testing.T) {
	library, err := os.ReadFile("sh/lib-base.sh")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "bash", "-c",
		string(library)+"\nread_inputs\nneed_input a b\ncat \"$SCRATCH/in.a\" \"$SCRATCH/in.b\"")
	cmd.Stdin = bytes.NewReader(scripts.Stdin(scripts.Input{Name: "a", Value: "one=\n"},
		scripts.Input{Name: "b", Value: "two"}))
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Equal(t, "one=\ntwo", string(out))
}

// TestAttempt_exitsWithTheCodeThatFitsTheReason checks the exit code of explain for each class of failure, because it
// decides whether a step is retried.
func TestAttempt_exitsWithTheCodeThatFitsTheReason(t *testing.T) {
	library, err := os.ReadFile("sh/lib-base.sh")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		says string
		code int
		want string
	}{
		"preflight": {
			"[preflight] Some fatal errors occurred:\n\t[ERROR NumCPU]: one CPU\n\t[ERROR Port-6443]: in use\n",
			1, "kubeadm failed: [ERROR NumCPU]: one CPU; [ERROR Port-6443]: in use",
		},
		"disk full": {"write /x: No space left on device\n", 73, "kubeadm failed: no space left on device"},
		"network":   {"error: dial tcp: i/o timeout\n", 75, "kubeadm failed: error: dial tcp: i/o timeout"},
		"control plane": {
			"error: error execution phase wait-control-plane: connection refused\n", 1,
			"look at 'journalctl -u kubelet'",
		},
		"anything else": {
			"starting\nerror: no such thing\nTo see the stack trace of this error execute with --v=5\n", 1,
			"kubeadm failed: error: no such thing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "bash", "-c", string(library)+`
say() { printf '%s' "$SAYS"; return 1; }
attempt "kubeadm failed" say`)
			cmd.Env = append(os.Environ(), "SAYS="+c.says)
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, c.code, cmd.ProcessState.ExitCode(), string(out))
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			assert.True(t, strings.HasPrefix(lines[len(lines)-1], "windlass: "), string(out))
			assert.Contains(t, lines[len(lines)-1], c.want)
		})
	}
}

func TestParseResults_passesOverWhatIsNoResult(t *testing.T) {
	r := scripts.ParseResults("hello\nwindlass-result: a=1\r\nwindlass-result: p=b25l\nwindlass-result: " +
		"p=dHdv\nwindlass-result: p=!\nwindlass-result: bad\nwindlass-result: a=2")
	assert.Equal(t, "2", r.Get("a"))
	assert.Equal(t, []string{"one", "two"}, r.Texts("p"))
	assert.Empty(t, r.Get("bad"))
}

// TestResults_hideSecretsAfterTheyAreDecoded uses a wrong password that is a word of the sentence that reports it. Its
// base64 form may be a part of the sentence's base64 form.
func TestResults_hideSecretsAfterTheyAreDecoded(t *testing.T) {
	const said = "denied|192.168.0.10:5000|refuses the user name or the password (401)"
	encoded := base64.StdEncoding.EncodeToString([]byte(said))
	part := base64.RawStdEncoding.EncodeToString([]byte("password"))[:10]
	require.Contains(t, encoded, part)
	hide := strings.NewReplacer("password", "***", part, "***").Replace
	r := scripts.ParseResults("windlass-result: failure=" + encoded + "\nwindlass-result: word=password").Hiding(hide)
	require.Equal(t, []string{"denied|192.168.0.10:5000|refuses the user name or the *** (401)"}, r.Texts("failure"))
	require.Equal(t, "***", r.Get("word"))
}

func FuzzParseResults(f *testing.F) {
	f.Add("windlass-result: a=1\nx")
	f.Fuzz(func(t *testing.T, s string) {
		if r := scripts.ParseResults(s); r.Get("") != "" || r.Texts("") != nil {
			t.Error("a result without a key")
		}
	})
}

// check pipes text through a tool, if it is installed.
func check(t *testing.T, text, tool string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Logf("%s is not installed: not checked", tool)
		return
	}
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s: %s", tool, out)
}
