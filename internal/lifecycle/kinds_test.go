package lifecycle

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestKinds_areThoseOfAllOperations checks that a supported operation has a plan, steps, and both sides.
func TestKinds_areThoseOfAllOperations(t *testing.T) {
	require.ElementsMatch(t, lcm.SupportedOperations(), slices.Collect(maps.Keys(kinds)))
	for op, k := range kinds {
		require.NotNil(t, k.plan, "%s", op)
		require.NotNil(t, k.steps, "%s", op)
		for side, hooks := range map[Side][]Hook{Start: k.opens, End: k.closes} {
			require.NotEmpty(t, hooks, "%s", op)
			for _, hook := range hooks {
				at, ok := SideOf(op, hook)
				require.True(t, ok && at == side, "%s %s", op, hook)
			}
		}
		_, err := k.plan(Facts{}, otherThan(op))
		require.True(t, lcm.Is(err, lcm.KindBug), "%s: %v", op, err)
	}
}

// otherThan is a request of another operation.
func otherThan(op lcm.Operation) lcm.Request {
	if op == lcm.OpHeal {
		return lcm.ScaleRequest{}
	}
	return lcm.HealRequest{}
}
