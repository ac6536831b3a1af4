package vnfpkg

// HeatParameter is a parameter of a Base HOT that a request sets as a member of additionalParams.
type HeatParameter struct {
	Name, Type, Description string
	// Default counts if HasDefault is set; it is "" for a list or a map. Hidden is set for secrets.
	Default    string
	HasDefault bool
	Hidden     bool
}

// ToBeGiven are the parameters of the Base HOT that a request must or may set: neither the VNFD nor the level does.
// They are in the order of the template.
func (t Template) ToBeGiven(f *Flavour) (out []HeatParameter, err error) {
	parsed, err := t.parse(f)
	if err != nil {
		return nil, err
	}
	capacity, err := f.Capacity("")
	if err != nil { // no default level; names of parameters are the same at every level
		capacity = map[string]int{}
	}
	m := &parameterMaker{
		flavour: f, templates: parsed, capacity: capacity, declared: parsed.top.at("parameters"), params: map[string]any{},
		rep: &report{},
	}
	m.sizes()
	for name, declaration := range m.declared.members() {
		if _, made := m.params[name]; made || name == "nfv" {
			continue
		}
		p := HeatParameter{
			Name: name, Type: declaration.at("type").str(), Description: declaration.at("description").str(),
			Hidden: declaration.at("hidden").str() == "true", Default: declaration.at("default").str(),
			HasDefault: declaration.has("default"),
		}
		out = append(out, p)
	}
	return out, nil
}
