package freeport_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/freeport"
)

func TestFind_isOutsideTheKernelsRange(t *testing.T) {
	for range 50 {
		port, err := freeport.Find(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		require.Less(t, port, 32768)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}

func TestFind_saysWhy(t *testing.T) {
	_, err := freeport.Find(t.Context(), "192.0.2.1") // TEST-NET-1: nobody's
	require.ErrorContains(t, err, "find a free port on 192.0.2.1: ")
}
