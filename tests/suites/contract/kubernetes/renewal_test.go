package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// setOf returns the manifest of a workload of a kind whose controller does not replace all its Pods by itself.
func setOf(kind, image string) string {
	text := strings.Replace(deployment("web", image, 3), "kind: Deployment", "kind: "+kind, 1)
	if kind == "StatefulSet" {
		return strings.Replace(text, "  replicas:", "  serviceName: web\n  replicas:", 1)
	}
	return text
}

// TestChange_ofSetsToSomethingBrokenAndBack changes to a broken package and back. The controller of a StatefulSet waits
// for ever for the broken Pods, and the controller of a ReplicaSet replaces none.
func TestChange_ofSetsToSomethingBrokenAndBack(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, kind := range []string{"StatefulSet", "ReplicaSet"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			namespace := "test-" + strings.ToLower(kind)
			newNamespace(t, p, namespace)
			c := p.Connect(t, namespace)
			to := func(image string) error {
				change := otherwise(t, setOf(kind, image)+settings)
				of := change.Definition.(kube.Definition)
				of.Workloads = map[string]kube.Workload{"WEB": {Kind: kind, Name: "web"}}
				change.Definition = of
				return c.Change(t.Context(), change, func(string) {})
			}
			images := func() (out []string, uids []string) {
				list, err := p.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
				require.NoError(t, err)
				for _, pod := range list.Items {
					out, uids = append(out, pod.Spec.Containers[0].Image), append(uids, string(pod.UID))
				}
				return out, uids
			}
			_, err := deploy(t, c, "vnf-1", owner, kube.Definition{Objects: manifests(t, setOf(kind, "httpd:1"))})
			require.NoError(t, err)

			err = to("broken:2")
			require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
			have, _ := images()
			require.Contains(t, have, "httpd:1", "the others go on")
			require.Contains(t, have, "broken:2")
			require.NoError(t, to("httpd:1"))
			have, were := images()
			require.Equal(t, []string{"httpd:1", "httpd:1", "httpd:1"}, have)

			for range 2 {
				require.NoError(t, to("httpd:2"))
			}
			have, now := images()
			require.Equal(t, []string{"httpd:2", "httpd:2", "httpd:2"}, have, "no former Pod goes on")
			require.NoError(t, to("httpd:2"))
			_, same := images()
			require.ElementsMatch(t, now, same, "the connector replaced Pods without a reason")
			require.NotEqual(t, were, same)
			require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
		})
	}
}
