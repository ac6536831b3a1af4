package operations

import (
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Part returns the operation limited to a hybrid VNF's VMs, or to its containers: their part of the flavour, of the
// record and of the plan. For a VNF that is not hybrid, it returns the operation itself.
func (o *Operation) Part(containers bool) *Operation {
	if o == nil || o.Flavour == nil || !o.Flavour.Hybrid {
		return o
	}
	part := *o
	part.Flavour, part.bound = o.Flavour.Part(containers), nil
	is := func(vdu string) bool { return o.FlavourOf(vdu).OfContainers(vdu) == containers }
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

// choicesOf returns the NFVOs' choices for one part. A choice that belongs to no VDU, e.g. for a storage, belongs to
// the servers.
func (o *Operation) choicesOf(containers bool) lcm.GrantedChoices {
	pods := o.Flavour.Part(true)
	if pods == nil {
		return o.Choices
	}
	ofPods := func(id string) bool {
		_, is := pods.Vdu(id)
		return is || slices.ContainsFunc(pods.Vdus, func(v descriptor.Vdu) bool { return v.HasContainer(id) })
	}
	out := o.Choices
	for _, m := range []*map[string]string{&out.Images, &out.ComputeFlavours, &out.Zones, &out.KeptImages} {
		*m = maps.Clone(*m)
		maps.DeleteFunc(*m, func(id, _ string) bool { return ofPods(id) != containers })
	}
	return out
}

// partOf returns the part of a plan that changes these VDUs.
func partOf(p lcm.Plan, is func(vdu string) bool) lcm.Plan {
	p.Groups = slices.DeleteFunc(slices.Clone(p.Groups), func(g lcm.GroupChange) bool { return !is(g.VduID) })
	p.Leaving = slices.DeleteFunc(slices.Clone(p.Leaving), func(l lcm.LeavingVnfc) bool { return !is(l.VduID) })
	p.Operated = slices.DeleteFunc(slices.Clone(p.Operated), func(v lcm.OperatedVnfc) bool { return !is(v.VduID) })
	return p
}

// linksOf returns the request's links with the connection points of one part. A connection point outside the VNFD
// belongs to the servers, because their templates may have it.
func (o *Operation) linksOf(containers bool) (out []lcm.ExtVirtualLink) {
	for _, link := range o.Request.ExtVirtualLinks {
		link.ExtCps = slices.DeleteFunc(slices.Clone(link.ExtCps), func(cp lcm.ExtCp) bool {
			known, ok := o.Flavour.Cp(cp.CpdID)
			return (ok && o.Flavour.OfContainers(known.VduID)) != containers
		})
		out = append(out, link) // keep empty links: errors refer to a link by its index
	}
	return out
}

// ChangesLinks tells whether the operation is a CHANGE_EXT_CONN.
func (o *Operation) ChangesLinks() bool {
	_, is := o.Own.(lcm.ChangeExtConnRequest)
	return is
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
	return !containers && !o.Reconnects(true) // then it changes connection points that only templates know
}

// Touches tells whether the operation's plan changes a hybrid VNF's VMs, or its containers. Bit rates apply only to the
// VMs' networks.
func (o *Operation) Touches(containers bool) bool {
	p := o.OpOcc.Plan
	if p == nil {
		return true
	}
	part := partOf(*p, func(vdu string) bool { return o.Flavour.OfContainers(vdu) == containers })
	return part.Grows() || part.Shrinks() || len(part.Leaving) > 0 || p.Bitrates && !containers
}
