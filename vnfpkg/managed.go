package vnfpkg

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ExtManagedVirtualLink is a network in the place of an internal one.
type ExtManagedVirtualLink = lcm.ExtManagedVirtualLink

// managedPath is where a request names networks for internal virtual links.
const managedPath = "$.extManagedVirtualLinks"

// Managed puts networks that are managed elsewhere in the place of a template's own, as Tacker's classes do: a virtual link's
// resource is left out with its subnets, and what refers to it gets the network's id.
func (t Template) Managed(f *Flavour, links []ExtManagedVirtualLink) (Template, error) {
	if len(links) == 0 {
		return t, nil
	}
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	rep := &report{}
	resources := parsed.top.at("resources")
	gone := map[string]string{} // resources that are left out, and what stands for them; "" for subnets
	for i, link := range links {
		path := fmt.Sprintf("%s[%d].vnfVirtualLinkDescId", managedPath, i)
		id := link.VnfVirtualLinkDescID
		switch {
		case !slices.ContainsFunc(f.VirtualLinks, func(l VirtualLink) bool { return l.ID == id }):
			rep.problem(path, "the flavour %s has no internal virtual link %s", f.ID, quoteName(id))
		case resources.has(id):
			gone[id] = link.ResourceID
		case !f.links(id):
			rep.problem(path, "neither the Base HOT nor a connection point uses the virtual link %s, so the network would not be used", quoteName(id))
		}
	}
	kept := mapping()
	for name, resource := range resources.members() {
		network := first(resource.at("properties", "network", "get_resource").str(), resource.at("properties", "network_id", "get_resource").str())
		if _, ours := gone[network]; ours && resource.at("type").str() == "OS::Neutron::Subnet" {
			gone[name] = ""
		}
	}
	for name, resource := range resources.members() {
		if _, left := gone[name]; !left {
			kept.set(name, resource.withNetworks(gone, rep))
		}
	}
	parsed.top.set("resources", kept)
	if outputs := parsed.top.at("outputs"); outputs.isMap() {
		parsed.top.set("outputs", outputs.withNetworks(gone, rep))
	}
	if err := rep.err("the stack of the flavour " + f.ID + " cannot be made from this request"); err != nil {
		return Template{}, err
	}
	if len(gone) == 0 {
		return t, nil
	}
	text, err := parsed.top.encode()
	if err != nil {
		return Template{}, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}

// links tells whether a connection point is on an internal virtual link.
func (f *Flavour) links(id string) bool {
	return slices.ContainsFunc(f.Cps, func(c VduCp) bool { return c.VirtualLink == id })
}

// withNetworks is a copy in which references to resources that are left out are the ids of the networks that stand for them.
func (v *value) withNetworks(gone map[string]string, rep *report) *value {
	if ref := v.at("get_resource"); ref.str() != "" && len(v.keys) == 1 {
		network, left := gone[ref.str()]
		switch {
		case left && network == "":
			rep.problem(managedPath, "the Base HOT refers to the subnet %s of a network that is managed elsewhere (%s)", quoteName(ref.str()), ref.place())
		case left:
			return scalar("!!str", network)
		}
	}
	for _, key := range []string{"get_attr", "depends_on"} {
		for _, ref := range v.at(key).list() {
			if _, left := gone[ref.str()]; left {
				rep.problem(managedPath, "the Base HOT refers to %s by %s, which cannot be done with a network that is managed elsewhere (%s)", quoteName(ref.str()), key, ref.place())
			}
			if key == "get_attr" {
				break
			}
		}
	}
	c := *v
	c.items = make([]*value, len(v.items))
	for i, item := range v.items {
		c.items[i] = item.withNetworks(gone, rep)
	}
	return &c
}
