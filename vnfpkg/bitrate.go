package vnfpkg

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Bitrate is tosca.datatypes.nfv.LinkBitrateRequirements, in bits per second: for the whole virtual link, and for each
// of its leaves.
type Bitrate struct {
	Root int64 `json:"root"`
	Leaf int64 `json:"leaf,omitempty"`
}

// maxBitrate bounds a bit rate: 1 Tbit/s, so that no sum of deltas overflows.
const maxBitrate = 1_000_000_000_000

func (b Bitrate) plus(times int, d Bitrate) Bitrate {
	return Bitrate{Root: b.Root + int64(times)*d.Root, Leaf: b.Leaf + int64(times)*d.Leaf}
}

// Larger takes the larger value of each of the two rates.
func (b Bitrate) Larger(o Bitrate) Bitrate {
	return Bitrate{Root: max(b.Root, o.Root), Leaf: max(b.Leaf, o.Leaf)}
}

// kilo converts a rate to kbit/s, the unit of Neutron's QoS rules, and rounds up.
func kilo(bits int64) int64 { return (bits + 999) / 1000 }

// Bitrates maps virtual links to their bit rates at an instantiation level ("" is the default one).
// VirtualLinkInstantiationLevels decide. A link without them has its rate from BitratesAt at the level's scale levels.
// The map lacks a link if the VNFD gives it no rate.
func (f *Flavour) Bitrates(levelID string) (map[string]Bitrate, error) {
	level, err := f.Level(levelID)
	if err != nil {
		return nil, err
	}
	rates := f.BitratesAt(level.ScaleLevels)
	maps.Copy(rates, level.Bitrates)
	return rates, nil
}

// BitratesAt maps virtual links to their bit rates when the aspects are at these scale levels: the initial delta plus
// the deltas of the steps. A link without an initial delta has the largest rate of any instantiation level.
func (f *Flavour) BitratesAt(scaleLevels map[string]int) map[string]Bitrate {
	rates := map[string]Bitrate{}
	for _, level := range f.Levels {
		for link, rate := range level.Bitrates {
			rates[link] = rates[link].Larger(rate)
		}
	}
	for _, link := range f.VirtualLinks {
		if link.InitialBitrate == nil {
			continue
		}
		rate := *link.InitialBitrate
		for i := range f.Aspects {
			for delta, times := range f.Aspects[i].steps(scaleLevels[f.Aspects[i].ID]) {
				rate = rate.plus(times, f.Aspects[i].Bitrates[link.ID][delta])
			}
		}
		rates[link.ID] = rate
	}
	return rates
}

// BitratesOf maps virtual links to their bit rates for a VNF at an instantiation level or, if levelID is "", at these
// scale levels.
func (f *Flavour) BitratesOf(levelID string, status []lcm.ScaleInfo) map[string]Bitrate {
	if levelID != "" {
		if rates, err := f.Bitrates(levelID); err == nil {
			return rates
		}
	}
	levels := map[string]int{}
	for _, s := range status {
		levels[s.AspectID] = s.ScaleLevel
	}
	return f.BitratesAt(levels)
}

// RatesDiffer tells whether two maps differ in a bit rate that the templates use.
func (f *Flavour) RatesDiffer(a, b map[string]Bitrate) bool {
	return slices.ContainsFunc(f.VirtualLinks, func(l VirtualLink) bool { return l.Rated && a[l.ID] != b[l.ID] })
}

// link reads a virtual link. Its rates in vl_profile bound the rates that scaling sets.
func (r *flavourReader) link(name string, node *value) VirtualLink {
	profile := r.property(node, "vl_profile")
	l := VirtualLink{
		ID: name, Description: node.at("properties", "description").str(),
		MinBitrate: r.bitrate(profile.at("min_bitrate_requirements")),
		MaxBitrate: r.bitrate(profile.at("max_bitrate_requirements")),
	}
	if l.MinBitrate != nil && l.MaxBitrate != nil &&
		(l.MaxBitrate.Root < l.MinBitrate.Root || l.MaxBitrate.Leaf != 0 && l.MaxBitrate.Leaf < l.MinBitrate.Leaf) {
		r.rep.problem(profile.place(), "max_bitrate_requirements are smaller than min_bitrate_requirements")
	}
	switch managed := r.property(node, "externally_managed"); managed.str() {
	case "", "allowed":
	case "required":
		l.ManagedElsewhere = true
	default:
		r.rep.problem(managed.place(), "externally_managed is %s, neither allowed nor required", quoteName(managed.str()))
	}
	return l
}

