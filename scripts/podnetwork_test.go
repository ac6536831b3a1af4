package scripts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// applying runs apply-manifest with a kubectl that answers as the lines of code say.
func applying(t *testing.T, kube string) (string, int) {
	t.Helper()
	n := newNode(t)
	stubs := `
MANIFEST=Files/net.yaml CLUSTER=c ADDRESS=10.0.0.1
read_inputs() { :; }; need_input() { :; }; need_api() { :; }
rest_from() { :; }
kube() { echo x >>"$SCRATCH/calls"; ` + kube + `; }
trap 'echo "calls=$(wc -l <"$SCRATCH/calls")"; rm -rf "$SCRATCH"' EXIT
`
	return shell(t, library(t, n.root, "lib-base", "lib-kube")+stubs+library(t, n.root, "apply-manifest"))
}

// TestApplyManifest_waitsForTheKindsThatItDefines checks manifests with definitions of kinds and objects of these kinds:
// the API server knows the kinds a moment later.
func TestApplyManifest_waitsForTheKindsThatItDefines(t *testing.T) {
	said, code := applying(t, `if (($(wc -l <"$SCRATCH/calls") < 3)); then
	echo 'error: resource mapping not found: no matches for kind "Pool" in version "net.example.com/v1"'; return 1; fi
	echo 'pool.net.example.com/net serverside-applied'`)
	assert.Equal(t, 0, code, said)
	assert.Contains(t, said, "serverside-applied")
	assert.Contains(t, said, "calls=3")

	said, code = applying(t, `echo 'error: unable to decode'; return 1`)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "windlass: Files/net.yaml cannot be applied: error: unable to decode")
	assert.Contains(t, said, "calls=1", "only unknown kinds are waited for")
}

// TestWaitForNodes_explainsAMissingPodNetwork checks the remedy for nodes that kubelet calls not ready for this reason.
func TestWaitForNodes_explainsAMissingPodNetwork(t *testing.T) {
	n := newNode(t)
	stubs := `
NODES=a TIMEOUT=0 CLUSTER=c ADDRESS=10.0.0.1
need_api() { :; }
kube() { printf 'a\tFalse\tKubeletNotReady: container runtime network not ready: %s\n' "$REASON"; }
`
	body := library(t, n.root, "lib-base", "lib-kube") + stubs + library(t, n.root, "wait-for-nodes")
	said, code := shell(t, body, "REASON=NetworkReady=false reason:NetworkPluginNotReady message: cni plugin not initialized")
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "no pod network works there")
	assert.Contains(t, said, "have no 'Apply the pod network', because an earlier release began it, apply a manifest")

	said, _ = shell(t, body, "REASON=PLEG is not healthy")
	assert.Contains(t, said, "look at 'journalctl -u kubelet' there")
	assert.NotContains(t, said, "pod network works")
}
