package scripts_test

import (
	"bytes"
	"os/exec"
	"os/user"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

func backends(prefix string) []scripts.Backend {
	return []scripts.Backend{
		{"cp-1a2b3c4d", prefix + "11"},
		{"cp-2b3c4d5e", prefix + "12"},
		{"cp-3c4d5e6f", prefix + "13"},
	}
}

func TestHAProxyConf_isWhatHAProxyTakes(t *testing.T) {
	for name, c := range map[string]scripts.HAProxyConf{
		"haproxy.cfg":        {Port: 16443, Backends: backends("10.0.0.")},
		"haproxy-backup.cfg": {Port: 6440, EtcdPort: 12379, Backup: true, Backends: backends("10.0.0.")},
		"haproxy-external.cfg": {
			Port: 8383, Backends: backends("10.0.0."), NodePorts: []scripts.ServedPort{{30080, 30080}, {443, 30443}},
			Nodes: append(backends("10.0.0."), scripts.Backend{Name: "worker-5e6f7a8b", Address: "10.0.0.21"}),
		},
		"haproxy-ipv6.cfg": {Port: 16443, EtcdPort: 12379, Backends: backends("fd00::")},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := c.Render()
			require.NoError(t, err)
			golden(t, name, text)
			if _, err := exec.LookPath("haproxy"); err != nil {
				t.Log("haproxy is not installed: not checked")
				return
			}
			if _, err := user.Lookup("haproxy"); err != nil {
				t.Log("there is no user haproxy: not checked")
				return
			}
			check(t, text, "haproxy", "-c", "-f", "/dev/stdin")
		})
	}
}

func TestKeepalivedConf_hasOneMasterAndUnicastPeers(t *testing.T) {
	first := scripts.KeepalivedConf{
		Node: "cp-1a2b3c4d", Master: true, Priority: 103, VirtualRouterID: 123, Interface: "ens3", Prefix: "24",
		Address: "10.0.0.11",
		Peers:   []string{"10.0.0.12", "10.0.0.13"}, VirtualIP: "10.0.0.10", Password: "s3cr3t99", Port: 16443,
	}
	second := first
	second.Node, second.Master, second.Priority, second.Address = "cp-2b3c4d5e", false, 102, "10.0.0.12"
	second.Peers = []string{"10.0.0.11", "10.0.0.13"}
	six := first
	six.Address, six.Peers, six.VirtualIP, six.Prefix = "fd00::11", []string{"fd00::12"}, "fd00::10", "64"
	for name, c := range map[string]scripts.KeepalivedConf{
		"keepalived-master.conf": first, "keepalived-backup.conf": second, "keepalived-ipv6.conf": six,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := c.Render()
			require.NoError(t, err)
			golden(t, name, text)
		})
	}
}

var initConfig = scripts.KubeadmInitConfig{
	Node: "cp-1a2b3c4d", Address: "10.0.0.11", Token: "abcdef.0123456789abcdef", CertificateKey: "00ff",
	KubernetesVersion: "v1.34.4",
	Endpoint:          "10.0.0.10:16443", PodCIDR: "192.168.0.0/16", ServiceCIDR: "10.96.0.0/12",
	CertSANs: []string{"10.0.0.10", "10.0.0.11", "cp-1a2b3c4d", "203.0.113.7"},
	Waits:    scripts.KubeadmWaits{Phase: 675, Call: 225},
}

var joinConfig = scripts.KubeadmJoinConfig{
	Node: "cp-2b3c4d5e", Address: "10.0.0.12", Endpoint: "10.0.0.10:16443", Token: "abcdef.0123456789abcdef",
	CACertHash: "sha256:00aa", CertificateKey: "00ff", IgnorePreflightErrors: []string{"SystemVerification"},
	Waits: scripts.KubeadmWaits{Phase: 675, Call: 225},
}

const extra = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failSwapOn: false
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
imageRepository: registry.example.com/k8s
controlPlaneEndpoint: evil.example.com:1
apiServer:
  certSANs: [api.example.com]
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
nodeRegistration:
  criSocket: unix:///run/containerd/containerd.sock
