package scripts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPointToSelf_replacesOnlyTheControlPlanesThatAreGone uses the files of a control plane that kubespray has made, and
// ConfigMaps in files.
func TestPointToSelf_replacesOnlyTheControlPlanesThatAreGone(t *testing.T) {
	n := newNode(t)
	file := func(name, content string) (path string) {
		path = filepath.Join(n.root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	admin := file("etc/kubernetes/admin.conf", "    server: https://10.0.0.11:6443\n")
	const flags = "    - --etcd-certfile=/etc/ssl/etcd/ssl/node-NAME.pem\n    - --etcd-keyfile=/etc/ssl/etcd/ssl/node-NAME-key.pem\n"
	manifest := file("etc/kubernetes/manifests/kube-apiserver.yaml", strings.ReplaceAll(flags, "NAME", "cp-1"))
	file("proc/7/cmdline", "kube-apiserver\x00--etcd-certfile=/etc/ssl/etcd/ssl/node-cp-2.pem\x00") // it has started again
	info := file("kube-public-cluster-info", "        server: https://10.0.0.11:6443\n")
	config := file("kube-system-kubeadm-config", "    controlPlaneEndpoint: 110.0.0.11:6443\n")
	stubs := `
ADDRESS=10.0.0.12 GONE='10.0.0.19 10.0.0.11' NODE_NAME=cp-2 GONE_NODES='cp-9 cp-1'
api_ready() { :; }
kube() {
  case $1 in
  -n) cat "` + n.root + `/$2-$5"; last=$2-$5; echo "$last" >` + n.root + `/last ;;
  replace) cp "$3" "` + n.root + `/$(cat ` + n.root + `/last)"; echo "replaced $(cat ` + n.root + `/last)" >&3 ;;
  esac
}
exec 3>&1
`
	run := func() string {
		said, code := shell(t, library(t, n.root, "lib-base", "lib-kube")+stubs+library(t, n.root, "point-to-self"))
		require.Zero(t, code, said)
		return said
	}
	said := run()
	assert.Contains(t, said, "admin.conf names this control plane now")
	assert.Contains(t, said, "the API server starts again with the certificate of this node")
	assert.Contains(t, said, "the ConfigMap kube-public/cluster-info names this control plane now")
	assert.NotContains(t, said, "kubeadm-config")
	for path, wanted := range map[string]string{
		admin: "    server: https://10.0.0.12:6443\n", info: "        server: https://10.0.0.12:6443\n",
		manifest: strings.ReplaceAll(flags, "NAME", "cp-2"),
		config:   "    controlPlaneEndpoint: 110.0.0.11:6443\n", // another node's
	} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, wanted, string(text), path)
	}
	assert.Empty(t, run(), "the second run changes nothing")
}

func TestLookForRemains_seesWhatKubeadmHasBegun(t *testing.T) {
	n := newNode(t)
	look := func() string {
		said, code := shell(t, library(t, n.root, "lib-base")+library(t, n.root, "look-for-remains"))
		require.Zero(t, code, said)
		return strings.TrimSpace(said)
	}
	assert.Equal(t, "windlass-result: remains=no", look())
	kubelet := filepath.Join(n.root, "var/lib/kubelet")
	require.NoError(t, os.MkdirAll(kubelet, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(kubelet, "config.yaml"), nil, 0o600))
	assert.Equal(t, "windlass-result: remains=yes", look())
}
