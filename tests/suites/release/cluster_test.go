package release

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	clusterName = "containers" // of the VIM
	clusterFile = "cluster.json"
)

// The namespaces of the VNFs, by the decision about their operations. Windlass keeps its record of a deployment in the
// VIM's namespace.
var namespaces = []string{"retry", "rollback", "default"}

// objects are what the VNFs have in the cluster. The cluster is in memory, so a test keeps them in a file.
type objects struct {
	ConfigMaps  []corev1.ConfigMap  `json:"configMaps"`
	Secrets     []corev1.Secret     `json:"secrets"`
	Services    []corev1.Service    `json:"services"`
	Deployments []appsv1.Deployment `json:"deployments"`
}

// newCluster starts an API server in memory, with a namespace for each VNF.
func newCluster(t *testing.T) *kubetest.ControlPlane {
	t.Helper()
	cluster := kubetest.StartInMemory(t)
	for _, name := range namespaces[:2] {
		_, err := cluster.Client.CoreV1().Namespaces().Create(t.Context(), kubetest.Namespace(name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	return cluster
}

// saveCluster writes the objects of the VNFs to the file.
func saveCluster(t *testing.T, cluster *kubetest.ControlPlane, dir string) {
	t.Helper()
	ctx, all := t.Context(), metav1.ListOptions{}
	var o objects
	for _, in := range namespaces {
		maps, err := cluster.Client.CoreV1().ConfigMaps(in).List(ctx, all)
		require.NoError(t, err)
		secrets, err := cluster.Client.CoreV1().Secrets(in).List(ctx, all)
		require.NoError(t, err)
		services, err := cluster.Client.CoreV1().Services(in).List(ctx, all)
		require.NoError(t, err)
		deployments, err := cluster.Client.AppsV1().Deployments(in).List(ctx, all)
		require.NoError(t, err)
		o.ConfigMaps, o.Secrets = append(o.ConfigMaps, maps.Items...), append(o.Secrets, secrets.Items...)
		o.Services, o.Deployments = append(o.Services, services.Items...), append(o.Deployments, deployments.Items...)
	}
	text, err := json.MarshalIndent(o, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, clusterFile), append(text, '\n'), 0o600))
}

// moveCluster gives the VIM for containers a new cluster with the same objects.
func moveCluster(t *testing.T, b *testbed.Bed, dir string) {
	t.Helper()
	cluster := newCluster(t)
	text, err := os.ReadFile(filepath.Join(dir, clusterFile))
	require.NoError(t, err)
	var o objects
	require.NoError(t, json.Unmarshal(text, &o))
	for i := range o.ConfigMaps {
		put(t, &o.ConfigMaps[i], cluster.Client.CoreV1().ConfigMaps(o.ConfigMaps[i].Namespace).Create)
	}
	for i := range o.Secrets {
		put(t, &o.Secrets[i], cluster.Client.CoreV1().Secrets(o.Secrets[i].Namespace).Create)
	}
	for i := range o.Services {
		put(t, &o.Services[i], cluster.Client.CoreV1().Services(o.Services[i].Namespace).Create)
	}
	for i := range o.Deployments {
		put(t, &o.Deployments[i], cluster.Client.AppsV1().Deployments(o.Deployments[i].Namespace).Create)
	}
	b.MoveVim(t, clusterName, cluster.URL, map[string]any{"bearer_token": kubetest.Token, "ssl_ca_cert": cluster.CA})
}

// put creates an object of the file.
func put[T metav1.Object](
	t *testing.T, object T, create func(context.Context, T, metav1.CreateOptions) (T, error),
) {
	t.Helper()
	object.SetResourceVersion("")
	object.SetUID("")
	_, err := create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err, object.GetName())
}
