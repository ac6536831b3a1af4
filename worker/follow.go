package worker

import (
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// following is the VNF with the Pods that its cluster has made of itself, and at the scale levels which they make. The
// servers of a hybrid VNF stay as they are recorded.
func (j *job) following(on func(vdu string) string) func(activities.Outcome) lcm.InstantiatedVnfInfo {
	return func(made activities.Outcome) lcm.InstantiatedVnfInfo {
		had := j.Instance.Instantiated
		info := *had
		j.resources(&info, made, on)
		if j.Flavour.Hybrid {
			j.keepServers(&info, had)
		}
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

// followed tells whether the cluster decides which VNFCs of a VDU there are.
func (j *job) followed() func(vdu string) bool {
	return func(vdu string) bool { return lifecycle.VimKindOf(j.Flavour, vdu).ReplacesVnfcs }
}

// keepServers puts the servers, with what belongs to them, in front of the Pods.
func (j *job) keepServers(info, had *lcm.InstantiatedVnfInfo) {
	follows := j.followed()
	isPod := map[string]bool{}
	for _, v := range had.VnfcResources {
		isPod[v.ID] = follows(v.VduID)
	}
	info.VnfcResources = append(slices.DeleteFunc(slices.Clone(had.VnfcResources),
		func(v lcm.VnfcResourceInfo) bool { return isPod[v.ID] }), info.VnfcResources...)
	info.Attached = append(slices.DeleteFunc(slices.Clone(had.Attached),
		func(a lcm.AttachedResource) bool { return isPod[a.VnfcID] }), info.Attached...)
	info.VirtualStorages = append(slices.DeleteFunc(slices.Clone(had.VirtualStorages),
		func(s lcm.VirtualStorageResourceInfo) bool { return isPod[holderOf(had, s.ID)] }), info.VirtualStorages...)
	info.VirtualLinks = had.VirtualLinks
	info.ExtCps = append(slices.DeleteFunc(slices.Clone(had.ExtCps),
		func(cp lcm.VnfExtCpInfo) bool { return j.ofContainers(cp.CpdID) }),
		slices.DeleteFunc(info.ExtCps, func(cp lcm.VnfExtCpInfo) bool { return !j.ofContainers(cp.CpdID) })...)
}

func holderOf(info *lcm.InstantiatedVnfInfo, storage string) string {
	for _, a := range info.Attached {
		if a.ResourceID == storage {
			return a.VnfcID
		}
	}
	return ""
}

func (j *job) ofContainers(cpd string) bool {
	cp, ok := j.Flavour.Cp(cpd)
	return ok && j.Flavour.OfContainers(cp.VduID)
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
