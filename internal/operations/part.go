package operations

import (
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Part is the operation as far as it is about a hybrid VNF's VMs, or its containers: their part of the flavour, of what
// is recorded, and of the plan. An operation on a VNF that is not hybrid is its own only part.
func (o *Operation) Part(containers bool) *Operation {
	if o == nil || o.Flavour == nil || !o.Flavour.Hybrid {
		return o
	}
	part := *o
	part.Flavour = o.Flavour.Part(containers)
	is := func(vdu string) bool { return o.Flavour.OfContainers(vdu) == containers }
	if i := o.Instance.Instantiated; i != nil {
		info := *i
		info.VnfcResources = slices.DeleteFunc(slices.Clone(i.VnfcResources),
			func(v lcm.VnfcResourceInfo) bool { return !is(v.VduID) })
		part.Instance.Instantiated = &info
	}
	if o.OpOcc.Plan != nil {
		plan := partOf(*o.OpOcc.Plan, is)
		part.OpOcc.Plan = &plan
	}
	part.Request.ExtVirtualLinks = o.linksOf(containers)
	part.Choices = o.choicesOf(containers)
	part.Before = o.Before.Part(containers)
	return &part
}

// choicesOf are what NFVOs have chosen for one part. What is no VDU's, as a storage, is the servers'.
func (o *Operation) choicesOf(containers bool) lcm.GrantedChoices {
	pods := o.Flavour.Part(true)
	if pods == nil {
		return o.Choices
	}
	ofPods := func(id string) bool {
		_, is := pods.Vdu(id)
		return is || slices.ContainsFunc(pods.Vdus, func(v vnfpkg.Vdu) bool { return v.HasContainer(id) })
	}
	out := o.Choices
	for _, m := range []*map[string]string{&out.Images, &out.ComputeFlavours, &out.Zones, &out.KeptImages} {
		*m = maps.Clone(*m)
		maps.DeleteFunc(*m, func(id, _ string) bool { return ofPods(id) != containers })
	}
	return out
}

// partOf is what a plan changes of some VDUs.
func partOf(p lcm.Plan, is func(vdu string) bool) lcm.Plan {
	p.Groups = slices.DeleteFunc(slices.Clone(p.Groups), func(g lcm.GroupChange) bool { return !is(g.VduID) })
	p.Leaving = slices.DeleteFunc(slices.Clone(p.Leaving), func(l lcm.LeavingVnfc) bool { return !is(l.VduID) })
	p.Operated = slices.DeleteFunc(slices.Clone(p.Operated), func(v lcm.OperatedVnfc) bool { return !is(v.VduID) })
	return p
}

// linksOf are the links of the request with the connection points of one part. Those that the VNFD does not have are
// the servers', whose templates may have them.
func (o *Operation) linksOf(containers bool) (out []lcm.ExtVirtualLink) {
	for _, link := range o.Request.ExtVirtualLinks {
		link.ExtCps = slices.DeleteFunc(slices.Clone(link.ExtCps), func(cp lcm.ExtCp) bool {
			known, ok := o.Flavour.Cp(cp.CpdID)
			return (ok && o.Flavour.OfContainers(known.VduID)) != containers
		})
		out = append(out, link) // also without any: problems are told with the places of links
	}
	return out
}

// Reconnects tells whether the plan of a CHANGE_EXT_CONN connects VMs, or containers, of a hybrid VNF to other links.
func (o *Operation) Reconnects(containers bool) bool {
	p, info := o.OpOcc.Plan, o.Instance.Instantiated
	if p == nil || info == nil {
		return true
	}
	for _, cp := range o.Flavour.Cps {
		was, as, _ := lcm.Connection(info.ExtVirtualLinks, cp.ID)
		is, now, _ := lcm.Connection(p.Links, cp.ID)
		if o.Flavour.OfContainers(cp.VduID) == containers && (was.ResourceID != is.ResourceID || !as.Same(now)) {
			return true
		}
	}
	return !containers && !o.Reconnects(true) // of connection points that only templates know
}

// Touches tells whether the plan of the operation changes a hybrid VNF's VMs, or its containers. Bit rates are those of
// the VMs' networks.
func (o *Operation) Touches(containers bool) bool {
	p := o.OpOcc.Plan
	if p == nil {
		return true
	}
	part := partOf(*p, func(vdu string) bool { return o.Flavour.OfContainers(vdu) == containers })
	return part.Grows() || part.Shrinks() || len(part.Leaving) > 0 || p.Bitrates && !containers
}
