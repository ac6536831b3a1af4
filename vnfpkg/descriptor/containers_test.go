package descriptor_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestFlavour_withWorkloads(t *testing.T) {
	two := map[string]int{"d": 1}
	f := &descriptor.Flavour{
		ID: "simple", Containers: true, Vdus: []descriptor.Vdu{{ID: "a"}, {ID: "b"}, {ID: "c"}},
		Cps: []descriptor.VduCp{{ID: "a_CP", VduID: "a"}, {ID: "c_CP", VduID: "c"}, {ID: "free"}},
		Aspects: []descriptor.ScalingAspect{
			{ID: "x", MaxScaleLevel: 2, StepDeltas: []string{"d"}, Deltas: map[string]map[string]int{"a": two, "c": two}},
			{ID: "y", MaxScaleLevel: 2, StepDeltas: []string{"d"}, Deltas: map[string]map[string]int{"b": two}},
		},
		Levels: []descriptor.Level{{
			ID: "low", ScaleLevels: map[string]int{"x": 1, "y": 0}, Instances: map[string]int{"a": 2, "b": 1, "c": 2},
		}},
		DefaultLevel:  "low",
		AffinityRules: []descriptor.AffinityRule{{ID: "apart", Vdus: []string{"a", "c"}}},
	}
	before, err := json.Marshal(f)
	require.NoError(t, err)

	as := f.WithWorkloads(map[string]bool{"a": true, "b": false})

	require.Equal(t, []descriptor.Vdu{{ID: "a"}, {ID: "b", Unsized: true}}, as.Vdus)
	require.Equal(t, []descriptor.VduCp{{ID: "a_CP", VduID: "a"}, {ID: "free"}}, as.Cps)
	require.Equal(t, []string{"a"}, as.AffinityRules[0].Vdus)
	capacity, err := as.Capacity("")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 2, "b": 1}, capacity)
	capacity, err = as.CapacityAt(map[string]int{"x": 2, "y": 2})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 3, "b": 1}, capacity)
	require.True(t, as.Scales("x"))
	require.False(t, as.Scales("y"), "a DaemonSet")
	require.True(t, f.Scales("y"))
	require.False(t, f.Scales("none"))
	after, err := json.Marshal(f)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after), "the VNFD is shared")
}
