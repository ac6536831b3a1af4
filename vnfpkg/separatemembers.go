package vnfpkg

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// classPath is the path at which a request chooses its user data class.
const classPath = "$.additionalParams." + lcm.UserDataClassParam

// Separate gives each VNFC its own resource in a flavour's template, as Tacker's StandardUserData does. The resource
// VDU1 becomes VDU1-0, VDU1-1 and so on. Each resource takes its own entries of the parameter nfv ([nfv, VDU, VDU1-0,
// ...], [nfv, CP, VDU1_CP1-0, ...]). So each VNFC has its own image, flavour, zone and addresses, and a scaling in can
// remove an exact VNFC.
func (t Template) Separate(f *Flavour, members Members) (Template, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	rep := &report{}
	resources := mapping()
	for name, resource := range parsed.top.at("resources").members() {
		if _, isVdu := f.Vdu(name); !isVdu {
			resources.set(name, resource)
			continue
		}
		if typeName := resource.at("type").str(); !slices.Contains(memberVdus(f, parsed.nested[typeName]), name) {
			rep.problem(classPath, "%s needs the VDU %s in a nested template with a server of that name; the Base HOT "+
				"has %s instead (%s)", lcm.StandardUserData, name, quoteName(typeName), resource.place())
		}
		for _, index := range members[name] {
			resources.set(MemberName(name, index), ofMember(resource, index))
		}
	}
	parsed.checkSeparate(f, members, rep)
	if err := rep.err("the templates of the flavour " + f.ID + " do not fit the user data class"); err != nil {
		return Template{}, err
	}
	parsed.top.set("resources", resources)
	text, err := parsed.top.encode()
	if err != nil {
		return Template{}, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}

// checkSeparate refuses VDUs that the template lacks, and references to the VDUs' resources: no resource has those
// names any more.
func (p parsedTemplate) checkSeparate(f *Flavour, members Members, rep *report) {
	for _, vdu := range f.Vdus {
		if len(members[vdu.ID]) > 0 && !p.top.at("resources").has(vdu.ID) {
			rep.problem(classPath, "%s needs a resource for each VDU, and the Base HOT has none named %s (%s)",
				lcm.StandardUserData, quoteName(vdu.ID), p.top.file)
		}
	}
	check := func(ref *value) {
		for _, name := range ref.list()[:min(1, len(ref.list()))] {
			if _, isVdu := f.Vdu(name.str()); isVdu {
				rep.problem(classPath, "%s makes a separate resource for each VNFC of %s, but the Base HOT refers to "+
					"all of them by one name (%s)", lcm.StandardUserData, quoteName(name.str()), name.place())
			}
		}
	}
	for _, part := range []*value{p.top.at("resources"), p.top.at("outputs")} {
		part.walk(func(v *value) {
			check(v.at("get_resource"))
			check(v.at("get_attr"))
		})
	}
	for _, resource := range p.top.at("resources").members() {
		for _, name := range resource.at("depends_on").list() {
			check(name)
		}
	}
}

// ofMember is a copy of a resource that takes one VNFC's entries of the parameter nfv.
func ofMember(v *value, index int) *value {
	c := *v
	c.items = make([]*value, len(v.items))
	for i, item := range v.items {
		c.items[i] = ofMember(item, index)
	}
	if ref := c.at("get_param"); ref.isList() && len(ref.items) >= 3 && ref.items[0].str() == "nfv" &&
		ref.items[2].str() != "" {
		ref.items[2] = scalar("!!str", MemberName(ref.items[2].str(), index))
	}
	return &c
}

// described is the id of the VDU, connection point or storage for an entry of nfv. An entry of a VNFC with its own
// resource ends with the VNFC's index.
func (req HeatRequest) described(f *Flavour, kind, id string) string {
	if req.Members == nil {
		return id
	}
	known := func(id string) bool {
		_, vdu := vduOrStorage(f, id)
		_, cp := f.Cp(id)
		return kind == "CP" && cp || kind == "VDU" && vdu
	}
	if at := strings.LastIndexByte(id, '-'); at > 0 && !known(id) && known(id[:at]) {
		if _, ok := MemberIndex(id[:at], id); ok {
			return id[:at]
		}
	}
	return id
}
