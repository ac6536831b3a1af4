package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"

	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// TestDeploy_bringsAKindAgain checks that a VNF can bring a kind which the removal of another VNF has deleted.
func TestDeploy_bringsAKindAgain(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	_, err := deploy(t, c, "vnf-widget", owner, kube.Definition{Objects: manifests(t, widgetKind)})
	require.NoError(t, err)
	require.NoError(t, c.Remove(t.Context(), "vnf-widget", owner, func(string) {}))
	_, err = deploy(t, c, "vnf-widget", owner, kube.Definition{Objects: manifests(t, widgetKind+"---\n"+
		"apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: ours}\n")})
	require.NoError(t, err)
}
