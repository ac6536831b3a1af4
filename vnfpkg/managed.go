package vnfpkg

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ExtManagedVirtualLink is a network that replaces an internal one.
type ExtManagedVirtualLink = lcm.ExtManagedVirtualLink

// managedPath is where a request names networks for internal virtual links.
const managedPath = "$.extManagedVirtualLinks"

// Managed replaces a template's own networks by externally managed ones, as Tacker's classes do. It removes a virtual
// link's resource with its subnets, and references to it become the network's id.
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
	gone := map[string]string{} // removed resources, and their replacements; "" for subnets
	for i, link := range links {
		path := fmt.Sprintf("%s[%d]", managedPath, i)
		if link.LinkPorts > 0 {
			rep.problem(path+".vnfLinkPort",
				"ports that are made elsewhere cannot be used: the stack makes the ports of its servers")
		}
		if lcm.ManagesLink(links[:i], link.VnfVirtualLinkDescID) {
			rep.problem(path+".vnfVirtualLinkDescId", "the virtual link %s is named twice; on one VIM it is one network",
				quoteName(link.VnfVirtualLinkDescID))
			continue
		}
		if parsed.replaceable(f, link.VnfVirtualLinkDescID, path+".vnfVirtualLinkDescId", rep) {
			gone[link.VnfVirtualLinkDescID] = link.ResourceID
		}
	}
	kept := mapping()
	for name, resource := range resources.members() {
		network := cmp.Or(resource.at("properties", "network", "get_resource").str(),
			resource.at("properties", "network_id", "get_resource").str())

		if _, ours := gone[network]; ours && resource.at("type").str() == "OS::Neutron::Subnet" {
			gone[name] = ""
		}
	}
	for name, resource := range resources.members() {
		if _, left := gone[name]; !left {
			kept.set(name, independent(withNetworks(resource, gone, rep), gone))
		}
	}
	parsed.top.set("resources", kept)
	if outputs := parsed.top.at("outputs"); outputs.isMap() {
		parsed.top.set("outputs", withNetworks(outputs, gone, rep))
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

// Unmanaged lists the virtual links for which the VNFD requires an externally managed network (externally_managed) and
// the request has none.
func Unmanaged(f *Flavour, links []ExtManagedVirtualLink) (problems []lcm.Problem) {
	for _, l := range f.VirtualLinks {
		if l.ManagedElsewhere && !lcm.ManagesLink(links, l.ID) {
			problems = append(problems, lcm.Problem{
				Path:   managedPath,
				Detail: "the VNFD requires a network that is managed elsewhere for the virtual link " + quoteName(l.ID),
			})
		}
	}
	return problems
}

// replaceable tells whether the top template has a network for an internal virtual link that another network can
// replace. A link without such a network is a problem at path.
func (p parsedTemplate) replaceable(f *Flavour, id, path string, rep *report) bool {
	_, known := f.VirtualLink(id)
	switch {
	case !known:
		rep.problem(path, "the flavour %s has no internal virtual link %s", f.ID, quoteName(id))
	case p.top.at("resources").has(id):
		return true
	case p.nestedNetwork(id) != "":
		rep.problem(path, "the network of the virtual link %s is made in the nested template %s, once for each of its "+
			"uses: no other network can replace it", quoteName(id), p.nestedNetwork(id))
	case !connects(f, id):
		rep.problem(path, "neither the Base HOT nor a connection point uses the virtual link %s, so the network would not "+
			"be used", quoteName(id))
	}
	return false
}

// nestedNetwork is the nested template that makes a network of that name, "" if none does.
func (p parsedTemplate) nestedNetwork(id string) string {
	for _, name := range slices.Sorted(maps.Keys(p.nested)) {
		if isNetwork(p.nested[name].at("resources", id)) {
			return name
		}
	}
	return ""
}

// isNetwork tells whether a resource of a template is a Neutron network.
func isNetwork(resource *value) bool {
	return slices.Contains(NetworkTypes, resource.at("type").str())
}

// Types of resources of Base HOTs that parameters of drivers name.
const (
	PortType       = "OS::Neutron::Port"
	FloatingIPType = "OS::Neutron::FloatingIP"
	VolumeType     = "OS::Cinder::Volume"
)

// NetworkTypes are the types of Neutron networks among resources.
var NetworkTypes = []string{"OS::Neutron::Net", "OS::Neutron::ProviderNet"}

// connects tells whether a connection point is on an internal virtual link.
func connects(f *Flavour, id string) bool {
	return slices.ContainsFunc(f.Cps, func(c VduCp) bool { return c.VirtualLink == id })
}

// withNetworks is a copy whose references to removed resources are the ids of the networks that replace them.
func withNetworks(v *value, gone map[string]string, rep *report) *value {
	if ref := v.at("get_resource"); ref.str() != "" && len(v.keys) == 1 {
		network, left := gone[ref.str()]
		switch {
		case left && network == "":
			rep.problem(managedPath, "the Base HOT refers to the subnet %s of a network that is managed elsewhere (%s)",
				quoteName(ref.str()), ref.place())
		case left:
			return scalar("!!str", network)
		}
	}
	if ref := v.at("get_attr"); len(ref.list()) > 0 {
		name := ref.list()[0]
		if _, left := gone[name.str()]; left {
			rep.problem(managedPath, "the Base HOT refers to %s by get_attr, which cannot be done with a network that is "+
				"managed elsewhere (%s)", quoteName(name.str()), name.place())
		}
	}
	c := *v
	c.items = make([]*value, len(v.items))
	for i, item := range v.items {
		c.items[i] = withNetworks(item, gone, rep)
	}
	return &c
}

// independent is a copy of a resource that does not wait for removed resources: their replacements exist already.
func independent(v *value, gone map[string]string) *value {
	if !v.has("depends_on") {
		return v
	}
	c := mapping()
	for key, item := range v.members() {
		if key != "depends_on" {
			c.set(key, item)
			continue
		}
		left := slices.DeleteFunc(slices.Clone(item.list()), func(name *value) bool {
			_, gone := gone[name.str()]
			return gone
		})
		if len(left) > 0 {
			c.set(key, &value{kind: yaml.SequenceNode, tag: "!!seq", items: left})
		}
	}
	return c
}
