package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestBitrates_areThoseOfTheLevelElseTheInitialOneAndTheSteps(t *testing.T) {
	f := &vnfpkgtest.Rated(t).Open(t).Vnfd.Flavours[0]
	require.Equal(t, &descriptor.Bitrate{Root: 10_000_000}, f.VirtualLinks[0].MaxBitrate)
	for level, want := range map[string]map[string]descriptor.Bitrate{
		"":     {"inner": {Root: 1_000_000, Leaf: 500}, "fixed": {Root: 9_000_000}},
		"low":  {"inner": {Root: 1_000_000, Leaf: 500}, "fixed": {Root: 9_000_000}},
		"high": {"inner": {Root: 9_000_000}, "fixed": {Root: 9_000_000}},
	} {
		rates, err := f.Bitrates(level)
		require.NoError(t, err)
		require.Equal(t, want, rates, level)
		if level != "" {
			require.Equal(t, want, f.BitratesOf(level, nil))
		}
	}
	_, err := f.Bitrates("absent")
	require.Error(t, err)
	for level, want := range []descriptor.Bitrate{
		{Root: 1_000_000, Leaf: 500},
		{Root: 1_001_000, Leaf: 500},
		{Root: 1_003_500, Leaf: 501},
		{Root: 1_004_500, Leaf: 501},
	} {
		require.Equal(t, want, f.BitratesOf("", []lcm.ScaleInfo{{AspectID: "workers", ScaleLevel: level}})["inner"])
	}
	require.True(t, f.RatesDiffer(map[string]descriptor.Bitrate{"inner": {Root: 1}}, nil))
	require.False(t, f.RatesDiffer(map[string]descriptor.Bitrate{"fixed": {Root: 1}}, nil), "no template takes it")
}
