package hot

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// classPath is the path at which a request chooses its user data class.
const classPath = "$.additionalParams." + lcm.UserDataClassParam

// Separate gives each VNFC its own resource in a flavour's template, as Tacker's StandardUserData does. The resource
// VDU1 becomes VDU1-0, VDU1-1 and so on. Each resource takes its own entries of the parameter nfv ([nfv, VDU, VDU1-0,
// ...], [nfv, CP, VDU1_CP1-0, ...]). So each VNFC has its own image, flavour, zone and addresses, and a scaling in can
// remove an exact VNFC.
func (t Template) Separate(f *descriptor.Flavour, members descriptor.Members) (Template, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	rep := &document.Report{}
	resources := document.Mapping()
	for name, resource := range parsed.top.At("resources").Members() {
		if _, isVdu := f.Vdu(name); !isVdu {
			resources.Set(name, resource)
			continue
		}
		if typeName := resource.At("type").Str(); !slices.Contains(memberVdus(f, parsed.nested[typeName]), name) {
			rep.Problem(classPath, "%s needs the VDU %s in a nested template with a server of that name; the Base HOT "+
				"has %s instead (%s)", lcm.StandardUserData, name, document.Quote(typeName), resource.Place())
		}
		for _, index := range members[name] {
			resources.Set(descriptor.MemberName(name, index), ofMember(resource, index))
		}
	}
	parsed.checkSeparate(f, members, rep)
	if err := rep.Err("the templates of the flavour " + f.ID + " do not fit the user data class"); err != nil {
		return Template{}, err
	}
	parsed.top.Set("resources", resources)
	text, err := parsed.top.Encode()
	if err != nil {
		return Template{}, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}

// checkSeparate refuses VDUs that the template lacks, and references to the VDUs' resources: no resource has those
// names any more.
func (p parsedTemplate) checkSeparate(f *descriptor.Flavour, members descriptor.Members, rep *document.Report) {
	for _, vdu := range f.Vdus {
		if len(members[vdu.ID]) > 0 && !p.top.At("resources").Has(vdu.ID) {
			rep.Problem(classPath, "%s needs a resource for each VDU, and the Base HOT has none named %s (%s)",
				lcm.StandardUserData, document.Quote(vdu.ID), p.top.File)
		}
	}
	check := func(ref *document.Value) {
		for _, name := range ref.List()[:min(1, len(ref.List()))] {
			if _, isVdu := f.Vdu(name.Str()); isVdu {
				rep.Problem(classPath, "%s makes a separate resource for each VNFC of %s, but the Base HOT refers to "+
					"all of them by one name (%s)", lcm.StandardUserData, document.Quote(name.Str()), name.Place())
			}
		}
	}
	for _, part := range []*document.Value{p.top.At("resources"), p.top.At("outputs")} {
		part.Walk(func(v *document.Value) {
			check(v.At("get_resource"))
			check(v.At("get_attr"))
		})
	}
	for _, resource := range p.top.At("resources").Members() {
		for _, name := range resource.At("depends_on").List() {
			check(name)
		}
	}
}

// ofMember is a copy of a resource that takes one VNFC's entries of the parameter nfv.
func ofMember(v *document.Value, index int) *document.Value {
	c := v.Copy()
	for i, item := range v.Items {
		c.Items[i] = ofMember(item, index)
	}
	if ref := c.At("get_param"); ref.IsList() && len(ref.Items) >= 3 && ref.Items[0].Str() == "nfv" &&
		ref.Items[2].Str() != "" {
		ref.Items[2] = document.Scalar("!!str", descriptor.MemberName(ref.Items[2].Str(), index))
	}
	return c
}

// described is the id of the VDU, connection point or storage for an entry of nfv. An entry of a VNFC with its own
// resource ends with the VNFC's index.
func (req Request) described(f *descriptor.Flavour, kind, id string) string {
	if req.Members == nil {
		return id
	}
	known := func(id string) bool {
		_, vdu := vduOrStorage(f, id)
		_, cp := f.Cp(id)
		return kind == "CP" && cp || kind == "VDU" && vdu
	}
	if at := strings.LastIndexByte(id, '-'); at > 0 && !known(id) && known(id[:at]) {
		if _, ok := descriptor.MemberIndex(id[:at], id); ok {
			return id[:at]
		}
	}
	return id
}
