package config_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/config"
)

// TestLoad_readsWhereThePodNetworkIs checks what a worker refuses at its start. An API server reads no file.
func TestLoad_readsWhereThePodNetworkIs(t *testing.T) {
	there, missing := file(t, "kind: DaemonSet"), filepath.Join(t.TempDir(), "none.yaml")
	worker := []config.Need{config.NeedPlans, config.NeedWorker}
	c, err := load(t, worker, "--config", file(t, ""), "--kubernetes-pod-network="+there, "--kubernetes-pod-network-values="+there)
	require.NoError(t, err)
	require.Equal(t, config.PodNetwork{From: there, ValuesFile: there}, c.Kubernetes.PodNetwork)
	for name, args := range map[string][]string{
		"kubernetes-pod-network":        {"--kubernetes-pod-network=" + missing},
		"image: and an absolute path":   {"--kubernetes-pod-network=image:net.yaml"},
		"must be a file, image:FILE":    {"--kubernetes-pod-network=ftp://sources.example/net.yaml"},
		"kubernetes-pod-network-values": {"--kubernetes-pod-network=" + there, "--kubernetes-pod-network-values=" + missing},
		"names none":                    {"--kubernetes-pod-network=none", "--kubernetes-pod-network-values=" + there},
	} {
		_, err := load(t, worker, append(args, "--config", file(t, ""))...)
		require.ErrorContains(t, err, name)
	}
	c, err = load(t, []config.Need{config.NeedPlans}, "--config", file(t, ""), "--kubernetes-pod-network="+missing)
	require.NoError(t, err)
	require.Equal(t, missing, c.Kubernetes.PodNetwork.From)
}
