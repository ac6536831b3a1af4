package store

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/query"
)

// TestFilter_ofManyDashesGrowsAsItsValueDoes checks that the query does not become much longer than the value: a client
// chooses the number of dashes in it.
func TestFilter_ofManyDashesGrowsAsItsValueDoes(t *testing.T) {
	size := func(values ...string) (n int) {
		w := &where{args: pgx.NamedArgs{}}
		op := query.Eq
		if len(values) > 1 {
			op = query.In
		}
		n = len(InstanceAttributes.condition(w, query.Expression{
			Op: op, Path: []string{"instantiatedVnfInfo", "vnfcInfo", "id"}, Values: values,
		}))
		for _, arg := range w.args {
			switch arg := arg.(type) {
			case string:
				n += len(arg)
			case []string:
				n += len(strings.Join(arg, ""))
			default:
				t.Fatalf("an argument of type %T", arg)
			}
		}
		return n
	}
	const length = 16 << 10
	overhead := size("x-1")
	require.Less(t, size(strings.Repeat("-", length)), 2*length+overhead)
	require.Less(t, size(strings.Repeat("-x", length/2), "x-1"), 2*length+2*overhead)
	// Each of many values may be split, but only a limited number of times.
	require.Less(t, size(strings.Split(strings.Repeat("a-b-c-d-e,", length/10), ",")...), 60*length)
}
