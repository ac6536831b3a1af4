package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authentication "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// TestNeeds_areEnough checks that an account with exactly the rights that Needs lists can do everything with VNFs of
// the usual kinds.
func TestNeeds_areEnough(t *testing.T) {
	p := start(t)
	p.Volumes(t, 1)
	newNamespace(t, p, "edge")
	token := tokenWith(t, p, "edge", kube.Needs())
	found, err := kube.Check(t.Context(), lcm.Vim{
		Name: "edge", Type: lcm.VimKubernetes, AuthURL: p.URL, Project: map[string]any{"name": "edge"},
	}, map[string]any{"bearer_token": token, "ssl_ca_cert": p.CA}, outbound.Guard{})
	require.NoError(t, err)
	require.Empty(t, found.Warnings)

	c := p.ConnectAs(t, "edge", token)
	d := kube.Definition{
		Objects: manifests(t, deployment("web", "httpd", 2)+stored("store", "replicas: 1")+settings+`---
apiVersion: v1
kind: Secret
metadata: {name: key}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: done}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: httpd}]}
`),
		Charts:    releaseOf("r", aChart(nil), nil).Charts,
		Workloads: map[string]kube.Workload{"WEB": {Kind: "Deployment", Name: "web"}},
	}
	shown, err := deploy(t, c, "vnf-1", owner, d)
	require.NoError(t, err, strings.Join(shown, "\n"))
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	pods := inv.OfKind(vim.Compute)
	require.Len(t, pods, 2)
	for _, ch := range []vim.Change{
		{Replace: pods[:1]},
		{Definition: kube.Definition{Replicas: map[string]int{"WEB": 3}}},
		{Definition: kube.Definition{Replicas: map[string]int{"WEB": 2}}, Replace: pods[1:]},
		{Definition: kube.Definition{Charts: releaseOf("r", aChart(nil), map[string]any{"replicas": 2}).Charts}},
	} {
		ch.Name, ch.Owner, ch.Operation = "vnf-1", owner, "change"
		require.NoError(t, c.Change(t.Context(), ch, func(string) {}))
	}
	halt := vim.Change{Name: "vnf-1", Owner: owner, Operation: "halt"}
	require.NoError(t, c.Halt(t.Context(), halt, 0, func(string) {}))
	require.NoError(t, c.Resume(t.Context(), halt, func(string) {}))
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

// tokenWith returns the token of an account that has exactly those rights in a namespace.
func tokenWith(t *testing.T, p *kubetest.ControlPlane, namespace string, needs []kube.Need) string {
	t.Helper()
	ctx, name := t.Context(), metav1.ObjectMeta{Name: "windlass"}
	_, err := p.Client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: name}, metav1.CreateOptions{})
	require.NoError(t, err)
	role := &rbac.Role{ObjectMeta: name}
	for _, n := range needs {
		role.Rules = append(role.Rules, rbac.PolicyRule{APIGroups: []string{n.Group}, Resources: n.Resources, Verbs: n.Verbs})
	}
	_, err = p.Client.RbacV1().Roles(namespace).Create(ctx, role, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = p.Client.RbacV1().RoleBindings(namespace).Create(ctx, &rbac.RoleBinding{
		ObjectMeta: name, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "Role", Name: "windlass"},
		Subjects: []rbac.Subject{{Kind: "ServiceAccount", Name: "windlass", Namespace: namespace}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	made, err := p.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "windlass",
		&authentication.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return made.Status.Token
}
