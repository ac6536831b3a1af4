package kubernetes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// TestKubeconfig_letsInForATime checks that the API server accepts a kubeconfig made from a service account's token,
// and that the token expires when the connector says.
func TestKubeconfig_letsInForATime(t *testing.T) {
	p := start(t)
	_, _, err := kube.Kubeconfig(t.Context(), vimOf(p), registered(p), 10*time.Minute, outbound.Guard{})
	require.ErrorContains(t, err, "The service account windlass-vnfm in kube-system, which the VIM")

	text := administrators(t, p)
	asClient, cred, err := kube.ReadKubeconfig(lcm.Vim{Name: "as a client", Type: lcm.VimKubernetes},
		map[string]any{"kubeconfig": text}, "$")
	require.NoError(t, err)
	require.NotEqual(t, kubetest.Token, cred["bearer_token"])
	found, err := kube.Check(t.Context(), asClient, cred, outbound.Guard{})
	require.NoError(t, err)
	require.Empty(t, found.Warnings)
	require.Contains(t, found.Regions, "kube-system")
}

func vimOf(p *kubetest.ControlPlane) lcm.Vim {
	return lcm.Vim{Name: "edge", Type: lcm.VimKubernetes, AuthURL: p.URL}
}

func registered(p *kubetest.ControlPlane) map[string]any {
	return map[string]any{"bearer_token": kubetest.Token, "ssl_ca_cert": p.CA}
}

// administrators makes the service account that clusters of Windlass have, and returns a kubeconfig of it for ten
// minutes.
func administrators(t *testing.T, p *kubetest.ControlPlane) string {
	t.Helper()
	ctx, name := t.Context(), metav1.ObjectMeta{Name: "windlass-vnfm"}
	_, err := p.Client.CoreV1().ServiceAccounts("kube-system").Create(ctx, &corev1.ServiceAccount{ObjectMeta: name},
		metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = p.Client.RbacV1().ClusterRoleBindings().Create(ctx, &rbac.ClusterRoleBinding{
		ObjectMeta: name, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbac.Subject{{Kind: "ServiceAccount", Name: "windlass-vnfm", Namespace: "kube-system"}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	text, expires, err := kube.Kubeconfig(ctx, vimOf(p), registered(p), 10*time.Minute, outbound.Guard{})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(10*time.Minute), expires, time.Minute)
	return text
}
