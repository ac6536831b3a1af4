package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestMembers_namesAndIndexes(t *testing.T) {
	for name, want := range map[string]int{
		"a-0": 0, "a-12": 12, "a-": -1, "a-01": -1, "a--1": -1, "b-1": -1, "a": -1, "a-+1": -1,
	} {
		got, ok := descriptor.MemberIndex("a", name)
		require.Equal(t, want >= 0, ok, name)
		if ok {
			require.Equal(t, want, got)
		}
	}
	m := descriptor.Members{"a": {1, 3}}
	m.Grow("a", 3)
	require.Equal(t, descriptor.Members{"a": {0, 1, 2, 3, 4}}, m)
	require.Equal(t, map[string]int{"a": 5}, m.Capacity())
	require.Equal(t, descriptor.Members{"a": {0, 1}, "b": nil}, descriptor.FirstMembers(map[string]int{"a": 2, "b": 0}))
}
