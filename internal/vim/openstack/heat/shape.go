package heat

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// shape is the size of a stack: the number of VMs of each VDU and, where each VNFC is a resource of its own, their
// indexes.
type shape struct {
	capacity map[string]int
	members  descriptor.Members // nil where groups decide
	bitrates map[string]descriptor.Bitrate
	// grown is set while a VNF that gets another flavour still has all of its former servers: the groups of that flavour
	// may be too small for them.
	grown bool
}

// whole returns the present shape of the VNF, or its shape after the instantiation.
func (j *job) whole() (shape, error) {
	if j.Instance.Instantiated != nil {
		return j.present()
	}
	capacity, err := j.Flavour.Capacity(j.Request.InstantiationLevelID)
	if err != nil {
		return shape{}, err
	}
	s := shape{capacity: capacity}
	if j.SeparateResources() {
		s.members = descriptor.FirstMembers(capacity)
	}
	s.bitrates, err = j.Flavour.Bitrates(j.Request.InstantiationLevelID)
	return s, err
}

// present returns the recorded shape of the VNF.
func (j *job) present() (shape, error) {
	s := shape{capacity: j.Recorded(), bitrates: j.bitrates(vim.SizesRecorded)}
	if !j.SeparateResources() {
		return s, nil
	}
	s.members = descriptor.Members{}
	for _, v := range j.Instance.Instantiated.VnfcResources {
		index, err := memberIndex(v)
		if err != nil {
			return s, err
		}
		s.members[v.VduID] = append(s.members[v.VduID], index)
	}
	for _, indexes := range s.members {
		slices.Sort(indexes)
	}
	return s, nil
}

// bitrates returns the bit rates of virtual links that an existing VNF has or gets.
func (j *job) bitrates(sizes vim.Sizes) map[string]descriptor.Bitrate {
	info, p := j.Instance.Instantiated, j.OpOcc.Plan
	if j.Before != nil && p != nil {
		return j.Flavour.BitratesOf(p.InstantiationLevelID, p.ScaleStatus)
	}
	now := j.Flavour.BitratesOf(info.InstantiationLevelID, info.ScaleStatus)
	if p == nil || sizes == vim.SizesRecorded || !p.Operation.Scales() {
		return now
	}
	then := j.Flavour.BitratesOf(p.InstantiationLevelID, p.ScaleStatus)
	if sizes == vim.SizesGrown && p.Shrinks() { // the VMs that leave are still there
		for link := range then {
			then[link] = then[link].Larger(now[link])
		}
	}
	return then
}

// memberIndex returns the index of a VNFC within its VDU, from the name of the VNFC's nested stack.
func memberIndex(v lcm.VnfcResourceInfo) (int, error) {
	name, _ := v.Metadata["parent_resource_name"].(string)
	index, ok := descriptor.MemberIndex(v.VduID, name)
	if !ok {
		return 0, lcm.Errorf(lcm.KindBroken, "The record has the VNFC %s in the resource %q, which is no VNFC of %s: "+
			"the class %s has not made the stack.", v.ID, name, v.VduID, lcm.StandardUserData)
	}
	return index, nil
}

// sized returns the shape that an existing VNF has or gets.
func (j *job) sized(sizes vim.Sizes) (shape, error) {
	s, err := j.present()
	if err != nil || s.members == nil {
		return shape{capacity: deployments.Capacity(j.Operation, sizes), bitrates: j.bitrates(sizes)}, err
	}
	s.bitrates = j.bitrates(sizes)
	p := j.OpOcc.Plan
	if p == nil || sizes == vim.SizesRecorded || p.Replaces() { // a healed VNFC keeps its place
		return s, nil
	}
	for _, g := range p.Groups { // grow before takeOut, so that new VNFCs have the same indexes in every step
		if g.To > g.From {
			s.members.Grow(g.VduID, g.To-g.From)
		}
	}
	if sizes == vim.SizesPlanned {
		err = j.takeOut(s.members, p.Leaving)
	}
	s.capacity = s.members.Capacity()
	return s, err
}

// takeOut removes the VNFCs that leave.
func (j *job) takeOut(members descriptor.Members, leaving []lcm.LeavingVnfc) error {
	for _, l := range leaving {
		for _, v := range j.Instance.Instantiated.VnfcResources {
			if v.ID != l.VnfcID {
				continue
			}
			index, err := memberIndex(v)
			if err != nil {
				return err
			}
			members[v.VduID] = slices.DeleteFunc(members[v.VduID], func(i int) bool { return i == index })
		}
	}
	return nil
}
