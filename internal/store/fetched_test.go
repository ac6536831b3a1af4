package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestFetched_goesWithTheVNF(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s)
	const source = "https://charts.example/ web 0.1.0"
	_, err := s.Fetched(t.Context(), inst.ID, source)
	requireKind(t, lcm.KindNotFound, err)
	for _, content := range []string{"first", "second"} {
		require.NoError(t, s.KeepFetched(t.Context(), inst.ID, source, []byte(content)))
		got, err := s.Fetched(t.Context(), inst.ID, source)
		require.NoError(t, err)
		require.Equal(t, content, string(got))
	}
	_, err = s.Fetched(lcm.InProject(t.Context(), "another"), inst.ID, source)
	requireKind(t, lcm.KindNotFound, err)
	require.NoError(t, s.DeleteInstance(t.Context(), inst.ID))
	_, err = s.Fetched(t.Context(), inst.ID, source)
	requireKind(t, lcm.KindNotFound, err)
	requireKind(t, lcm.KindConflict, s.KeepFetched(t.Context(), inst.ID, source, []byte("late")))
}
