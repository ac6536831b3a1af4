package vnfd

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

// link reads a virtual link. Its rates in vl_profile bound the rates that scaling sets.
func (r *policyReader) link(name string, node *document.Value) descriptor.VirtualLink {
	profile := r.Property(node, "vl_profile")
	l := descriptor.VirtualLink{
		ID: name, Description: node.At("properties", "description").Str(),
		MinBitrate: r.bitrate(profile.At("min_bitrate_requirements")),
		MaxBitrate: r.bitrate(profile.At("max_bitrate_requirements")),
	}
	if l.MinBitrate != nil && l.MaxBitrate != nil &&
		(l.MaxBitrate.Root < l.MinBitrate.Root || l.MaxBitrate.Leaf != 0 && l.MaxBitrate.Leaf < l.MinBitrate.Leaf) {
		r.Problem(profile.Place(), "max_bitrate_requirements are smaller than min_bitrate_requirements")
	}
	switch managed := r.Property(node, "externally_managed"); managed.Str() {
	case "", "allowed":
	case "required":
		l.ManagedElsewhere = true
	default:
		r.Problem(managed.Place(), "externally_managed is %s, neither allowed nor required", document.Quote(managed.Str()))
	}
	return l
}

// bitrate reads LinkBitrateRequirements; nil when nothing is written.
func (r *policyReader) bitrate(v *document.Value) *descriptor.Bitrate {
	v = tosca.ResolveInput(r.Root, v)
	if !v.IsMap() {
		if !v.IsNull() {
			r.Problem(v.Place(), "must be a bit rate with root and, optionally, leaf, in bits per second")
		}
		return nil
	}
	if v.At("root").IsNull() {
		r.Problem(v.Place(), "the bit rate has no root")
	}
	return &descriptor.Bitrate{Root: r.bits(v.At("root")), Leaf: r.bits(v.At("leaf"))}
}

func (r *policyReader) bits(v *document.Value) int64 {
	v = tosca.ResolveInput(r.Root, v)
	if v.IsNull() {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v.Str()), 10, 64)
	if err != nil || n < 0 || n > descriptor.MaxBitrate {
		r.Problem(v.Place(), "%s is not a bit rate: give a whole number of bits per second, %d at most",
			document.Quote(v.Str()),
			int64(descriptor.MaxBitrate))
		return 0
	}
	return n
}

// targetLinks are the virtual links that a policy is for.
func (r *policyReader) targetLinks(name string, policy *document.Value) (out []*descriptor.VirtualLink) {
	for _, target := range policy.At("targets").List() {
		link, ok := r.flavour.VirtualLink(target.Str())
		switch {
		case ok:
			out = append(out, link)
		case r.Nodes.Has(target.Str()): // anything else is reported already
			r.Problem(target.Place(), "the policy %s is for virtual links, but %s is not a virtual link",
				name, document.Quote(target.Str()))
		}
	}
	return out
}

func (r *policyReader) initialBitrate(name string, policy *document.Value) {
	rate := r.bitrate(policy.At("properties", "initial_delta", "bitrate_requirements"))
	if rate == nil {
		r.Problem(policy.Place(), "the initial delta has no bitrate_requirements")
		return
	}
	for _, link := range r.targetLinks(name, policy) {
		r.decides(name, policy, "the initial bit rate of "+link.ID)
		link.InitialBitrate = rate
	}
}

func (r *policyReader) bitrateDeltas(name string, policy *document.Value) {
	aspect, items := r.aspectDeltas(name, policy)
	if aspect == nil {
		return
	}
	deltas := map[string]descriptor.Bitrate{}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		item := items[id]
		if rate := r.bitrate(item.At("bitrate_requirements")); rate != nil {
			deltas[id] = *rate
		} else {
			r.Problem(item.Place(), "the delta %s has no bitrate_requirements", document.Quote(id))
		}
	}
	if aspect.Bitrates == nil {
		aspect.Bitrates = map[string]map[string]descriptor.Bitrate{}
	}
	for _, link := range r.targetLinks(name, policy) {
		r.decides(name, policy, "the deltas of the bit rate of "+link.ID+" for the aspect "+aspect.ID)
		aspect.Bitrates[link.ID] = deltas
		if link.InitialBitrate == nil {
			r.Warn(policy.Place(), "%s has deltas of its bit rate, but no VirtualLinkBitrateInitialDelta, so "+
				"Windlass does not use the deltas", link.ID)
		}
	}
}

