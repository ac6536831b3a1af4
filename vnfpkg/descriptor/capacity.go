package descriptor

import (
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// ScalingAspect is one aspect of a ScalingAspects policy with the deltas of every VDU it scales.
type ScalingAspect struct {
	ID            string `json:"id"`
	Name          string `json:"name,omitempty"`
	Description   string `json:"description,omitempty"`
	MaxScaleLevel int    `json:"maxScaleLevel"`
	// StepDeltas names the delta of each step from level 0 on; the last one also serves further steps.
	StepDeltas []string `json:"stepDeltas,omitempty"`
	// Deltas maps VDU and delta to the number of instances that the step adds.
	Deltas map[string]map[string]int `json:"deltas,omitempty"`
	// Bitrates maps virtual link and delta to the bit rate that the step adds.
	Bitrates map[string]map[string]Bitrate `json:"bitrates,omitempty"`
}

// Level is one level of the InstantiationLevels policy.
type Level struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	// ScaleLevels maps aspects to scale levels.
	ScaleLevels map[string]int `json:"scaleLevels,omitempty"`
	// Instances maps VDUs to numbers of instances, from VduInstantiationLevels.
	Instances map[string]int `json:"instances,omitempty"`
	// Bitrates maps virtual links to bit rates, from VirtualLinkInstantiationLevels.
	Bitrates map[string]Bitrate `json:"bitrates,omitempty"`
}

// Delta is how many instances of a VDU the step from scale level `from` to the next one adds.
func (a *ScalingAspect) Delta(vdu string, from int) int {
	if len(a.StepDeltas) == 0 || from < 0 {
		return 0
	}
	return a.Deltas[vdu][a.StepDeltas[min(from, len(a.StepDeltas)-1)]]
}

// Level finds an instantiation level; "" is the default one. A flavour without levels has one
// unnamed level, of the initial size.
func (f *Flavour) Level(id string) (Level, error) {
	if id == "" {
		if len(f.Levels) == 0 {
			return Level{}, nil
		}
		if f.DefaultLevel == "" {
			return Level{}, lcm.Errorf(lcm.KindInvalid, "the flavour %s has no default instantiation level; name one of %s",
				f.ID, f.levelNames())
		}
		id = f.DefaultLevel
	}
	i := slices.IndexFunc(f.Levels, func(l Level) bool { return l.ID == id })
	if i < 0 {
		return Level{}, lcm.Errorf(lcm.KindInvalid, "the flavour %s has no instantiation level %s; it has %s", f.ID,
			document.Quote(id), f.levelNames())
	}
	return f.Levels[i], nil
}

func (f *Flavour) levelNames() string {
	if len(f.Levels) == 0 {
		return "none"
	}
	names := make([]string, 0, len(f.Levels))
	for _, l := range f.Levels {
		names = append(names, l.ID)
	}
	return strings.Join(names, ", ")
}

// Capacity maps every VDU to its number of instances at an instantiation level ("" is the default one).
// VduInstantiationLevels decide; a VDU without them has its initial delta and those of the level's
// scale levels.
func (f *Flavour) Capacity(levelID string) (map[string]int, error) {
	level, err := f.Level(levelID)
	if err != nil {
		return nil, err
	}
	capacity, err := f.CapacityAt(level.ScaleLevels)
	if err != nil {
		return nil, err
	}
	maps.Copy(capacity, level.Instances)
	return capacity, nil
}

// CapacityAt maps every VDU to its number of instances when the aspects are at these scale levels, 0
// for an aspect that is not named. All deltas count, also those that differ from step to step.
func (f *Flavour) CapacityAt(scaleLevels map[string]int) (map[string]int, error) {
	for _, aspect := range slices.Sorted(maps.Keys(scaleLevels)) {
		a, ok := f.Aspect(aspect)
		if !ok {
			return nil, lcm.Errorf(lcm.KindInvalid, "the flavour %s has no scaling aspect %s", f.ID, document.Quote(aspect))
		}
		if n := scaleLevels[aspect]; n < 0 || n > a.MaxScaleLevel {
			return nil, lcm.Errorf(lcm.KindInvalid, "the scale level of aspect %s must be between 0 and %d, not %d",
				aspect,
				a.MaxScaleLevel, n)
		}
	}
	capacity := make(map[string]int, len(f.Vdus))
	for _, vdu := range f.Vdus {
		capacity[vdu.ID] = vdu.Initial()
	}
	for i := range f.Aspects {
		f.Aspects[i].add(capacity, scaleLevels[f.Aspects[i].ID])
	}
	return capacity, nil
}

// steps maps deltas to how often they are among the first `level` steps. They are counted once: step by step for every
// VDU, a hostile descriptor could make this take minutes.
func (a *ScalingAspect) steps(level int) map[string]int {
	times := map[string]int{}
	if len(a.StepDeltas) == 0 || level <= 0 {
		return times
	}
	for _, delta := range a.StepDeltas[:min(level, len(a.StepDeltas))] {
		times[delta]++
	}
	times[a.StepDeltas[len(a.StepDeltas)-1]] += max(0, level-len(a.StepDeltas))
	return times
}

// add adds what the first `level` steps bring to each VDU.
func (a *ScalingAspect) add(capacity map[string]int, level int) {
	times := a.steps(level)
	for vdu, deltas := range a.Deltas {
		if _, ok := capacity[vdu]; !ok {
			continue
		}
		for delta, n := range times {
			capacity[vdu] += n * deltas[delta]
		}
	}
}

// Initial is the number of instances at scale level 0. Without a VduInitialDelta it is the profile's
// minimum, and one for a VDU that says nothing.
func (v *Vdu) Initial() int {
	switch {
	case v.InitialInstances != nil:
		return *v.InitialInstances
	case v.MinInstances > 0 || v.MaxInstances > 0:
		return v.MinInstances
	default:
		return 1
	}
}

// Aspect is the scaling aspect of that id.
func (f *Flavour) Aspect(id string) (*ScalingAspect, bool) {
	i := slices.IndexFunc(f.Aspects, func(a ScalingAspect) bool { return a.ID == id })
	if i < 0 {
		return nil, false
	}
	return &f.Aspects[i], true
}

// Sizes maps the scaling aspects to their numbers of VNFCs, for templates whose groups are named like aspects.
func (f *Flavour) Sizes(capacity map[string]int) map[string]int {
	out := map[string]int{}
	for _, aspect := range f.Aspects {
		for _, vdu := range slices.Sorted(maps.Keys(aspect.Deltas)) {
			out[aspect.ID] = capacity[vdu]
			break
		}
	}
	return out
}
