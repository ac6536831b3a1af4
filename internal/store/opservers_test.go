package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestServersOf_areThoseThatWereKeptLast(t *testing.T) {
	t.Parallel()
	s := open(t)
	op := begun(t, s)
	_, err := s.ServersOf(t.Context(), op.ID, "scale_end")
	requireKind(t, lcm.KindNotFound, err)
	for _, name := range []string{"web-1", "web-2"} {
		kept := lcm.Nodes{{Name: name, ServerID: name, Address: "10.0.0.5"}}
		require.NoError(t, s.KeepServers(t.Context(), op.ID, "scale_end", kept))
		got, err := s.ServersOf(t.Context(), op.ID, "scale_end")
		require.NoError(t, err)
		require.Equal(t, kept, got)
	}
	_, err = s.ServersOf(t.Context(), op.ID, "scale_start")
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.ServersOf(lcm.InProject(t.Context(), "another"), op.ID, "scale_end")
	requireKind(t, lcm.KindNotFound, err)
	requireKind(t, lcm.KindNotFound, s.KeepServers(t.Context(), "00000000-0000-4000-8000-00000000dead", "scale_end", nil))
}
