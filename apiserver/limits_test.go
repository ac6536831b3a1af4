package apiserver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

func TestThrottle_forgetsQuietClients(t *testing.T) {
	th := newThrottle(1000, 1)
	for range mostClients + 10 {
		_, ok := th.take(rest.NewID[string]())
		require.True(t, ok)
	}
	require.LessOrEqual(t, len(th.clients), mostClients)
	off := newThrottle(0, 0)
	for range 100 {
		_, ok := off.take("x")
		require.True(t, ok)
	}
}
