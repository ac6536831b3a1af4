package record

import (
	"cmp"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// levelsLeft returns the instantiation level and the scale status after an operation that was given up. For each
// aspect, it is the reached level that is nearest to the planned level.
func (v vnf) levelsLeft(vnfcs []Vnfc) (string, []lcm.ScaleInfo) {
	before, p := v.Instance.Instantiated, v.OpOcc.Plan
	switch {
	case before == nil:
		return v.Levels()
	case p == nil: // the VNF before the operation
		return before.InstantiationLevelID, before.ScaleStatus
	}
	count := map[string]int{}
	for _, c := range vnfcs {
		count[c.VduID]++
	}
	reached, moved := true, false
	var status []lcm.ScaleInfo
	for _, planned := range p.ScaleStatus {
		from := levelOf(before.ScaleStatus, planned.AspectID)
		level := planned.ScaleLevel
		for level != from && !v.reached(p, planned.AspectID, from, level, count) {
			level += cmp.Compare(from, level)
		}
		reached, moved = reached && level == planned.ScaleLevel, moved || level != from
		status = append(status, lcm.ScaleInfo{AspectID: planned.AspectID, ScaleLevel: level})
	}
	switch {
	case reached:
		return p.InstantiationLevelID, status
	case !moved:
		return before.InstantiationLevelID, status
	}
	return "", status
}

// reached reports whether the VDUs of an aspect have the number of VMs of a level, on the way to it from another.
func (v vnf) reached(p *lcm.Plan, aspect string, from, level int, count map[string]int) bool {
	was, err := v.Flavour.CapacityAt(map[string]int{aspect: from})
	if err != nil {
		return false
	}
	is, err := v.Flavour.CapacityAt(map[string]int{aspect: level})
	if err != nil {
		return false
	}
	for _, g := range p.Groups {
		want := g.From + is[g.VduID] - was[g.VduID]
		if g.AspectID == aspect && (level > from && count[g.VduID] < want || level < from && count[g.VduID] > want) {
			return false
		}
	}
	return true
}

func levelOf(status []lcm.ScaleInfo, aspect string) int {
	for _, s := range status {
		if s.AspectID == aspect {
			return s.ScaleLevel
		}
	}
	return 0
}
