package vnfpkgtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Links returns external virtual links of a request, which connect the connection points with one network.
func Links(network string, cpds ...string) []lcm.ExtVirtualLink {
	link := lcm.ExtVirtualLink{ID: "link", ResourceID: network}
	for _, cpd := range cpds {
		link.ExtCps = append(link.ExtCps, lcm.ExtCp{CpdID: cpd})
	}
	return []lcm.ExtVirtualLink{link}
}

// Problems returns the problems of an error, as "path: detail". The error must be Invalid.
func Problems(t testing.TB, err error) []string {
	t.Helper()
	var e *lcm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, lcm.KindInvalid, e.Kind, "%v", err)
	if len(e.Problems) == 0 {
		return []string{e.Detail}
	}
	return Sentences(e.Problems)
}

// Sentences returns problems or warnings as "path: detail".
func Sentences(list []lcm.Problem) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, p.Path+": "+p.Detail)
	}
	return out
}
