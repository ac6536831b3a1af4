package hot

import (
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Parameter is a parameter of a Base HOT that a request sets as a member of additionalParams.
type Parameter struct {
	Name, Type, Description string
	// Default counts if HasDefault is set; it is "" for a list or a map. Hidden is set for secrets.
	Default    string
	HasDefault bool
	Hidden     bool
}

// ToBeGiven are the parameters of the Base HOT that a request must or may set: neither the VNFD nor the level does.
// They are in the order of the template.
func (t Template) ToBeGiven(f *descriptor.Flavour) (out []Parameter, err error) {
	parsed, err := t.parse(f)
	if err != nil {
		return nil, err
	}
	capacity, err := f.Capacity("")
	if err != nil { // no default level; names of parameters are the same at every level
		capacity = map[string]int{}
	}
	m := &parameterMaker{
		flavour: f, templates: parsed, capacity: capacity, declared: parsed.top.At("parameters"), params: map[string]any{},
		rep: &document.Report{},
	}
	m.sizes()
	for name, declaration := range m.declared.Members() {
		if _, made := m.params[name]; made || name == "nfv" {
			continue
		}
		p := Parameter{
			Name: name, Type: declaration.At("type").Str(), Description: declaration.At("description").Str(),
			Hidden: declaration.At("hidden").Str() == "true", Default: declaration.At("default").Str(),
			HasDefault: declaration.Has("default"),
		}
		out = append(out, p)
	}
	return out, nil
}
