package lifecycle

import (
	"maps"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// findTargets finds the VIM connections on which a grant wants servers and Pods to be made.
func (c *choosing) findTargets() (err error) {
	for _, kind := range c.facts.vimKinds() {
		target, err := TargetOn(c.facts, kind.Type, c.grant)
		switch {
		case err != nil:
			return err
		case kind.RunsContainers:
			c.pods = target
		default:
			c.servers = target
		}
	}
	return nil
}

// target is the VIM connection on which the VNFCs of a VDU are made. Resources without a VDU are on the servers'
// connection, if the VNF has servers.
func (c *choosing) target(vdu string) string {
	if c.ofPods(vdu) {
		return c.pods
	}
	return c.servers
}

// ofPods tells whether the VNFCs of a VDU are containers.
func (c *choosing) ofPods(vdu string) bool { return c.facts.vimKindOf(vdu).RunsContainers }

// template and vnfcs are words for people: the template of a VDU's VNFCs, and the VNFCs.
func (c *choosing) template(vdu string) string {
	if c.ofPods(vdu) {
		return "a workload"
	}
	return "the template"
}

func (c *choosing) vnfcs(vdu string) string {
	if c.ofPods(vdu) {
		return "Pods"
	}
	return "servers"
}

// keepPods refuses another image or zone for a VDU that has Pods: its workload would make all of them anew. A new
// package does so anyway, and is not refused.
func (c *choosing) keepPods(vdu descriptor.Vdu) {
	const otherwise = "the existing Pods of %s have the %s %q; with %q the cluster would replace all of them"
	was, had := c.before.Zones[vdu.ID]
	if now, given := c.chosen.Zones[vdu.ID]; given && (!had || now != was) && !c.facts.changesDefinition() {
		c.add("$.addResources", otherwise, vdu.ID, "zone", was, now)
	}
	if c.facts.changesDefinition() {
		return
	}
	for _, id := range imagesIn(vdu) {
		now, given := c.chosen.Images[id]
		if was, had := c.before.Images[id]; given && (!had || now != was) {
			c.add("$.vimAssets.softwareImages", otherwise, vdu.ID, "image", was, now)
		}
	}
}

// changesDefinition tells whether the VNF gets another package, or another flavour of its package.
func (f Facts) changesDefinition() bool { return f.FormerFlavour != nil }

// redefines tells whether the VNF gets another flavour of its package.
func (f Facts) redefines() bool { return f.changesDefinition() && f.FormerFlavour.ID != f.Flavour.ID }

// kept are the choices of earlier grants that still count.
func (f Facts) kept(choices lcm.GrantedChoices) lcm.GrantedChoices {
	if f.changesDefinition() {
		return KeptChoices(choices, f.FormerFlavour, f.Flavour)
	}
	return choices
}

// KeptChoices are the choices of earlier grants that still count when a VNF gets another flavour, or the same one of
// another package. Images of containers do not: they were chosen for the former manifests. With another flavour, a choice
// for a VDU counts only if both flavours describe the same need.
func KeptChoices(choices lcm.GrantedChoices, former, next *descriptor.Flavour) lcm.GrantedChoices {
	choices.Images, choices.ComputeFlavours = maps.Clone(choices.Images), maps.Clone(choices.ComputeFlavours)
	for _, vdu := range former.Vdus {
		if former.OfContainers(vdu.ID) {
			for _, id := range imagesIn(vdu) {
				delete(choices.Images, id)
			}
			continue
		}
		then, stays := next.Vdu(vdu.ID)
		if former.ID == next.ID {
			continue
		}
		if !stays || imageOf(vdu) != imageOf(*then) {
			delete(choices.Images, vdu.ID)
		}
		if !stays || vdu.ComputeFlavour != then.ComputeFlavour || vdu.VirtualCpus != then.VirtualCpus ||
			vdu.VirtualMemory != then.VirtualMemory {
			delete(choices.ComputeFlavours, vdu.ID)
		}
	}
	return choices
}

func imageOf(vdu descriptor.Vdu) string {
	if vdu.Image == nil {
		return ""
	}
	return vdu.Image.Name
}

// imagesIn are the parts of a VDU of containers for which a grant may choose an image: the VDU and each container.
func imagesIn(vdu descriptor.Vdu) []string {
	ids := []string{vdu.ID}
	if vdu.Pod != nil {
		for _, c := range vdu.Pod.Containers {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// holder has a software image: it is a VDU, a container of a VDU, or a storage.
type holder struct{ id, vdu string }

// holdersOf finds the holders of an image: by their own id, else by the image's name.
func holdersOf(f *descriptor.Flavour, id string) (holders []holder) {
	is := func(node string, image *descriptor.SwImage) bool {
		return node == id || image != nil && image.Name == id
	}
	for _, vdu := range f.Vdus {
		if is(vdu.ID, vdu.Image) {
			holders = append(holders, holder{vdu.ID, vdu.ID})
		}
		if vdu.Pod == nil {
			continue
		}
		for _, c := range vdu.Pod.Containers {
			if is(c.ID, c.Software) {
				holders = append(holders, holder{c.ID, vdu.ID})
			}
		}
	}
	for _, s := range f.Storages {
		if is(s.ID, s.Image) {
			holders = append(holders, holder{id: s.ID})
		}
	}
	return holders
}
