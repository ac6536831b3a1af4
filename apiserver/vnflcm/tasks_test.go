package vnflcm

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// TestTasks_areThoseOfAllOperations checks that each version takes the requests of the operations that it has.
func TestTasks_areThoseOfAllOperations(t *testing.T) {
	require.ElementsMatch(t, lcm.SupportedOperations(), slices.Collect(maps.Keys(tasks)))
	for op, task := range tasks {
		require.Equal(t, op.Type().Since == 1, requests.Has(op, 1), "%s", op)
		require.True(t, requests.Has(op, 2), "%s", op)
		require.NotEqual(t, task.accept == nil, task.plan == nil, "%s", op)
	}
}

func TestDialectFor_takesTheVersionInWhichTheRequestHasFewerMistakes(t *testing.T) {
	for _, c := range []struct {
		op          lcm.Operation
		request     string
		given, want int
	}{
		{lcm.OpInstantiate, `{"flavourId":"f","vimConnectionInfo":{"a":{"vimType":"x"}}}`, 1, 2},
		{lcm.OpInstantiate, `{"flavourId":"f","vimConnectionInfo":[{"id":"a"}]}`, 2, 1},
		{lcm.OpInstantiate, `{"flavourId":"f"}`, 2, 2},
		{lcm.OpHeal, `{"cause":"x"}`, 1, 1},
		{lcm.OpHeal, `{"cause":"x"}`, 2, 2},
		{lcm.OpChangeVnfPkg, `{"vnfdId":"x"}`, 1, 2},
	} {
		require.Equal(t, c.want, dialectFor(c.op, []byte(c.request), c.given).Number, "%s %s", c.op, c.request)
	}
}
