package main

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(name, podCIDR string, addresses ...corev1.NodeAddress) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.NodeSpec{PodCIDR: podCIDR},
		Status:     corev1.NodeStatus{Addresses: addresses},
	}
}

func internal(ip string) corev1.NodeAddress {
	return corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip}
}

func TestPlan_routesToTheOthersAndWaitsForWhatIsNotThereYet(t *testing.T) {
	p := planFor("a", []corev1.Node{
		node("a", "10.244.0.0/24", internal("10.78.0.11")),
		node("b", "10.244.1.0/24", corev1.NodeAddress{Type: corev1.NodeHostName, Address: "b"}, internal("10.78.0.12")),
		node("no-cidr-yet", "", internal("10.78.0.13")),
		node("no-address-yet", "10.244.3.0/24"),
	})
	require.Equal(t, plan{
		self:  peer{node: netip.MustParseAddr("10.78.0.11"), pods: netip.MustParsePrefix("10.244.0.0/24")},
		peers: []peer{{node: netip.MustParseAddr("10.78.0.12"), pods: netip.MustParsePrefix("10.244.1.0/24")}},
	}, p)
	require.True(t, p.ready())
	require.Equal(t, "02:78:0a:4e:00:0c", p.peers[0].mac().String())
	require.False(t, planFor("no-cidr-yet", []corev1.Node{node("no-cidr-yet", "", internal("10.78.0.13"))}).ready())
}

func TestWriteConf_isValidJSONAndWrittenOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "10-labnet.conflist")
	require.NoError(t, writeConf(path, "10.244.0.0/24", 1450))
	first, err := os.Stat(path)
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, json.Valid(content))
	require.Contains(t, string(content), `"subnet":"10.244.0.0/24"`)

	require.NoError(t, writeConf(path, "10.244.0.0/24", 1450))
	second, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(first, second), "an unchanged file must not be replaced: containerd would reload it")
}

func TestAPIServer_isReadThoughTheClientCertificateIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubelet.conf")
	require.NoError(t, os.WriteFile(path, []byte(`
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.78.0.10:6440"}}]
users: [{name: u, user: {client-certificate: /nowhere.pem, client-key: /nowhere.pem}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`), 0o600))
	require.Equal(t, "https://10.78.0.10:6440", apiServer(path))
	require.Empty(t, apiServer(path+".missing"))
}
