package heat

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// apartJob returns an operation on a VNF with StandardUserData and with these VNFCs, named by their resources.
func apartJob(plan *lcm.Plan, resources ...string) *job {
	info := &lcm.InstantiatedVnfInfo{}
	for _, name := range resources {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
			ID: "id-" + name, VduID: "a", Metadata: map[string]any{"parent_resource_name": name},
		})
	}
	return &job{&operations.Operation{
		OpOcc: lcm.VnfLcmOpOcc{Plan: plan}, Instance: lcm.VnfInstance{Instantiated: info},
		Flavour: &descriptor.Flavour{Vdus: []descriptor.Vdu{{ID: "a"}}},
		Request: lcm.InstantiateRequest{AdditionalParams: json.RawMessage(`{"lcm-operation-user-data": "x.py", "lcm-operation-user-data-class": "StandardUserData"}`)},
	}}
}

func TestSized_newVnfcsTakeTheFreePlacesAndExactlyTheChosenOnesLeave(t *testing.T) {
	grow := &lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: "a", From: 2, To: 4}}}
	for sizes, want := range map[vim.Sizes][]int{
		vim.SizesGrown: {0, 1, 2, 3}, vim.SizesPlanned: {0, 1, 2, 3}, vim.SizesRecorded: {0, 2},
	} {
		got, err := apartJob(grow, "a-2", "a-0").sized(sizes)
		require.NoError(t, err)
		assert.Equal(t, shape{
			capacity: map[string]int{"a": len(want)}, members: descriptor.Members{"a": want},
			bitrates: map[string]descriptor.Bitrate{},
		}, got, sizes)
	}
	shrink := &lcm.Plan{
		Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: "a", From: 3, To: 2}},
		Leaving: []lcm.LeavingVnfc{{VnfcID: "id-a-1", VduID: "a"}},
	}
	for sizes, want := range map[vim.Sizes][]int{
		vim.SizesGrown: {0, 1, 2}, vim.SizesPlanned: {0, 2}, vim.SizesRecorded: {0, 1, 2},
	} {
		got, err := apartJob(shrink, "a-0", "a-1", "a-2").sized(sizes)
		require.NoError(t, err)
		assert.Equal(t, want, got.members["a"], sizes)
	}
}

func TestSized_whatAHealReplacesKeepsItsPlace(t *testing.T) {
	heal := &lcm.Plan{Operation: lcm.OpHeal, Leaving: []lcm.LeavingVnfc{{VnfcID: "id-a-0", VduID: "a"}}}
	got, err := apartJob(heal, "a-0", "a-1").sized(vim.SizesPlanned)
	require.NoError(t, err)
	assert.Equal(t, descriptor.Members{"a": {0, 1}}, got.members)
}

func TestShape_ofAStackThatAnotherHasMadeIsRefused(t *testing.T) {
	_, err := apartJob(nil, "group").present()
	require.ErrorContains(t, err, `"group"`)
}

func TestShape_ofGroupsHasNoMembers(t *testing.T) {
	j := apartJob(&lcm.Plan{Operation: lcm.OpScale, Groups: []lcm.GroupChange{{VduID: "a", From: 1, To: 2}}}, "group")
	j.Request.AdditionalParams = nil
	got, err := j.sized(vim.SizesPlanned)
	require.NoError(t, err)
	assert.Equal(t, shape{capacity: map[string]int{"a": 2}, bitrates: map[string]descriptor.Bitrate{}}, got)
}

func TestBitrates_ofAScaling(t *testing.T) {
	j := &job{&operations.Operation{Flavour: &descriptor.Flavour{
		VirtualLinks: []descriptor.VirtualLink{{ID: "inner", InitialBitrate: &descriptor.Bitrate{Root: 1000}}},
		Aspects: []descriptor.ScalingAspect{{
			ID: "a", MaxScaleLevel: 3, StepDeltas: []string{"one"},
			Bitrates: map[string]map[string]descriptor.Bitrate{"inner": {"one": {Root: 100}}},
		}},
	}}}
	j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{ScaleStatus: []lcm.ScaleInfo{{AspectID: "a", ScaleLevel: 2}}}
	at := func(sizes vim.Sizes) int64 { return j.bitrates(sizes)["inner"].Root }
	require.Equal(t, int64(1200), at(vim.SizesPlanned), "there is no plan")
	j.OpOcc.Plan = &lcm.Plan{Operation: lcm.OpScale, ScaleStatus: []lcm.ScaleInfo{{AspectID: "a", ScaleLevel: 1}}}
	require.Equal(t, []int64{1200, 1100, 1100}, []int64{
		at(vim.SizesRecorded), at(vim.SizesGrown),
		at(vim.SizesPlanned),
	})
	j.OpOcc.Plan.Groups = []lcm.GroupChange{{VduID: "node", From: 2, To: 1}}
	require.Equal(t, int64(1200), at(vim.SizesGrown), "until those have left that leave")
	j.OpOcc.Plan.Operation = lcm.OpHeal
	require.Equal(t, int64(1200), at(vim.SizesPlanned))
}
