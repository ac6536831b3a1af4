package hot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// ExtManagedVirtualLink is a network that replaces an internal one.
type ExtManagedVirtualLink = lcm.ExtManagedVirtualLink

// managedPath is where a request names networks for internal virtual links.
const managedPath = "$.extManagedVirtualLinks"

// Managed replaces a template's own networks by externally managed ones, as Tacker's classes do. It removes a virtual
// link's resource with its subnets, and references to it become the network's id.
func (t Template) Managed(f *descriptor.Flavour, links []ExtManagedVirtualLink) (Template, error) {
	if len(links) == 0 {
		return t, nil
	}
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	rep := &document.Report{}
	resources := parsed.top.At("resources")
	gone := map[string]string{} // removed resources, and their replacements; "" for subnets
	for i, link := range links {
		path := fmt.Sprintf("%s[%d]", managedPath, i)
		if link.LinkPorts > 0 {
			rep.Problem(path+".vnfLinkPort",
				"ports that are made elsewhere cannot be used: the stack makes the ports of its servers")
		}
		if lcm.ManagesLink(links[:i], link.VnfVirtualLinkDescID) {
			rep.Problem(path+".vnfVirtualLinkDescId", "the virtual link %s is named twice; on one VIM it is one network",
				document.Quote(link.VnfVirtualLinkDescID))
			continue
		}
		if parsed.replaceable(f, link.VnfVirtualLinkDescID, path+".vnfVirtualLinkDescId", rep) {
			gone[link.VnfVirtualLinkDescID] = link.ResourceID
		}
	}
	kept := document.Mapping()
	for name, resource := range resources.Members() {
		network := cmp.Or(resource.At("properties", "network", "get_resource").Str(),
			resource.At("properties", "network_id", "get_resource").Str())

		if _, ours := gone[network]; ours && resource.At("type").Str() == "OS::Neutron::Subnet" {
			gone[name] = ""
		}
	}
	for name, resource := range resources.Members() {
		if _, left := gone[name]; !left {
			kept.Set(name, independent(withNetworks(resource, gone, rep), gone))
		}
	}
	parsed.top.Set("resources", kept)
	if outputs := parsed.top.At("outputs"); outputs.IsMap() {
		parsed.top.Set("outputs", withNetworks(outputs, gone, rep))
	}
	if err := rep.Err("the stack of the flavour " + f.ID + " cannot be made from this request"); err != nil {
		return Template{}, err
	}
	if len(gone) == 0 {
		return t, nil
	}
	text, err := parsed.top.Encode()
	if err != nil {
		return Template{}, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}

// Unmanaged lists the virtual links for which the VNFD requires an externally managed network (externally_managed) and
// the request has none.
func Unmanaged(f *descriptor.Flavour, links []ExtManagedVirtualLink) (problems []lcm.Problem) {
	for _, l := range f.VirtualLinks {
		if l.ManagedElsewhere && !lcm.ManagesLink(links, l.ID) {
			problems = append(problems, lcm.Problem{
				Path:   managedPath,
				Detail: "the VNFD requires a network that is managed elsewhere for the virtual link " + document.Quote(l.ID),
			})
		}
	}
	return problems
}

// replaceable tells whether the top template has a network for an internal virtual link that another network can
// replace. A link without such a network is a problem at path.
func (p parsedTemplate) replaceable(f *descriptor.Flavour, id, path string, rep *document.Report) bool {
	_, known := f.VirtualLink(id)
	switch {
	case !known:
		rep.Problem(path, "the flavour %s has no internal virtual link %s", f.ID, document.Quote(id))
	case p.top.At("resources").Has(id):
		return true
	case p.nestedNetwork(id) != "":
		rep.Problem(path, "the network of the virtual link %s is made in the nested template %s, once for each of its "+
			"uses: no other network can replace it", document.Quote(id), p.nestedNetwork(id))
	case !connects(f, id):
		rep.Problem(path, "neither the Base HOT nor a connection point uses the virtual link %s, so the network would not "+
			"be used", document.Quote(id))
	}
	return false
}

// nestedNetwork is the nested template that makes a network of that name, "" if none does.
func (p parsedTemplate) nestedNetwork(id string) string {
	for _, name := range slices.Sorted(maps.Keys(p.nested)) {
		if isNetwork(p.nested[name].At("resources", id)) {
			return name
		}
	}
	return ""
}

// isNetwork tells whether a resource of a template is a Neutron network.
func isNetwork(resource *document.Value) bool {
	return slices.Contains(NetworkTypes, resource.At("type").Str())
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
func connects(f *descriptor.Flavour, id string) bool {
	return slices.ContainsFunc(f.Cps, func(c descriptor.VduCp) bool { return c.VirtualLink == id })
}

// withNetworks is a copy whose references to removed resources are the ids of the networks that replace them.
func withNetworks(v *document.Value, gone map[string]string, rep *document.Report) *document.Value {
	if ref := v.At("get_resource"); ref.Str() != "" && len(v.Keys) == 1 {
		network, left := gone[ref.Str()]
		switch {
		case left && network == "":
			rep.Problem(managedPath, "the Base HOT refers to the subnet %s of a network that is managed elsewhere (%s)",
				document.Quote(ref.Str()), ref.Place())
		case left:
			return document.Scalar("!!str", network)
		}
	}
	if ref := v.At("get_attr"); len(ref.List()) > 0 {
		name := ref.List()[0]
		if _, left := gone[name.Str()]; left {
			rep.Problem(managedPath, "the Base HOT refers to %s by get_attr, which cannot be done with a network that is "+
				"managed elsewhere (%s)", document.Quote(name.Str()), name.Place())
		}
	}
	c := *v
	c.Items = make([]*document.Value, len(v.Items))
	for i, item := range v.Items {
		c.Items[i] = withNetworks(item, gone, rep)
	}
	return &c
}

// independent is a copy of a resource that does not wait for removed resources: their replacements exist already.
func independent(v *document.Value, gone map[string]string) *document.Value {
	if !v.Has("depends_on") {
		return v
	}
	c := document.Mapping()
	for key, item := range v.Members() {
		if key != "depends_on" {
			c.Set(key, item)
			continue
		}
		left := slices.DeleteFunc(slices.Clone(item.List()), func(name *document.Value) bool {
			_, gone := gone[name.Str()]
			return gone
		})
		if len(left) > 0 {
			c.Set(key, &document.Value{Kind: yaml.SequenceNode, Tag: "!!seq", Items: left})
		}
	}
	return c
}
