package hot

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Same tells whether two templates of a flavour have the same content, whatever their form.
func (t Template) Same(f *descriptor.Flavour, other Template) bool {
	a, err := t.parse(f)
	if err != nil {
		return false
	}
	b, err := other.parse(f)
	if err != nil || len(a.nested) != len(b.nested) || !reflect.DeepEqual(a.top.Plain(), b.top.Plain()) {
		return false
	}
	for name := range a.nested {
		if b.nested[name] == nil || !reflect.DeepEqual(a.nested[name].Plain(), b.nested[name].Plain()) {
			return false
		}
	}
	return true
}

// MadeParameters completes the parameters that a user data class has made, as Tacker does. Sizes are the VNF's, and the
// NFVO's choices replace the class's. Errors are as Parameters'.
func MadeParameters(f *descriptor.Flavour, t Template, req Request, made map[string]any) (map[string]any, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return nil, err
	}
	capacity, err := req.capacity(f)
	if err != nil {
		return nil, err
	}
	rates, err := req.bitrates(f)
	if err != nil {
		return nil, err
	}
	m := &parameterMaker{
		flavour: f, req: req, templates: parsed, capacity: capacity, rates: rates, overrule: true,
		declared: parsed.top.At("parameters"), params: maps.Clone(made), rep: &document.Report{},
	}
	if m.params == nil {
		m.params = map[string]any{}
	}
	for _, name := range slices.Sorted(maps.Keys(m.params)) {
		if !m.declared.Has(name) {
			m.rep.Problem(classPath, "the user data class has made the parameter %s, which the Base HOT does not have",
				document.Quote(name))
		}
	}
	m.sizes()
	uses := parsed.nfvUses()
	m.override(uses)
	m.choices(uses)
	m.required()
	if err := m.rep.Err("the stack of the flavour " + f.ID +
		" cannot be made from the result of the user data class"); err != nil {
		return nil, err
	}
	return m.params, nil
}

// override puts sizes, bit rates and granted values into the parameter nfv, where templates use them.
func (m *parameterMaker) override(uses []nfvUse) {
	nfv, ok := m.params["nfv"].(map[string]any)
	if !ok {
		return
	}
	b := &nfvBuilder{flavour: m.flavour, req: m.req, capacity: m.capacity, rates: m.rates, nfv: nfv}
	b.handPorts(uses)
	for _, use := range uses {
		if use.path[0] == "VL" {
			b.add(use)
		}
		if use.path[0] != "VDU" || len(use.path) < 3 {
			continue
		}
		id, key := use.path[1], use.path[2]
		granted := map[string]string{
			"flavor": m.req.ComputeFlavours[id], "computeFlavourId": m.req.ComputeFlavours[id], "image": b.image(id),
			"vcImageId": b.image(id), "locationConstraints": m.req.Zones[id],
		}[key]
		if granted != "" {
			child(child(nfv, "VDU"), id)[key] = granted
		}
		if n, known := m.capacity[id]; known && key == "desired_capacity" {
			child(child(nfv, "VDU"), id)[key] = n
		}
	}
}

// Chosen are the images and the flavours of VDUs and storages: the granted ones, else the VNFD's.
func (req Request) Chosen(f *descriptor.Flavour) (images, flavours map[string]string) {
	images, flavours = map[string]string{}, map[string]string{}
	for _, vdu := range f.Vdus {
		flavours[vdu.ID] = cmp.Or(req.ComputeFlavours[vdu.ID], vdu.ComputeFlavour)
		if vdu.Image != nil {
			images[vdu.ID] = vdu.Image.Name
		}
	}
	for _, s := range f.Storages {
		if s.Image != nil {
			images[s.ID] = s.Image.Name
		}
	}
	maps.Copy(images, req.KeptImages)
	maps.Copy(images, req.Images)
	return images, flavours
}

// OtherImages are the image names of a flavour's VDUs and storages that differ in another flavour.
func OtherImages(f, next *descriptor.Flavour) map[string]string {
	out := map[string]string{}
	now, _ := Request{}.Chosen(f)
	then, _ := Request{}.Chosen(next)
	for id, name := range now {
		if name != "" && name != then[id] {
			out[id] = name
		}
	}
	return out
}
