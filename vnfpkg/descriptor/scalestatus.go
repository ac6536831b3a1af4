package descriptor

import (
	"cmp"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// VdusOf finds the VDUs for a role: the VDUs of the connection points, else the VDUs that the aspect scales, else the
// VDUs of the Heat group with that name. Requests may name a group that no aspect scales, e.g. the group of a single
// control plane. The result is empty if the package does not tell.
func (f *Flavour) VdusOf(aspectID string, cpIDs ...string) []string {
	for _, id := range cpIDs {
		if cp, ok := f.Cp(id); ok && cp.VduID != "" {
			return []string{cp.VduID}
		}
	}
	if a, ok := f.Aspect(aspectID); ok && len(a.Deltas) > 0 {
		return slices.Sorted(maps.Keys(a.Deltas))
	}
	return slices.Clone(f.Groups[aspectID])
}

// ScaleStatus is the scale level of every aspect at an instantiation level, "" for the default one.
func (f *Flavour) ScaleStatus(levelID string) []lcm.ScaleInfo {
	level, err := f.Level(levelID)
	if err != nil {
		return nil
	}
	return f.scaleInfo(func(a ScalingAspect) int { return level.ScaleLevels[a.ID] })
}

// MaxScaleLevels is the largest scale level of every aspect.
func (f *Flavour) MaxScaleLevels() []lcm.ScaleInfo {
	return f.scaleInfo(func(a ScalingAspect) int { return a.MaxScaleLevel })
}

func (f *Flavour) scaleInfo(level func(ScalingAspect) int) []lcm.ScaleInfo {
	var out []lcm.ScaleInfo
	for _, a := range f.Aspects {
		out = append(out, lcm.ScaleInfo{AspectID: a.ID, ScaleLevel: level(a)})
	}
	slices.SortFunc(out, func(a, b lcm.ScaleInfo) int { return cmp.Compare(a.AspectID, b.AspectID) })
	return out
}
