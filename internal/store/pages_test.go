package store

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/query"
)

// A client chooses how many dashes a value has, and what is made of it must not be much longer than the value.
func TestFilter_ofManyDashesGrowsAsItsValueDoes(t *testing.T) {
	size := func(values ...string) (n int) {
		w := &where{args: pgx.NamedArgs{}}
		op := query.Eq
		if len(values) > 1 {
			op = query.In
		}
		n = len(vnfcIDColumn(w, query.Expression{
			Op: op, Path: []string{"instantiatedVnfInfo", "vnfcInfo", "id"},
			Values: values,
		}, nil))
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
	// Of many values each may be taken apart, but so many times at most.
	require.Less(t, size(strings.Split(strings.Repeat("a-b-c-d-e,", length/10), ",")...), 60*length)
}
