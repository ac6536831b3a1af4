package record

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
)

// Following returns the record of a VNF whose cluster replaces Pods on its own. It contains what the cluster has, at
// the scale levels that match the number of Pods. The servers of a hybrid VNF stay as recorded.
func Following(
	op *operations.Operation, connections []lcm.VimConnectionInfo,
) func(Outcome) lcm.InstantiatedVnfInfo {
	v := of(op, connections)
	return func(made Outcome) lcm.InstantiatedVnfInfo {
		had := v.Instance.Instantiated
		info := *had
		v.resources(&info, made)
		if v.Flavour.Hybrid {
			v.keepServers(&info, had)
		}
		count := map[string]int{}
		for _, c := range info.VnfcResources {
			count[c.VduID]++
		}
		status := v.levelsOf(count, info.ScaleStatus)
		for i := range status {
			if status[i] != info.ScaleStatus[i] {
				info.InstantiationLevelID = ""
			}
		}
		info.ScaleStatus = status
		return info
	}
}

// Followed reports whether a cluster decides which VNFCs a VDU has.
func Followed(of *operations.Operation) func(vdu string) bool {
	return func(vdu string) bool { return lifecycle.VimKindOf(of.Flavour, vdu, of.VimTypes()...).ReplacesVnfcs }
}

// keepServers puts the servers and their resources in front of the Pods.
func (v vnf) keepServers(info, had *lcm.InstantiatedVnfInfo) {
	follows := Followed(v.Operation)
	isPod := map[string]bool{}
	for _, c := range had.VnfcResources {
		isPod[c.ID] = follows(c.VduID)
	}
	info.VnfcResources = append(slices.DeleteFunc(slices.Clone(had.VnfcResources),
		func(c lcm.VnfcResourceInfo) bool { return isPod[c.ID] }), info.VnfcResources...)
	info.Attached = append(slices.DeleteFunc(slices.Clone(had.Attached),
		func(a lcm.AttachedResource) bool { return isPod[a.VnfcID] }), info.Attached...)
	info.VirtualStorages = append(slices.DeleteFunc(slices.Clone(had.VirtualStorages),
		func(s lcm.VirtualStorageResourceInfo) bool { return isPod[holderOf(had, s.ID)] }), info.VirtualStorages...)
	info.VirtualLinks = had.VirtualLinks
	info.ExtCps = append(slices.DeleteFunc(slices.Clone(had.ExtCps),
		func(cp lcm.VnfExtCpInfo) bool { return v.ofContainers(cp.CpdID) }),
		slices.DeleteFunc(info.ExtCps, func(cp lcm.VnfExtCpInfo) bool { return !v.ofContainers(cp.CpdID) })...)
}

func holderOf(info *lcm.InstantiatedVnfInfo, storage string) string {
	for _, a := range info.Attached {
		if a.ResourceID == storage {
			return a.VnfcID
		}
	}
	return ""
}

func (v vnf) ofContainers(cpd string) bool {
	cp, ok := v.Flavour.Cp(cpd)
	return ok && v.Flavour.OfContainers(cp.VduID)
}

// levelsOf returns the scale levels that match the numbers of VNFCs. An aspect keeps its recorded level where none
// matches.
func (v vnf) levelsOf(count map[string]int, recorded []lcm.ScaleInfo) (out []lcm.ScaleInfo) {
	levels := map[string]int{}
	for _, s := range recorded {
		levels[s.AspectID] = s.ScaleLevel
	}
	for _, s := range recorded {
		for level := 0; level <= v.mostSteps(s.AspectID); level++ {
			was := levels[s.AspectID]
			levels[s.AspectID] = level
			if v.fits(s.AspectID, levels, count) {
				s.ScaleLevel = level
				break
			}
			levels[s.AspectID] = was
		}
		out = append(out, s)
	}
	return out
}

func (v vnf) mostSteps(aspect string) int {
	for _, s := range v.Flavour.MaxScaleLevels() {
		if s.AspectID == aspect {
			return s.ScaleLevel
		}
	}
	return 0
}

// fits reports whether the VDUs of an aspect have the numbers of VNFCs that the levels require.
func (v vnf) fits(aspect string, levels, count map[string]int) bool {
	want, err := v.Flavour.CapacityAt(levels)
	if err != nil {
		return false
	}
	vdus := v.Flavour.VdusOf(aspect)
	for _, vdu := range vdus {
		if want[vdu] != count[vdu] {
			return false
		}
	}
	return len(vdus) > 0
}
