package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// TestMigrate_givesErrorsOfFormerReleasesTheirMembers checks that the errors of a former release, which told things by
// their text only, tell them by members.
func TestMigrate_givesErrorsOfFormerReleasesTheirMembers(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	const before = `{"kind":"Broken","detail":"`
	texts := map[string]string{
		"cancelled": "The operation was cancelled (FORCEFUL).",
		"request":   "worker-1 cannot become a node: no. Roll back and correct the request.",
		"neither":   "The cloud is full.",
	}
	ops := map[string]lcm.OpOccID{}
	for name := range texts {
		ops[name] = begun(t, s).ID
	}
	require.NoError(t, store.MigrateTo(t.Context(), url, 24))
	for name, text := range texts {
		require.NoError(t, s.Exec(t.Context(), `update vnf_lcm_op_occ set error = $1 where id = $2`, before+text+`"}`, ops[name]))
	}
	require.NoError(t, store.Migrate(t.Context(), url))
	read := func(name string) *lcm.Error {
		op, err := s.Operation(t.Context(), ops[name])
		require.NoError(t, err)
		return op.Error
	}
	require.Equal(t, lcm.Forceful, read("cancelled").Cancelled)
	require.False(t, read("cancelled").NeedsRequest())
	require.True(t, read("request").NeedsRequest())
	require.Equal(t, &lcm.Error{Kind: lcm.KindBroken, Detail: texts["neither"]}, read("neither"))
}
