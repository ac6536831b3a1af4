package kubetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/tests/support/kubetest/memory"
)

// StartInMemory runs an API server in memory with the same kubelet, until the test ends. It needs no root and no
// programs of Kubernetes, so it cannot be killed.
func StartInMemory(t testing.TB) *ControlPlane {
	t.Helper()
	server := memory.Start(Token, OtherToken)
	life, end := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		end()
		server.Close()
	})
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: server.URL, BearerToken: Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(server.CA)},
	})
	require.NoError(t, err)
	p := &ControlPlane{URL: server.URL, CA: server.CA, Client: client, Kubelet: &Kubelet{client: client}, endLife: end}
	require.NoError(t, p.Kubelet.join(t.Context(), life))
	return p
}