`

func TestKubeadmConfig_isAsItsGoldenFile(t *testing.T) {
	small, merged, worker, joinMerged := initConfig, initConfig, joinConfig, joinConfig
	small.NodeCIDRMask, small.PodCIDR, small.IgnorePreflightErrors = 27, "192.168.3.0/24", []string{"NumCPU"}
	merged.Extra, joinMerged.Extra = []byte(extra), []byte(extra)
	worker.Node, worker.CertificateKey, worker.IgnorePreflightErrors = "worker-5e6f7a8b", "", nil
	for name, c := range map[string]interface{ Render() (string, error) }{
		"kubeadm-init.yaml": initConfig, "kubeadm-init-small.yaml": small, "kubeadm-init-extra.yaml": merged,
		"kubeadm-join-control-plane.yaml": joinConfig, "kubeadm-join-worker.yaml": worker,
		"kubeadm-join-extra.yaml": joinMerged,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := c.Render()
			require.NoError(t, err)
			golden(t, name, text)
		})
	}
}

func TestKubeadmConfig_windlassWinsOverThePackage(t *testing.T) {
	c := initConfig
	c.Extra = []byte(extra)
	text, err := c.Render()
	require.NoError(t, err)
	assert.NotContains(t, text, "evil.example.com")
	assert.Contains(t, text, "api.example.com")
}

func TestKubeadmConfig_takesTheTimeoutsOfThePackage(t *testing.T) {
	c := initConfig
	c.Extra = []byte("apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\ntimeouts: {kubeletHealthCheck: 20m}\n")
	text, err := c.Render()
	require.NoError(t, err)
	assert.Contains(t, text, "kubeletHealthCheck: 20m")
	assert.Contains(t, text, "discovery: 675s")
	c.Waits, c.Extra = scripts.KubeadmWaits{}, nil
	text, err = c.Render()
	require.NoError(t, err)
	assert.NotContains(t, text, "timeouts", "kubeadm's own defaults")
}

// kubeadm itself refuses an argument that is there twice.
func TestKubeadmConfig_keepsItsOwnArguments(t *testing.T) {
	c := initConfig
	c.Extra = []byte("apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nnodeRegistration:\n  kubeletExtraArgs:\n" +
		"  - {name: node-ip, value: 192.0.2.1}\n  - {name: v, value: \"2\"}\n")
	text, err := c.Render()
	require.NoError(t, err)
	assert.NotContains(t, text, "192.0.2.1")
	assert.Contains(t, text, "name: v\n")
}

func TestCheckExtra_saysWhatIsWrong(t *testing.T) {
	assert.NoError(t, scripts.CheckExtra([]byte(extra)))
	assert.NoError(t, scripts.CheckExtra(nil))
	assert.NoError(t, scripts.CheckExtra(bytes.Repeat([]byte("#"), scripts.MaxExtra)))
	for doc, says := range map[string]string{
		"- a\n":                       "not a YAML object",
		"a: b\n":                      "has no kind",
		"a: [\n":                      "not a YAML object",
		"a: b\na: c\n":                "not a YAML object",
		"kind: Pod\napiVersion: v1\n": "is of \"v1\"",
		"kind: ClusterConfiguration\napiVersion: kubeadm.k8s.io/v1beta3\n":                       "convert it with kubeadm config migrate",
		"a: &a " + strings.Repeat("x", 100<<10) + "\nb: [" + strings.Repeat("*a,", 50) + "*a]\n": "aliases expanded",
		"kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n---\nkind: " +
			"KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n": "a second",
		strings.Repeat("#", scripts.MaxExtra+1): "larger than the 262144 bytes allowed",
	} {
		err := scripts.CheckExtra([]byte(doc))
		assert.ErrorContains(t, err, says)
		assert.NotContains(t, err.Error(), "\n")
	}
}

func FuzzCheckExtra(f *testing.F) {
	f.Add([]byte(extra))
	f.Fuzz(func(t *testing.T, doc []byte) {
		c := initConfig
		c.Extra = doc
		_, err := c.Render()
		if (scripts.CheckExtra(doc) == nil) != (err == nil) {
			t.Errorf("the check and the rendering disagree: %v", err)
		}
	})
}
