package operations

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestVnfds_readEachOnceAndKeepNoFailure(t *testing.T) {
	var kept vnfds
	reads := 0
	read := func(context.Context, lcm.VnfPkgID) (*descriptor.Vnfd, error) { reads++; return &descriptor.Vnfd{}, nil }

	_, err := kept.get(t.Context(), "p", func(context.Context, lcm.VnfPkgID) (*descriptor.Vnfd, error) {
		return nil,
			errors.New("away")
	})
	require.Error(t, err)
	first, err := kept.get(t.Context(), "p", read)
	require.NoError(t, err)
	again, err := kept.get(t.Context(), "p", read)
	require.NoError(t, err)
	require.Same(t, first, again)
	require.Equal(t, 1, reads)

	for i := range 3 * keptVnfds {
		_, err := kept.get(t.Context(), lcm.VnfPkgID(fmt.Sprint(i)), read)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(kept.kept), keptVnfds)
}
