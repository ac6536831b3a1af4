package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

// TestOperations_haveAllThatASupportedOperationNeeds checks that no row of the table is half written.
func TestOperations_haveAllThatASupportedOperationNeeds(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range lcm.Operations {
		for _, name := range []string{string(o.Name), "/" + o.Task, "link " + o.Link} {
			require.False(t, seen[name] && name != "/" && name != "link ", "%s is there twice", name)
			seen[name] = true
		}
		require.Contains(t, []int{1, 2}, o.Since, "%s", o.Name)
		if !o.Supported() {
			require.NotEmpty(t, o.Lacks, "%s", o.Name)
			_, err := lcmtest.Any(o.Name, nil)
			require.True(t, lcm.Is(err, lcm.KindBug), "%s: %v", o.Name, err)
			continue
		}
		require.Empty(t, o.Lacks, "%s", o.Name)
		require.NotEmpty(t, o.Title, "%s", o.Name)
		require.NotEmpty(t, o.Hooks, "%s", o.Name)
		r, err := lcmtest.Any(o.Name, nil)
		require.NoError(t, err, "%s", o.Name)
		require.Equal(t, o.Name, r.Operation())
		_, err = lcmtest.Any(o.Name, []byte(`[]`))
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%s: %v", o.Name, err)
	}
	require.Zero(t, lcm.Operation("NOTHING").Type())
}
