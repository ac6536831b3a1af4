package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestCapacity_ofLevelsAndScaleLevels(t *testing.T) {
	f := &vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0]

	for level, want := range map[string]int{"": 1, "low": 1, "high": 4} {
		capacity, err := f.Capacity(level)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"node": want}, capacity)
	}
	// The deltas are one, two, one: each step has its own delta.
	for level, want := range []int{1, 2, 4, 5} {
		capacity, err := f.CapacityAt(map[string]int{"workers": level})
		require.NoError(t, err)
		require.Equal(t, map[string]int{"node": want}, capacity)
	}
}

func TestCapacity_refusesWhatTheFlavourDoesNotHave(t *testing.T) {
	v := &vnfpkgtest.Minimal().Open(t).Vnfd
	f := &v.Flavours[0]

	_, err := v.Flavour("large")
	require.Equal(t, []string{`the VNFD vnfd-1 has no flavour "large"; it has small`}, vnfpkgtest.Problems(t, err))
	_, err = f.Capacity("higher")
	require.Equal(t, []string{`the flavour small has no instantiation level "higher"; it has low, high`},
		vnfpkgtest.Problems(t, err))
	_, err = f.CapacityAt(map[string]int{"workers": 4})
	require.Equal(t, []string{"the scale level of aspect workers must be between 0 and 3, not 4"},
		vnfpkgtest.Problems(t, err))
	_, err = f.CapacityAt(map[string]int{"masters": 0})
	require.Equal(t, []string{`the flavour small has no scaling aspect "masters"`}, vnfpkgtest.Problems(t, err))
}

func TestCapacity_withoutLevelsIsTheInitialSize(t *testing.T) {
	two := 2
	f := &descriptor.Flavour{Vdus: []descriptor.Vdu{
		{ID: "a", InitialInstances: &two},
		{ID: "b", MinInstances: 3, MaxInstances: 9},
		{ID: "c"},
		{ID: "d", MaxInstances: 5},
	}}

	capacity, err := f.Capacity("")

	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 2, "b": 3, "c": 1, "d": 0}, capacity)
}

func TestCapacity_withoutADefaultLevelOneMustBeNamed(t *testing.T) {
	p := vnfpkgtest.Minimal().ReplaceVnfd(t, "          default_level: low\n", "").Open(t)

	require.Len(t, p.Warnings, 1)
	_, err := p.Vnfd.Flavours[0].Capacity("")
	require.Equal(t, []string{"the flavour small has no default instantiation level; name one of low, high"},
		vnfpkgtest.Problems(t, err))
}

func TestCapacityAt_addsTheDeltaOfEveryStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 6).Draw(t, "steps")
		deltas := map[string]int{}
		for _, name := range names {
			deltas[name] = rapid.IntRange(0, 9).Draw(t, name)
		}
		level := rapid.IntRange(0, 12).Draw(t, "level")
		f := &descriptor.Flavour{
			Vdus: []descriptor.Vdu{{ID: "v"}},
			Aspects: []descriptor.ScalingAspect{{
				ID: "s", MaxScaleLevel: 12, StepDeltas: names, Deltas: map[string]map[string]int{"v": deltas},
			}},
		}
		want := 1
		for step := range level {
			want += f.Aspects[0].Delta("v", step)
		}
		got, err := f.CapacityAt(map[string]int{"s": level})
		if err != nil || got["v"] != want {
			t.Fatalf("got %v, %v; want %d", got, err, want)
		}
	})
}
