package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// repackaged returns the facts of a VNF of two VDUs, web and old, that gets a package with the VDUs web and new.
func repackaged() lifecycle.Facts {
	flavour := func(vdus ...string) *descriptor.Flavour {
		f := &descriptor.Flavour{
			ID: "simple", Containers: true, DefaultLevel: "small",
			Levels: []descriptor.Level{{ID: "small", ScaleLevels: map[string]int{}, Instances: map[string]int{}}},
		}
		for _, id := range vdus {
			f.Vdus = append(f.Vdus, descriptor.Vdu{ID: id, Name: id})
			f.Aspects = append(f.Aspects, descriptor.ScalingAspect{
				ID: id + "_pods", MaxScaleLevel: 2, Deltas: map[string]map[string]int{id: {"": 1}},
			})
			f.Levels[0].Instances[id], f.Levels[0].ScaleLevels[id+"_pods"] = 1, 0
		}
		return f
	}
	return lifecycle.Facts{
		Flavour: flavour("web", "new"), FormerFlavour: flavour("web", "old"), VnfPkgID: "next",
		Instance: lcm.VnfInstance{ID: "i", Instantiated: &lcm.InstantiatedVnfInfo{
			FlavourID: "simple", InstantiationLevelID: "small", VnfState: lcm.VnfStarted,
			ScaleStatus:   []lcm.ScaleInfo{{AspectID: "old_pods", ScaleLevel: 2}, {AspectID: "web_pods", ScaleLevel: 1}},
			VnfcResources: []lcm.VnfcResourceInfo{{ID: "w1", VduID: "web"}, {ID: "w2", VduID: "web"}, {ID: "o1", VduID: "old"}},
		}},
	}
}

func TestChangeVnfPkg_keepsSizesOfWhatStays(t *testing.T) {
	f := repackaged()
	p, err := planOf(f, lcm.OpChangeVnfPkg, json.RawMessage(`{"vnfdId":"x"}`))
	require.NoError(t, err)
	require.Equal(t, lcm.VnfPkgID("next"), p.VnfPkgID)
	require.Equal(t, []lcm.ScaleInfo{{AspectID: "new_pods"}, {AspectID: "web_pods", ScaleLevel: 1}}, p.ScaleStatus)
	require.Equal(t, "small", p.InstantiationLevelID)
	require.Equal(t, []lcm.GroupChange{{VduID: "new", To: 1}}, p.Groups)
	require.Len(t, p.Leaving, 1)
	require.Equal(t, "o1", p.Leaving[0].VnfcID)

	g := lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "vim"})
	require.Len(t, g.AddResources, 1)
	require.Len(t, g.RemoveResources, 1)
	require.Len(t, g.UpdateResources, 2, "what may be replaced is told")
}

func TestChangeVnfPkg_refusesASizeThatTheNewPackageDoesNotHave(t *testing.T) {
	f := repackaged()
	f.Flavour.Aspects[0].MaxScaleLevel = 0
	_, err := planOf(f, lcm.OpChangeVnfPkg, json.RawMessage(`{"vnfdId":"x"}`))
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	require.ErrorContains(t, err, "scale it in first")
}

// TestScale_leavesVdusToTheirAutoscalers checks that a scaling leaves out a VDU with an autoscaler of the package,
// because the autoscaler would undo the scaling.
func TestScale_leavesVdusToTheirAutoscalers(t *testing.T) {
	f := repackaged()
	f.Flavour = f.FormerFlavour.WithAutoscalers(map[string]string{"web": "web-scaler"})
	for i := range f.Flavour.Aspects {
		a := &f.Flavour.Aspects[i]
		a.StepDeltas = []string{"one"}
		for vdu := range a.Deltas {
			a.Deltas[vdu] = map[string]int{"one": 1}
		}
	}
	for op, body := range map[lcm.Operation]string{
		lcm.OpScale:        `{"type":"SCALE_OUT","aspectId":"web_pods"}`,
		lcm.OpScaleToLevel: `{"instantiationLevelId":"small"}`,
	} {
		_, err := planOf(f, op, json.RawMessage(body))
		require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
		require.ErrorContains(t, err, "HorizontalPodAutoscaler web-scaler")
	}
}
