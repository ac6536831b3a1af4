package worker

import (
	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// following is the VNF with the Pods that its cluster has made of itself, and at the scale levels which they make.
func (j *job) following(connectionID string) func(activities.Outcome) lcm.InstantiatedVnfInfo {
	return func(made activities.Outcome) lcm.InstantiatedVnfInfo {
		info := *j.Instance.Instantiated
		j.resources(&info, made, connectionID)
		count := map[string]int{}
		for _, v := range info.VnfcResources {
			count[v.VduID]++
		}
		status := j.levelsOf(count, info.ScaleStatus)
		for i := range status {
			if status[i] != info.ScaleStatus[i] {
				info.InstantiationLevelID = ""
			}
		}
		info.ScaleStatus = status
		return info
	}
}

// levelsOf are the scale levels at which VDUs have so many VNFCs; an aspect keeps its level where none does.
func (j *job) levelsOf(count map[string]int, recorded []lcm.ScaleInfo) (out []lcm.ScaleInfo) {
	levels := map[string]int{}
	for _, s := range recorded {
		levels[s.AspectID] = s.ScaleLevel
	}
	for _, s := range recorded {
		for level := 0; level <= j.mostSteps(s.AspectID); level++ {
			was := levels[s.AspectID]
			levels[s.AspectID] = level
			if j.fits(s.AspectID, levels, count) {
				s.ScaleLevel = level
				break
			}
			levels[s.AspectID] = was
		}
		out = append(out, s)
	}
	return out
}

func (j *job) mostSteps(aspect string) int {
	for _, s := range j.Flavour.MaxScaleLevels() {
		if s.AspectID == aspect {
			return s.ScaleLevel
		}
	}
	return 0
}

// fits tells whether the VDUs of an aspect have as many VNFCs as the levels ask for.
func (j *job) fits(aspect string, levels, count map[string]int) bool {
	want, err := j.Flavour.CapacityAt(levels)
	if err != nil {
		return false
	}
	vdus := j.Flavour.VdusOf(aspect)
	for _, vdu := range vdus {
		if want[vdu] != count[vdu] {
			return false
		}
	}
	return len(vdus) > 0
}
