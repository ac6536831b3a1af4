package charts

import (
	"testing"

	"github.com/stretchr/testify/require"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestPull_addsTheSecretOnce(t *testing.T) {
	o := map[string]any{"kind": "Deployment", "spec": map[string]any{"template": map[string]any{"spec": map[string]any{
		"imagePullSecrets": []any{map[string]any{"name": "theirs"}},
	}}}}
	for range 2 {
		require.True(t, Pull(o, "ours"))
	}
	have, _, _ := unstructured.NestedSlice(o, "spec", "template", "spec", "imagePullSecrets")
	require.Equal(t, []any{map[string]any{"name": "theirs"}, map[string]any{"name": "ours"}}, have)
	for _, other := range []map[string]any{
		{"kind": "Service", "spec": map[string]any{}},
		{"kind": "Pod"},
		{"kind": "Pod", "spec": "nonsense"},
		{"kind": "Pod", "spec": map[string]any{"imagePullSecrets": "nonsense"}},
	} {
		require.False(t, Pull(other, "ours"))
	}
	require.False(t, Pull(o, ""))
}

func TestTake_letsPodsOfTheReleasePull(t *testing.T) {
	const pods = `apiVersion: v1
kind: Pod
metadata: { name: here }
spec: { containers: [] }
---
apiVersion: v1
kind: Pod
metadata: { name: there, namespace: other }
spec: { containers: [] }
`
	of := Release{Name: "r", Namespace: "default", PullSecret: "ours"}
	h := &release.Hook{Manifest: pods}
	require.NoError(t, of.hook(h, 1, 0))
	objects, err := objectsOf(h.Manifest)
	require.NoError(t, err)
	require.Len(t, objects, 2)
	for _, o := range objects {
		have, _, _ := unstructured.NestedSlice(o, "spec", "imagePullSecrets")
		name, _, _ := unstructured.NestedString(o, "metadata", "name")
		require.Equal(t, name == "here", len(have) == 1)
	}
	of.PullSecret = ""
	same := &release.Hook{Manifest: pods}
	require.NoError(t, of.hook(same, 1, 0))
	require.Equal(t, pods, same.Manifest)
	require.NotEqual(t, of.Digest(), Release{Name: "r", Namespace: "default", PullSecret: "ours"}.Digest())
}
