package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Chosen are the images, flavours and zones of a VNF under a grant: the choices of earlier grants, and those of this
// one. A choice is Invalid if the VIM would have to make existing servers anew. whole is set when the operation makes
// all of them anew anyway.
func Chosen(f Facts, g lcm.Grant, whole bool) (lcm.GrantedChoices, error) {
	c := choosing{facts: f, grant: g, chosen: lcm.GrantedChoices{
		Images: map[string]string{}, ComputeFlavours: map[string]string{}, Zones: map[string]string{},
	}}
	if i := f.Instance.Instantiated; i != nil && i.Granted != nil {
		c.before = f.kept(*i.Granted)
		maps.Copy(c.chosen.Images, c.before.Images)
		maps.Copy(c.chosen.ComputeFlavours, c.before.ComputeFlavours)
		maps.Copy(c.chosen.Zones, i.Granted.Zones)
		if !whole {
			c.chosen.KeptImages = i.Granted.KeptImages
		}
	}
	if !slices.ContainsFunc(g.AddResources, isServer) && !f.changesDefinition() {
		// No server is made, so nothing can be chosen.
		return c.chosen, nil
	}
	if err := c.findTargets(); err != nil {
		return c.chosen, err
	}
	c.zones()
	if g.VimAssets != nil {
		c.flavours()
		c.images()
	}
	if f.Instance.Instantiated != nil && !whole {
		c.keep()
	}
	return c.chosen, lcm.InvalidAll(unhonoured, c.problems)
}

func isServer(r lcm.GrantResource) bool { return r.Type == lcm.GrantCompute }

type choosing struct {
	accepting
	facts  Facts
	grant  lcm.Grant
	before lcm.GrantedChoices
	chosen lcm.GrantedChoices
	// servers and pods are the VIM connections for them, "" where the grant does not say.
	servers, pods string
}

func (c *choosing) zones() {
	now := map[string]string{}
	for i, r := range c.grant.AddResources {
		zone, _ := zoneOf(c.grant, r.ZoneID)
		if zone == "" || !isServer(r) {
			continue
		}
		if other := now[r.VduID]; other != "" && other != zone {
			c.add(fmt.Sprintf("$.addResources[%d].zoneId", i), "%s has one zone for all %s of %s, not both %s and %s",
				c.template(r.VduID), c.vnfcs(r.VduID), r.VduID, other, zone)
			continue
		}
		now[r.VduID] = zone
	}
	for i, r := range c.grant.AddResources {
		zone, _ := zoneOf(c.grant, r.ZoneID)
		at := fmt.Sprintf("$.addResources[%d].zoneId", i)
		switch {
		case zone == "" || isServer(r) || zone == now[r.VduID]:
		case r.VduID != "":
			c.add(at, "%s has zones for %s only: other resources of %s cannot be in %s alone", c.template(r.VduID),
				c.vnfcs(r.VduID), r.VduID, zone)
		case !c.all(zone): // a network has the zone of the servers on it
			c.add(at, "the template has zones for servers only: the network of %s cannot be in %s without all servers",
				r.ResourceTemplateID, zone)
		}
	}
	maps.Copy(c.chosen.Zones, now)
}

// all tells whether every server of the grant is in that zone.
func (c *choosing) all(zone string) bool {
	return !slices.ContainsFunc(c.grant.AddResources, func(r lcm.GrantResource) bool {
		its, _ := zoneOf(c.grant, r.ZoneID)
		return isServer(r) && its != zone
	})
}

func (c *choosing) flavours() {
	for i, a := range c.grant.VimAssets.ComputeResourceFlavours {
		if !forTarget(a.VimConnectionID, c.target(a.VduID)) {
			continue
		}
		at := fmt.Sprintf("$.vimAssets.computeResourceFlavours[%d]", i)
		switch _, ok := c.facts.Flavour.Vdu(a.VduID); {
		case !ok:
			c.add(at, "the VNFD has no VDU %q", a.VduID)
		case c.ofPods(a.VduID):
			c.add(at, "containers have no flavours: the manifests of %s have their sizes", a.VduID)
		default:
			c.chosen.ComputeFlavours[a.VduID] = a.VimFlavourID
		}
	}
}

func (c *choosing) images() {
	for i, a := range c.grant.VimAssets.SoftwareImages {
		holders := holdersOf(c.facts.Flavour, a.SoftwareImageID)
		if len(holders) == 0 && forTarget(a.VimConnectionID, c.target("")) {
			c.add(fmt.Sprintf("$.vimAssets.softwareImages[%d]", i),
				"the VNFD has no software image %q, and no VDU, container or storage of that name", a.SoftwareImageID)
		}
		for _, h := range holders {
			if forTarget(a.VimConnectionID, c.target(h.vdu)) {
				c.chosen.Images[h.id] = a.VimImageID
			}
		}
	}
}

// forTarget tells whether an asset is for the VIM in use. A grant may name the same asset for several VIMs.
func forTarget(id, target string) bool { return id == "" || target == "" || id == target }

// keep refuses another image, flavour or zone for VDUs that have servers: the existing servers would get it, too. With
// another deployment flavour they may get another image and flavour, but they cannot move to another zone.
func (c *choosing) keep() {
	for _, vdu := range c.facts.Flavour.Vdus {
		if len(c.facts.vnfcs(vdu.ID)) == 0 {
			continue
		}
		if c.ofPods(vdu.ID) {
			c.keepPods(vdu)
			continue
		}
		image := ""
		if vdu.Image != nil {
			image = vdu.Image.Name
		}
		image = cmp.Or(c.before.KeptImages[vdu.ID], image)
		for _, choice := range []struct {
			path, what  string
			now, before map[string]string
			otherwise   string
		}{
			{"$.addResources", "zone", c.chosen.Zones, c.before.Zones, ""},
			{
				"$.vimAssets.computeResourceFlavours", "flavour", c.chosen.ComputeFlavours, c.before.ComputeFlavours,
				vdu.ComputeFlavour,
			},
			{"$.vimAssets.softwareImages", "image", c.chosen.Images, c.before.Images, image},
		} {
			now, given := choice.now[vdu.ID]
			before, chosen := choice.before[vdu.ID]
			if !chosen {
				before = choice.otherwise
			}
			if given && now != before && (choice.what == "zone" || !c.facts.redefines()) {
				c.add(choice.path, "the existing servers of %s have the %s %q; with %q the VIM would replace them",
					vdu.ID,
					choice.what, before, now)
			}
		}
	}
}
