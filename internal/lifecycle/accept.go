package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// unhonoured is what errors about an NFVO's grant begin with.
const unhonoured = "The NFVO's grant cannot be honoured"

// Accept joins an NFVO's grant with what it was asked for: an answer names resources by the ids of their definitions
// only. A grant of something else, or of a part, is Invalid. One that lists no resources grants those that were asked
// for. Of the internal virtual links for which the NFVO has networks, none is made.
func Accept(asked, given lcm.Grant) (lcm.Grant, error) {
	a := accepting{}
	out := given
	out.VnfInstanceID, out.OpOccID = asked.VnfInstanceID, asked.OpOccID
	out.AddResources = a.join("addResources", asked.AddResources, given.AddResources, func(r lcm.GrantResource) bool {
		return r.Type == lcm.GrantLink && r.VduID == "" && lcm.ManagesLink(given.ExtManagedVirtualLinks, r.ResourceTemplateID)
	})
	none := func(lcm.GrantResource) bool { return false }
	out.RemoveResources = a.join("removeResources", asked.RemoveResources, given.RemoveResources, none)
	out.UpdateResources = a.join("updateResources", asked.UpdateResources, given.UpdateResources, none)
	for i, r := range out.AddResources {
		if _, ok := zoneOf(out, r.ZoneID); !ok {
			a.add(fmt.Sprintf("$.addResources[%d].zoneId", i), "the grant does not say what the zone %s is", r.ZoneID)
		}
	}
	return out, lcm.InvalidAll(unhonoured, a.problems)
}

type accepting struct{ problems []lcm.Problem }