func (r *policyReader) bitrateLevels(name string, policy *document.Value) {
	links := r.targetLinks(name, policy)
	for id, item := range policy.At("properties", "levels").Members() {
		i := slices.IndexFunc(r.flavour.Levels, func(l descriptor.Level) bool { return l.ID == id })
		if i < 0 {
			r.Problem(item.Place(), "the policy %s names the instantiation level %s, which does not exist", name,
				document.Quote(id))
			continue
		}
		rate := r.bitrate(item.At("bitrate_requirements"))
		if rate == nil {
			r.Problem(item.Place(), "the level %s has no bitrate_requirements", document.Quote(id))
			continue
		}
		if r.flavour.Levels[i].Bitrates == nil {
			r.flavour.Levels[i].Bitrates = map[string]descriptor.Bitrate{}
		}
		for _, link := range links {
			r.decides(name, policy, "the bit rate of "+link.ID+" at the level "+id)
			r.flavour.Levels[i].Bitrates[link.ID] = *rate
		}
	}
}

// vipPolicy refuses a policy that is not valid for virtual addresses. The Base HOT fixes the number of virtual
// addresses of a VNF.
func (r *policyReader) vipPolicy(name string, policy *document.Value) {
	for _, target := range policy.At("targets").List() {
		if node := r.Nodes.At(target.Str()); node != nil && r.BuiltinType(node.At("type").Str()) != tosca.TypeVipCp {
			r.Problem(target.Place(), "the policy %s is for connection points of virtual addresses, but %s is not "+
				"such a connection point", name, document.Quote(target.Str()))
		}
	}
	r.Warn(policy.Place(), "the policy %s is not used: the Base HOT alone decides how many virtual addresses there "+
		"are", name)
}

// checkBitrates warns of bit rates that contradict the links' profiles, and of bit rates that no template uses.
func (r *policyReader) checkBitrates() {
	place := r.Root.At("policies").Place()
	highest := map[string]int{}
	for _, a := range r.flavour.Aspects {
		highest[a.ID] = a.MaxScaleLevel
	}
	check := func(where string, rates map[string]descriptor.Bitrate) {
		for _, id := range slices.Sorted(maps.Keys(rates)) {
			link, _ := r.flavour.VirtualLink(id)
			rate, most, least := rates[id], link.MaxBitrate, link.MinBitrate
			if most != nil && (rate.Root > most.Root || most.Leaf != 0 && rate.Leaf > most.Leaf) || least != nil &&
				(rate.Root < least.Root || rate.Leaf < least.Leaf) {
				r.Warn(place, "%s gives %s a bit rate of %d bit/s (leaf %d), outside of its vl_profile", where, id, rate.Root,
					rate.Leaf)
			}
		}
	}
	for _, level := range r.flavour.Levels {
		check("the level "+level.ID, level.Bitrates)
		derived := r.flavour.BitratesAt(level.ScaleLevels)
		for _, id := range slices.Sorted(maps.Keys(level.Bitrates)) {
			link, _ := r.flavour.VirtualLink(id)
			if rate := level.Bitrates[id]; link.InitialBitrate != nil && rate != derived[id] {
				r.Warn(place, "the level %s gives %s a bit rate of %d bit/s (leaf %d), but its scale levels make %d (leaf %d)",
					level.ID, id, rate.Root, rate.Leaf, derived[id].Root, derived[id].Leaf)
			}
		}
	}
	check("the highest scale level", r.flavour.BitratesAt(highest))
}
