package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// changes reports whether the operation makes something else of a VNF that is there.
func changes(op lcm.Operation) bool {
	return op == lcm.OpScale || op == lcm.OpScaleToLevel || op == lcm.OpHeal
}

// Plan implements activities.Facts.
func (o *operations) Plan(ctx context.Context, id lcm.OpOccID, unhealthy map[string]string) (lcm.Plan, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return lcm.Plan{}, err
	}
	return j.plan(unhealthy)
}

// plan is the operation's plan: the one that is kept, else what would be decided now.
func (j *job) plan(unhealthy map[string]string) (lcm.Plan, error) {
	if j.opOcc.Plan != nil {
		return *j.opOcc.Plan, nil
	}
	return j.planOf(j.opOcc.Operation, j.opOcc.Params, unhealthy)
}

// planOf is the plan of an operation with that request.
func (j *job) planOf(op lcm.Operation, request json.RawMessage, unhealthy map[string]string) (lcm.Plan, error) {
	facts, err := j.facts(unhealthy)
	if err != nil {
		return lcm.Plan{}, err
	}
	return lifecycle.For(facts, op, request)
}

// facts are what plans and grants are made of.
func (j *job) facts(unhealthy map[string]string) (lifecycle.Facts, error) {
	facts := lifecycle.Facts{
		Instance: j.inst, Flavour: j.flavour, Unhealthy: unhealthy, Managed: j.request.ExtManagedVirtualLinks, Links: j.request.ExtVirtualLinks,
		APIVersion: j.opOcc.APIVersion, ChangesVim: len(j.changedConnections()) > 0, ChangesRegistries: j.changesRegistries(),
	}
	var err error
	if facts.Graceful, err = graceful(j.opOcc); err != nil {
		return facts, err
	}
	if j.isCluster() {
		params, err := lcm.ParseClusterParams(j.request.AdditionalParams)
		if err != nil {
			return facts, err
		}
		facts.Cluster = &params
	}
	if j.isRegistryServer() {
		_, server, err := j.access()
		facts.RegistryServer = server
		return facts, err
	}
	return facts, nil
}

// Grant implements activities.Facts.
func (o *operations) Grant(ctx context.Context, id lcm.OpOccID) (lcm.Grant, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return lcm.Grant{}, err
	}
	facts, p, err := j.planned()
	if err != nil {
		return lcm.Grant{}, err
	}
	return o.asked(ctx, j, facts, p)
}

// servers are the ids of the VNF's servers as it is recorded.
func (j *job) servers() []string {
	var out []string
	if j.inst.Instantiated != nil {
		for _, v := range j.inst.Instantiated.VnfcResources {
			out = append(out, v.ComputeResource.ResourceID)
		}
	}
	return out
}

// recorded is how many VMs of each VDU the VNF has.
func (j *job) recorded() map[string]int {
	out := map[string]int{}
	for _, vdu := range j.flavour.Vdus {
		out[vdu.ID] = 0
	}
	for _, v := range j.inst.Instantiated.VnfcResources {
		out[v.VduID]++
	}
	return out
}

// capacity is how many VMs of each VDU the VNF has, or is to have when it is instantiated.
func (j *job) capacity() (map[string]int, error) {
	if j.inst.Instantiated != nil {
		return j.recorded(), nil
	}
	return j.flavour.Capacity(j.request.InstantiationLevelID)
}

// levelsLeft are the instantiation level and the scale status of an operation that was given up: of each aspect the level
// nearest to the planned one that its VMs have reached.
func (j *job) levelsLeft(vnfcs []activities.Vnfc) (string, []lcm.ScaleInfo) {
	before, p := j.inst.Instantiated, j.opOcc.Plan
	if before == nil || p == nil {
		return j.levels()
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
	was, err := j.flavour.CapacityAt(map[string]int{aspect: from})
	if err != nil {
		return false
	}
	is, err := j.flavour.CapacityAt(map[string]int{aspect: level})
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

// levels are the instantiation level and the scale status when the operation is complete.
func (j *job) levels() (string, []lcm.ScaleInfo) {
	if p := j.opOcc.Plan; p != nil {
		return p.InstantiationLevelID, p.ScaleStatus
	}
	return cmp.Or(j.request.InstantiationLevelID, j.flavour.DefaultLevel), j.flavour.ScaleStatus(j.request.InstantiationLevelID)
}