func (a *accepting) add(path, format string, args ...any) {
	a.problems = append(a.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// join leaves out what needs no grant any more, whether the NFVO grants it or not.
func (a *accepting) join(
	name string, asked, given []lcm.GrantResource, needless func(lcm.GrantResource) bool,
) []lcm.GrantResource {
	byID := map[string]lcm.GrantResource{}
	for i, r := range given {
		if !slices.ContainsFunc(asked,
			func(d lcm.GrantResource) bool { return d.ResourceDefinitionID == r.ResourceDefinitionID }) {
			a.add(fmt.Sprintf("$.%s[%d].resourceDefinitionId", name, i), "%q was not asked for", r.ResourceDefinitionID)
		}
		byID[r.ResourceDefinitionID] = r
	}
	var missing []string
	out := slices.DeleteFunc(slices.Clone(asked), needless)
	for i := range out {
		r, ok := byID[out[i].ResourceDefinitionID]
		if !ok && len(given) > 0 {
			missing = append(missing, out[i].ResourceDefinitionID)
		}
		out[i].ZoneID = r.ZoneID
		if r.VimConnectionID != "" {
			out[i].VimConnectionID = r.VimConnectionID
		}
	}
	if len(missing) > 0 {
		a.add("$."+name, "%d of %d resources are not granted: %s", len(missing), len(asked), strings.Join(missing, ", "))
	}
	return out
}

// zoneOf is the VIM's name of a zone of the grant; "" is none.
func zoneOf(g lcm.Grant, id string) (string, bool) {
	i := slices.IndexFunc(g.Zones, func(z lcm.GrantZone) bool { return z.ID == id })
	if id == "" || i < 0 {
		return "", id == ""
	}
	return g.Zones[i].ZoneID, true
}

// Target is the id of the VIM connection on which a grant wants servers to be made, "" when it does not say. A VNF is
// one deployment, so it can be on one VIM only.
func Target(g lcm.Grant) (string, error) {
	var ids []string
	for _, r := range g.AddResources {
		if r.VimConnectionID != "" && !slices.Contains(ids, r.VimConnectionID) {
			ids = append(ids, r.VimConnectionID)
		}
	}
	if len(ids) > 1 {
		return "", unhonourable("$.addResources", "the VNF is one deployment, so it cannot be on several VIMs: %s",
			strings.Join(ids, ", "))
	}
	if len(ids) == 0 {
		return "", nil
	}
	return ids[0], nil
}

// TargetOn is Target of what a VNF has on VIMs of a kind: each is a deployment of its own.
func TargetOn(f Facts, kind string, g lcm.Grant) (string, error) {
	g.AddResources = slices.DeleteFunc(slices.Clone(g.AddResources), func(r lcm.GrantResource) bool {
		return VimKindOf(f.Flavour, r.VduID).Type != kind
	})
	return Target(g)
}

func unhonourable(path, format string, args ...any) error {
	return lcm.InvalidAll(unhonoured, []lcm.Problem{{Path: path, Detail: fmt.Sprintf(format, args...)}})
}

// Chosen are the images, flavours and zones of a VNF under a grant: what earlier grants have chosen, and what this one
// does. A choice under which the VIM would have to make servers anew that are there is Invalid; whole is set when all
// of them are made anew in any case.
func Chosen(f Facts, g lcm.Grant, whole bool) (lcm.GrantedChoices, error) {
	c := choosing{facts: f, grant: g, chosen: lcm.GrantedChoices{
		Images: map[string]string{}, ComputeFlavours: map[string]string{}, Zones: map[string]string{},
	}}
	if i := f.Instance.Instantiated; i != nil && i.Granted != nil {
		c.before = f.kept(*i.Granted)
		maps.Copy(c.chosen.Images, c.before.Images)
		maps.Copy(c.chosen.ComputeFlavours, i.Granted.ComputeFlavours)
		maps.Copy(c.chosen.Zones, i.Granted.Zones)
		if !whole {
			c.chosen.KeptImages = i.Granted.KeptImages
		}
	}
	if !slices.ContainsFunc(g.AddResources, isServer) && !f.repackages() { // none is made, so nothing can be chosen
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
	// servers and pods are the VIM connections on which these are, "" where the grant does not say.
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
			c.add(fmt.Sprintf("$.addResources[%d].zoneId", i), "%s takes one zone for all %s of %s, not both %s and %s",
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
			c.add(at, "%s takes zones for %s: what belongs to one of %s cannot be in %s alone", c.template(r.VduID),
				c.vnfcs(r.VduID), r.VduID, zone)
		case !c.all(zone): // a network is where the servers on it are
			c.add(at, "the template takes zones for servers: the network of %s cannot be in %s without all of them",
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
			c.add(at, "containers have no flavours: what those of %s take is in their manifests", a.VduID)
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

// forTarget tells whether an asset is for the VIM that is used; a grant may have the same for several.
func forTarget(id, target string) bool { return id == "" || target == "" || id == target }

// keep refuses another image, flavour or zone for VDUs that have servers: those would get it, too.
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
			if given && now != before {
				c.add(choice.path, "the servers of %s that are there have the %s %q; with %q the VIM would make them anew", vdu.ID,
					choice.what, before, now)
			}
		}
	}
}

// Placement is what the affinity rules of the VNFD say of the servers that a grant is asked for, and of those that
// stay.
func Placement(f Facts, p lcm.Plan, asked lcm.Grant) (out []lcm.PlacementConstraint) {
	for _, rule := range f.Flavour.AffinityRules {
		c := lcm.PlacementConstraint{AffinityOrAntiAffinity: "AFFINITY", Scope: strings.ToUpper(rule.Scope)}
		if rule.Anti {
			c.AffinityOrAntiAffinity = "ANTI_AFFINITY"
		}
		for _, r := range asked.AddResources {
			if isServer(r) && slices.Contains(rule.Vdus, r.VduID) {
				c.Resources = append(c.Resources, lcm.ConstraintResource{IDType: "GRANT", ResourceID: r.ResourceDefinitionID})
			}
		}
		if len(c.Resources) == 0 {
			continue // nothing of it is to be placed
		}
		if c.Resources = append(c.Resources, f.neighbours(rule.Vdus, p)...); len(c.Resources) > 1 && c.Scope != "" {
			out = append(out, c)
		}
	}
	return out
}

// neighbours are the servers of VDUs that stay.
func (f Facts) neighbours(vdus []string, p lcm.Plan) (out []lcm.ConstraintResource) {
	if f.Instance.Instantiated == nil {
		return nil
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		leaves := slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return l.VnfcID == v.ID })
		if slices.Contains(vdus, v.VduID) && !leaves {
			out = append(out, lcm.ConstraintResource{
				IDType: "RES_MGMT", ResourceID: v.ComputeResource.ResourceID, VimConnectionID: v.ComputeResource.VimConnectionID,
			})
		}
	}
	return out
}

// OneVim says that all that a grant is asked for, and what the VNF has, is on one VIM: the VNF is one deployment. A
// hybrid one is one on a VIM of each kind.
func OneVim(f Facts, p lcm.Plan, asked lcm.Grant) (out []lcm.VimConstraint) {
	for _, kind := range VimKinds(f.Flavour) {
		if c := f.oneVim(kind.Type, p, asked); len(c.Resources) > 1 {
			out = append(out, c)
		}
	}
	return out
}

func (f Facts) oneVim(kind string, p lcm.Plan, asked lcm.Grant) (c lcm.VimConstraint) {
	for _, r := range asked.AddResources {
		if VimKindOf(f.Flavour, r.VduID).Type == kind {
			c.Resources = append(c.Resources, lcm.ConstraintResource{IDType: "GRANT", ResourceID: r.ResourceDefinitionID})
		}
	}
	if len(c.Resources) == 0 {
		return c // nothing is to be placed
	}
	var vdus []string
	for _, vdu := range f.Flavour.Vdus {
		if VimKindOf(f.Flavour, vdu.ID).Type == kind {
			vdus = append(vdus, vdu.ID)
		}
	}
	there := f.neighbours(vdus, p) // one tells where all are
	c.Resources = append(c.Resources, there[:min(1, len(there))]...)
	return c
}
