package record

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// TestLevelsLeft_areThoseThatWereReached uses control planes that come in pairs, and workers that come one by one.
func TestLevelsLeft_areThoseThatWereReached(t *testing.T) {
	flavour := &descriptor.Flavour{
		Vdus: []descriptor.Vdu{{ID: "cp", InitialInstances: new(3)}, {ID: "worker", InitialInstances: new(2)}},
		Aspects: []descriptor.ScalingAspect{
			{ID: "cps", MaxScaleLevel: 2, StepDeltas: []string{"two"}, Deltas: map[string]map[string]int{"cp": {"two": 2}}},
			{
				ID: "workers", MaxScaleLevel: 5, StepDeltas: []string{"one"},
				Deltas: map[string]map[string]int{"worker": {"one": 1}},
			},
		},
	}
	status := func(cps, workers int) []lcm.ScaleInfo {
		return []lcm.ScaleInfo{{AspectID: "cps", ScaleLevel: cps}, {AspectID: "workers", ScaleLevel: workers}}
	}
	vms := func(cps, workers int) (out []Vnfc) {
		for range cps {
			out = append(out, Vnfc{VduID: "cp"})
		}
		for range workers {
			out = append(out, Vnfc{VduID: "worker"})
		}
		return out
	}
	groups := func(cpFrom, cpTo, workerFrom, workerTo int) []lcm.GroupChange {
		return []lcm.GroupChange{
			{AspectID: "cps", VduID: "cp", From: cpFrom, To: cpTo},
			{AspectID: "workers", VduID: "worker", From: workerFrom, To: workerTo},
		}
	}
	for name, c := range map[string]struct {
		before    []lcm.ScaleInfo
		plan      lcm.Plan
		have      []Vnfc
		want      []lcm.ScaleInfo
		wantLevel string
	}{
		"nothing was touched": {
			status(0, 1),
			lcm.Plan{ScaleStatus: status(1, 3), InstantiationLevelID: "large", Groups: groups(3, 5, 3, 5)},
			vms(3, 3), status(0, 1), "former",
		},
		"one pair is half made, the workers are there": {
			status(0, 1),
			lcm.Plan{ScaleStatus: status(1, 3), InstantiationLevelID: "large", Groups: groups(3, 5, 3, 5)},
			vms(4, 5), status(0, 3), "",
		},
		"all are there": {
			status(0, 1),
			lcm.Plan{ScaleStatus: status(1, 3), InstantiationLevelID: "large", Groups: groups(3, 5, 3, 5)},
			vms(5, 5), status(1, 3), "large",
		},
		"some of those that leave are gone": {
			status(2, 4),
			lcm.Plan{ScaleStatus: status(0, 1), Groups: groups(7, 3, 6, 3)},
			vms(5, 5), status(1, 3), "",
		},
		"an instantiation level had made them more": {
			status(0, 0),
			lcm.Plan{ScaleStatus: status(0, 2), Groups: []lcm.GroupChange{
				{AspectID: "workers", VduID: "worker", From: 4, To: 6},
			}},
			vms(3, 5), status(0, 1), "",
		},
		"a heal has lost one": {
			status(0, 1),
			lcm.Plan{Operation: lcm.OpHeal, ScaleStatus: status(0, 1), InstantiationLevelID: "former"},
			vms(2, 3), status(0, 1), "former",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := vnf{&operations.Operation{Flavour: flavour, OpOcc: lcm.VnfLcmOpOcc{Plan: &c.plan}}, allOn("vim")}
			j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{ScaleStatus: c.before, InstantiationLevelID: "former"}
			level, got := j.levelsLeft(c.have)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.wantLevel, level)
		})
	}
}
