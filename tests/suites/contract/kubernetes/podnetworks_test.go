package kubernetes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/podnetwork"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/podnetworks"
)

// TestPodNetworks_areTakenByAnAPIServer applies the pod networks of the page as Windlass does: on a real API server, but
// without nodes on which they run.
func TestPodNetworks_areTakenByAnAPIServer(t *testing.T) {
	b := bash{p: kubetest.Start(t), dir: t.TempDir()}
	cilium, values := podnetworks.Cilium(t)
	for name, c := range map[string]struct {
		content, values []byte
		want            []string
	}{
		"flannel": {podnetworks.Flannel(t), nil, []string{"daemonset.apps/kube-flannel-ds"}},
		"calico":  {podnetworks.Calico(t), nil, []string{"daemonset.apps/calico-node"}},
		"cilium":  {cilium, values, []string{"daemonset.apps/cilium", "deployment.apps/cilium-operator"}},
	} {
		t.Run(name, func(t *testing.T) {
			var of k8s.PodNetwork
			if c.values != nil {
				of.ValuesFile = filepath.Join(t.TempDir(), "values.yaml")
				require.NoError(t, os.WriteFile(of.ValuesFile, c.values, 0o600))
			}
			manifest, err := podnetwork.Manifest(t.Context(), c.content, of,
				podnetwork.Target{PodCIDR: "10.200.0.0/16", Version: "1.34.4"})
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			require.NoError(t, os.WriteFile(file, manifest, 0o600))
			for range 2 {
				out := b.run(t, "kubectl apply --server-side --force-conflicts --field-manager=windlass -f "+file)
				for _, want := range c.want {
					require.Contains(t, out, want+" serverside-applied")
				}
			}
			if name == "flannel" {
				require.Contains(t, b.run(t, "kubectl -n kube-flannel get configmap kube-flannel-cfg -o yaml"),
					`"Network": "10.200.0.0/16"`)
			}
		})
	}
}
