package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// unhonoured is the beginning of errors about an NFVO's grant.
const unhonoured = "The NFVO's grant cannot be honoured"

// Accept joins an NFVO's grant with the grant that Windlass asked for: the NFVO's answer names resources only by the
// ids of their definitions. A grant of other resources, or of a part only, is Invalid. A grant without resources grants
// all that were asked for. The VNF does not make internal virtual links for which the NFVO has networks.
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

// join leaves out resources that need no grant any more, whether the NFVO grants them or not.
func (a *accepting) join(
	name string, asked, given []lcm.GrantResource, needless func(lcm.GrantResource) bool,
) []lcm.GrantResource {
	byID := map[string]lcm.GrantResource{}
	for i, r := range given {
		if !slices.ContainsFunc(asked,
			func(d lcm.GrantResource) bool { return d.ResourceDefinitionID == r.ResourceDefinitionID }) {
			a.add(fmt.Sprintf("$.%s[%d].resourceDefinitionId", name, i), "Windlass did not ask for %q",
				r.ResourceDefinitionID)
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

// zoneOf is the VIM's name of a zone of the grant, "" for no zone.
func zoneOf(g lcm.Grant, id string) (string, bool) {
	i := slices.IndexFunc(g.Zones, func(z lcm.GrantZone) bool { return z.ID == id })
	if id == "" || i < 0 {
		return "", id == ""
	}
	return g.Zones[i].ZoneID, true
}

// Target is the id of the VIM connection on which a grant wants servers to be made, "" when it does not say. A VNF is
// one deployment, so it can only be on one VIM.
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

// TargetOn is Target for the part of a VNF on VIMs of one kind: each part is a deployment of its own.
func TargetOn(f Facts, kind string, g lcm.Grant) (string, error) {
	g.AddResources = slices.DeleteFunc(slices.Clone(g.AddResources), func(r lcm.GrantResource) bool {
		return f.vimKindOf(r.VduID).Type != kind
	})
	return Target(g)
}

func unhonourable(path, format string, args ...any) error {
	return lcm.InvalidAll(unhonoured, []lcm.Problem{{Path: path, Detail: fmt.Sprintf(format, args...)}})
}
