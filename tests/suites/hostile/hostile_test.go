// Package hostile tests Windlass against hostile peers, one file each: an issuer that hangs, clients with random
// tokens, a VIM and an sshd whose answers do not end, a client that sends a byte a minute, pages in a browser. Every
// test ends in seconds, because an attack must not occupy Windlass for longer.
package hostile

import (
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	return l
}

func prefixes(networks ...string) (out []netip.Prefix) {
	for _, n := range networks {
		out = append(out, netip.MustParsePrefix(n))
	}
	return out
}
