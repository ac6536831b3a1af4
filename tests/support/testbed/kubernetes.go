package testbed

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Kubernetes returns a client of a registered cluster, with the account that Windlass created for itself.
func (b *Bed) Kubernetes(t testing.TB, name string) *kubernetes.Clientset {
	t.Helper()
	vims := b.Get(t, "/v1.0/vims?name="+name)["vims"].([]any)
	require.Len(t, vims, 1)
	config := &rest.Config{
		Host:            vims[0].(map[string]any)["auth_url"].(string),
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
	}
	var refused error
	for ref, value := range b.Unsealed(t) { // there may be other clusters
		if !strings.Contains(ref, "token") || strings.Count(value, ".") != 2 { // a service account's token is a JWT
			continue
		}
		config.BearerToken = value
		c, err := kubernetes.NewForConfig(config)
		require.NoError(t, err)
		if _, refused = c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{Limit: 1}); !apierrors.IsUnauthorized(refused) {
			return c
		}
	}
	require.NoError(t, refused)
	require.FailNow(t, "There is no token of a cluster.")
	return nil
}

// RequireNodes asks a real cluster itself. It must have exactly this number of nodes, all ready, as many members of
// etcd as control planes, and no join token.
func (b *Bed) RequireNodes(t testing.TB, cluster string, want Sizes) {
	t.Helper()
	c := b.Kubernetes(t, cluster)
	nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, want.ControlPlanes+want.Workers)
	for _, n := range nodes.Items {
		require.True(t, Ready(n), n.Name)
		require.False(t, n.Spec.Unschedulable, n.Name)
	}
	require.Eventually(t, func() bool { // Kubernetes needs some time to delete the Pods of a removed node
		etcd, err := c.CoreV1().Pods("kube-system").List(t.Context(), metav1.ListOptions{LabelSelector: "component=etcd"})
		return err == nil && len(etcd.Items) == want.ControlPlanes
	}, 3*time.Minute, time.Second, "the pods of etcd are not %d", want.ControlPlanes)
	tokens, err := c.CoreV1().Secrets("kube-system").List(t.Context(),
		metav1.ListOptions{FieldSelector: "type=bootstrap.kubernetes.io/token"})
	require.NoError(t, err)
	require.Empty(t, tokens.Items, "no join token is left")
}

// Ready reports whether a node is ready.
func Ready(n corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
