package worker

import (
	"cmp"
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Plan implements activities.Facts.
func (o *resolver) Plan(ctx context.Context, id lcm.OpOccID, unhealthy map[string]string) (lcm.Plan, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return lcm.Plan{}, err
	}
	return j.Plan(unhealthy)
}

// Grant implements activities.Facts.
func (o *resolver) Grant(ctx context.Context, id lcm.OpOccID) (lcm.Grant, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return lcm.Grant{}, err
	}
	facts, p, err := j.Planned()
	if err != nil {
		return lcm.Grant{}, err
	}
	return o.asked(ctx, j, facts, p)
}

// levelsLeft are the instantiation level and the scale status of an operation that was given up: of each aspect the
// level nearest to the planned one that its VMs have reached.
func (j *job) levelsLeft(vnfcs []activities.Vnfc) (string, []lcm.ScaleInfo) {
	before, p := j.Instance.Instantiated, j.OpOcc.Plan
	if before == nil || p == nil {
		return j.Levels()
	}
	count := map[string]int{}
	for _, v := range vnfcs {
		count[v.VduID]++
	}
	reached, moved := true, false
	var status []lcm.ScaleInfo
	for _, planned := range p.ScaleStatus {
		from := levelOf(before.ScaleStatus, planned.AspectID)
		level := planned.ScaleLevel
		for level != from && !j.reached(p, planned.AspectID, from, level, count) {
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

// reached tells whether the VDUs of an aspect have as many VMs as a level asks for, on the way to it from another.
func (j *job) reached(p *lcm.Plan, aspect string, from, level int, count map[string]int) bool {
	was, err := j.Flavour.CapacityAt(map[string]int{aspect: from})
	if err != nil {
		return false
	}
	is, err := j.Flavour.CapacityAt(map[string]int{aspect: level})
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
