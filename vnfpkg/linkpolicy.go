package vnfpkg

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// link reads a virtual link. Its rates in vl_profile bound the rates that scaling sets.
func (r *policyReader) link(name string, node *value) VirtualLink {
	profile := r.property(node, "vl_profile")
	l := VirtualLink{
		ID: name, Description: node.at("properties", "description").str(),
		MinBitrate: r.bitrate(profile.at("min_bitrate_requirements")),
		MaxBitrate: r.bitrate(profile.at("max_bitrate_requirements")),
	}
	if l.MinBitrate != nil && l.MaxBitrate != nil &&
		(l.MaxBitrate.Root < l.MinBitrate.Root || l.MaxBitrate.Leaf != 0 && l.MaxBitrate.Leaf < l.MinBitrate.Leaf) {
		r.problem(profile.place(), "max_bitrate_requirements are smaller than min_bitrate_requirements")
	}
	switch managed := r.property(node, "externally_managed"); managed.str() {
	case "", "allowed":
	case "required":
		l.ManagedElsewhere = true
	default:
		r.problem(managed.place(), "externally_managed is %s, neither allowed nor required", quoteName(managed.str()))
	}
	return l
}

// bitrate reads LinkBitrateRequirements; nil when nothing is written.
func (r *policyReader) bitrate(v *value) *Bitrate {
	v = resolveInput(r.root, v)
	if !v.isMap() {
		if !v.isNull() {
			r.problem(v.place(), "must be a bit rate with root and, optionally, leaf, in bits per second")
		}
		return nil
	}
	if v.at("root").isNull() {
		r.problem(v.place(), "the bit rate has no root")
	}
	return &Bitrate{Root: r.bits(v.at("root")), Leaf: r.bits(v.at("leaf"))}
}

func (r *policyReader) bits(v *value) int64 {
	v = resolveInput(r.root, v)
	if v.isNull() {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v.str()), 10, 64)
	if err != nil || n < 0 || n > maxBitrate {
		r.problem(v.place(), "%s is not a bit rate: give a whole number of bits per second, %d at most",
			quoteName(v.str()),
			int64(maxBitrate))
		return 0
	}
	return n
}

// targetLinks are the virtual links that a policy is for.
func (r *policyReader) targetLinks(name string, policy *value) (out []*VirtualLink) {
	for _, target := range policy.at("targets").list() {
		link, ok := r.flavour.VirtualLink(target.str())
		switch {
		case ok:
			out = append(out, link)
		case r.nodes.has(target.str()): // anything else is reported already
			r.problem(target.place(), "the policy %s is for virtual links, but %s is not a virtual link",
				name, quoteName(target.str()))
		}
	}
	return out
}

func (r *policyReader) initialBitrate(name string, policy *value) {
	rate := r.bitrate(policy.at("properties", "initial_delta", "bitrate_requirements"))
	if rate == nil {
		r.problem(policy.place(), "the initial delta has no bitrate_requirements")
		return
	}
	for _, link := range r.targetLinks(name, policy) {
		r.decides(name, policy, "the initial bit rate of "+link.ID)
		link.InitialBitrate = rate
	}
}

func (r *policyReader) bitrateDeltas(name string, policy *value) {
	aspect, items := r.aspectDeltas(name, policy)
	if aspect == nil {
		return
	}
	deltas := map[string]Bitrate{}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		item := items[id]
		if rate := r.bitrate(item.at("bitrate_requirements")); rate != nil {
			deltas[id] = *rate
		} else {
			r.problem(item.place(), "the delta %s has no bitrate_requirements", quoteName(id))
		}
	}
	if aspect.Bitrates == nil {
		aspect.Bitrates = map[string]map[string]Bitrate{}
	}
	for _, link := range r.targetLinks(name, policy) {
		r.decides(name, policy, "the deltas of the bit rate of "+link.ID+" for the aspect "+aspect.ID)
		aspect.Bitrates[link.ID] = deltas
		if link.InitialBitrate == nil {
			r.warn(policy.place(), "%s has deltas of its bit rate, but no VirtualLinkBitrateInitialDelta, so "+
				"Windlass does not use the deltas", link.ID)
		}
	}
}

func (r *policyReader) bitrateLevels(name string, policy *value) {
	links := r.targetLinks(name, policy)
	for id, item := range policy.at("properties", "levels").members() {
		i := slices.IndexFunc(r.flavour.Levels, func(l Level) bool { return l.ID == id })
		if i < 0 {
			r.problem(item.place(), "the policy %s names the instantiation level %s, which does not exist", name,
				quoteName(id))
			continue
		}
		rate := r.bitrate(item.at("bitrate_requirements"))
		if rate == nil {
			r.problem(item.place(), "the level %s has no bitrate_requirements", quoteName(id))
			continue
		}
		if r.flavour.Levels[i].Bitrates == nil {
			r.flavour.Levels[i].Bitrates = map[string]Bitrate{}
		}
		for _, link := range links {
			r.decides(name, policy, "the bit rate of "+link.ID+" at the level "+id)
			r.flavour.Levels[i].Bitrates[link.ID] = *rate
		}
	}
}

// vipPolicy refuses a policy that is not valid for virtual addresses. The Base HOT fixes the number of virtual
// addresses of a VNF.
func (r *policyReader) vipPolicy(name string, policy *value) {
	for _, target := range policy.at("targets").list() {
		if node := r.nodes.at(target.str()); node != nil && r.builtinType(node.at("type").str()) != typeVipCp {
			r.problem(target.place(), "the policy %s is for connection points of virtual addresses, but %s is not "+
				"such a connection point", name, quoteName(target.str()))
		}
	}
	r.warn(policy.place(), "the policy %s is not used: the Base HOT alone decides how many virtual addresses there "+
		"are", name)
}

// checkBitrates warns of bit rates that contradict the links' profiles, and of bit rates that no template uses.
func (r *policyReader) checkBitrates() {
	place := r.root.at("policies").place()
	highest := map[string]int{}
	for _, a := range r.flavour.Aspects {
		highest[a.ID] = a.MaxScaleLevel
	}
	check := func(where string, rates map[string]Bitrate) {
		for _, id := range slices.Sorted(maps.Keys(rates)) {
			link, _ := r.flavour.VirtualLink(id)
			rate, most, least := rates[id], link.MaxBitrate, link.MinBitrate
			if most != nil && (rate.Root > most.Root || most.Leaf != 0 && rate.Leaf > most.Leaf) || least != nil &&
				(rate.Root < least.Root || rate.Leaf < least.Leaf) {
				r.warn(place, "%s gives %s a bit rate of %d bit/s (leaf %d), outside of its vl_profile", where, id, rate.Root,
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
				r.warn(place, "the level %s gives %s a bit rate of %d bit/s (leaf %d), but its scale levels make %d (leaf %d)",
					level.ID, id, rate.Root, rate.Leaf, derived[id].Root, derived[id].Leaf)
			}
		}
	}
	check("the highest scale level", r.flavour.BitratesAt(highest))
}
