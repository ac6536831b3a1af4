package hot

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Request holds the inputs for the parameters of a stack, beside the package.
type Request struct {
	// LevelID is the instantiation level, "" for the default one.
	LevelID string
	// Capacity, when not nil, replaces the level: the number of VMs of each VDU of a scaled VNF.
	Capacity map[string]int
	// Members are the VNFCs of a template from Template.Separate; nil for other templates. They give the capacity, too.
	Members descriptor.Members
	// Bitrates, when not nil, replace the level's bit rates, by virtual link.
	Bitrates               map[string]descriptor.Bitrate
	ExtVirtualLinks        []lcm.ExtVirtualLink
	ExtManagedVirtualLinks []ExtManagedVirtualLink
	// AdditionalParams are the request's, with secrets decrypted. A member with the name of a HOT parameter sets that
	// parameter; "nfv" is merged into the map that Windlass makes (RFC 7396).
	AdditionalParams map[string]any
	// Images, ComputeFlavours and Zones map VDUs to the values of a grant; without one the VNFD's values count.
	Images          map[string]string
	ComputeFlavours map[string]string
	Zones           map[string]string
	// KeptImages are the images that VDUs and storages have from an earlier VNFD: they count if the grant names none.
	KeptImages map[string]string
}

// Parameters makes the parameters of a flavour's stack, as Tacker makes them: the map nfv with the values that the
// templates use, HOT parameters with the name of an additional parameter, and the sizes of groups. Missing or
// contradictory values are Invalid; the error lists all of them with JSON paths.
func Parameters(f *descriptor.Flavour, t Template, req Request) (map[string]any, error) {
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
		flavour: f, req: req, templates: parsed, capacity: capacity, rates: rates,
		declared: parsed.top.At("parameters"), params: map[string]any{}, rep: &document.Report{},
	}
	for name := range m.declared.Members() {
		if v, ok := req.AdditionalParams[name]; ok && name != "nfv" {
			m.params[name] = v
		}
	}
	m.sizes()
	var uses []nfvUse
	if m.declared.Has("nfv") {
		uses = parsed.nfvUses()
		m.nfv(uses)
	}
	m.choices(m.describedUses(uses))
	m.required()
	if err := m.rep.Err("the stack of the flavour " + f.ID + " cannot be made from this request"); err != nil {
		return nil, err
	}
	return m.params, nil
}

func (req Request) capacity(f *descriptor.Flavour) (map[string]int, error) {
	if req.Members != nil {
		return req.Members.Capacity(), nil
	}
	if req.Capacity != nil {
		return req.Capacity, nil
	}
	return f.Capacity(req.LevelID)
}

func (req Request) bitrates(f *descriptor.Flavour) (map[string]descriptor.Bitrate, error) {
	if req.Bitrates != nil || req.Capacity != nil { // at no level
		return req.Bitrates, nil
	}
	return f.Bitrates(req.LevelID)
}

type parameterMaker struct {
	flavour   *descriptor.Flavour
	req       Request
	templates parsedTemplate
	capacity  map[string]int
	rates     map[string]descriptor.Bitrate
	declared  *document.Value
	params    map[string]any
	rep       *document.Report
	// overrule sets the sizes even if a user data class has set them: it may have read them from elsewhere.
	overrule bool
}

// sizes sets the parameters for the number of members of groups.
func (m *parameterMaker) sizes() {
	for _, g := range m.templates.groups(m.flavour) {
		n, reason := g.size(m.capacity)
		if reason != "" {
			m.rep.Problem("$.instantiationLevelId", "%s", reason)
			continue
		}
		if name := g.sizeParameter(); name != "nfv" && m.declared.Has(name) {
			m.size(name, n)
		}
	}
	var all []int
	for _, aspect := range m.flavour.Aspects {
		for _, vdu := range slices.Sorted(maps.Keys(aspect.Deltas)) {
			m.size(aspect.ID+"_desired_capacity", m.capacity[vdu])
			all = append(all, m.capacity[vdu])
			break
		}
	}
	// desired_capacity names no aspect, so it is set only if all aspects have the same size.
	if _, given := m.params["desired_capacity"]; !given && len(all) > 0 && slices.Min(all) == slices.Max(all) {
		m.size("desired_capacity", all[0])
	}
}

// size sets a parameter that the template declares. The level decides; a request with another number is a
// contradiction.
func (m *parameterMaker) size(name string, n int) {
	if !m.declared.Has(name) {
		return
	}
	if given, ok := m.params[name]; ok && !m.overrule && !sameNumber(given, n) {
		m.rep.Problem("$.additionalParams."+name,
			"differs from the %d of the instantiation level; leave it out or choose another level", n)
		return
	}
	m.params[name] = n
}

func sameNumber(given any, n int) bool {
	f, err := strconv.ParseFloat(fmt.Sprint(given), 64)
	return err == nil && math.Abs(f-float64(n)) < 1e-9
}

func (m *parameterMaker) nfv(uses []nfvUse) {
	b := &nfvBuilder{flavour: m.flavour, req: m.req, capacity: m.capacity, rates: m.rates, nfv: map[string]any{}}
	for _, use := range uses {
		b.add(use)
	}
	if patch, ok := m.req.AdditionalParams["nfv"]; ok {
		patched, isMap := patch.(map[string]any)
		if !isMap {
			m.rep.Problem("$.additionalParams.nfv", "is not an object")
		}
		mergePatch(b.nfv, patched)
		b.sizes(uses)
	}
	for _, use := range uses {
		if path, detail := b.missing(use); path != "" {
			m.rep.Problem(path, "%s", detail)
		}
	}
	m.params["nfv"] = b.nfv
}

// mergePatch applies a JSON merge patch (RFC 7396) to target.
func mergePatch(target, patch map[string]any) {
	for key, v := range patch {
		sub, isMap := v.(map[string]any)
		switch {
		case v == nil:
			delete(target, key)
		case isMap:
			mergePatch(child(target, key), sub)
		default:
			target[key] = v
		}
	}
}

// required reports parameters that have neither a value nor a default.
func (m *parameterMaker) required() {
	for name, declaration := range m.declared.Members() {
		if _, ok := m.params[name]; ok || declaration.Has("default") {
			continue
		}
		detail := "the Base HOT needs this parameter"
		if typeName := declaration.At("type").Str(); typeName != "" {
			detail += " of type " + typeName
		}
		if description := declaration.At("description").Str(); description != "" {
			detail += ": " + description
		}
		m.rep.Problem("$.additionalParams."+name, "%s", detail)
	}
}