// bitrate reads LinkBitrateRequirements; nil when nothing is written.
func (r *flavourReader) bitrate(v *value) *Bitrate {
	v = resolveInput(r.topology, v)
	if !v.isMap() {
		if !v.isNull() {
			r.rep.problem(v.place(), "must be a bit rate with root and, optionally, leaf, in bits per second")
		}
		return nil
	}
	if v.at("root").isNull() {
		r.rep.problem(v.place(), "the bit rate has no root")
	}
	return &Bitrate{Root: r.bits(v.at("root")), Leaf: r.bits(v.at("leaf"))}
}

func (r *flavourReader) bits(v *value) int64 {
	v = resolveInput(r.topology, v)
	if v.isNull() {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v.str()), 10, 64)
	if err != nil || n < 0 || n > maxBitrate {
		r.rep.problem(v.place(), "%s is not a bit rate: give a whole number of bits per second, %d at most",
			quoteName(v.str()),
			int64(maxBitrate))
		return 0
	}
	return n
}

// targetLinks are the virtual links that a policy is for.
func (r *flavourReader) targetLinks(name string, policy *value) (out []*VirtualLink) {
	for _, target := range policy.at("targets").list() {
		link, ok := r.flavour.VirtualLink(target.str())
		switch {
		case ok:
			out = append(out, link)
		case r.nodes.has(target.str()): // anything else is reported already
			r.rep.problem(target.place(), "the policy %s is for virtual links, but %s is not a virtual link",
				name, quoteName(target.str()))
		}
	}
	return out
}

func (r *flavourReader) initialBitrate(name string, policy *value) {
	rate := r.bitrate(policy.at("properties", "initial_delta", "bitrate_requirements"))
	if rate == nil {
		r.rep.problem(policy.place(), "the initial delta has no bitrate_requirements")
		return
	}
	for _, link := range r.targetLinks(name, policy) {
		r.decides(name, policy, "the initial bit rate of "+link.ID)
		link.InitialBitrate = rate
	}
}

func (r *flavourReader) bitrateDeltas(name string, policy *value) {
	aspect, items := r.aspectDeltas(name, policy)
	if aspect == nil {
		return
	}
	deltas := map[string]Bitrate{}
	for _, id := range sortedKeys(items) {
		item := items[id]
		if rate := r.bitrate(item.at("bitrate_requirements")); rate != nil {
			deltas[id] = *rate
		} else {
			r.rep.problem(item.place(), "the delta %s has no bitrate_requirements", quoteName(id))
		}
	}
	if aspect.Bitrates == nil {
		aspect.Bitrates = map[string]map[string]Bitrate{}
	}
	for _, link := range r.targetLinks(name, policy) {
		r.decides(name, policy, "the deltas of the bit rate of "+link.ID+" for the aspect "+aspect.ID)
		aspect.Bitrates[link.ID] = deltas
		if link.InitialBitrate == nil {
			r.rep.warn(policy.place(), "%s has deltas of its bit rate, but no VirtualLinkBitrateInitialDelta, so "+
				"Windlass does not use the deltas", link.ID)
		}
	}
}

func (r *flavourReader) bitrateLevels(name string, policy *value) {
	links := r.targetLinks(name, policy)
	for id, item := range policy.at("properties", "levels").members() {
		i := slices.IndexFunc(r.flavour.Levels, func(l Level) bool { return l.ID == id })
		if i < 0 {
			r.rep.problem(item.place(), "the policy %s names the instantiation level %s, which does not exist", name,
				quoteName(id))
			continue
		}
		rate := r.bitrate(item.at("bitrate_requirements"))
		if rate == nil {
			r.rep.problem(item.place(), "the level %s has no bitrate_requirements", quoteName(id))
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
func (r *flavourReader) vipPolicy(name string, policy *value) {
	for _, target := range policy.at("targets").list() {
		if node := r.nodes.at(target.str()); node != nil && r.builtinType(node.at("type").str()) != typeVipCp {
			r.rep.problem(target.place(), "the policy %s is for connection points of virtual addresses, but %s is not "+
				"such a connection point", name, quoteName(target.str()))
		}
	}
	r.rep.warn(policy.place(), "the policy %s is not used: the Base HOT alone decides how many virtual addresses there "+
		"are", name)
}

// checkBitrates warns of bit rates that contradict the links' profiles, and of bit rates that no template uses.
func (r *flavourReader) checkBitrates() {
	place := r.topology.at("policies").place()
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
				r.rep.warn(place, "%s gives %s a bit rate of %d bit/s (leaf %d), outside of its vl_profile", where, id, rate.Root,
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
				r.rep.warn(place, "the level %s gives %s a bit rate of %d bit/s (leaf %d), but its scale levels make %d (leaf %d)",
					level.ID, id, rate.Root, rate.Leaf, derived[id].Root, derived[id].Leaf)
			}
		}
	}
	check("the highest scale level", r.flavour.BitratesAt(highest))
}
