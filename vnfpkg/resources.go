package vnfpkg

// Resources are the types of the top template's resources, by name.
func (t Template) Resources() (map[string]string, error) {
	root, err := parseYAML("the Base HOT", []byte(t.Top), yamlLimits{}.withDefaults())
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, resource := range root.at("resources").members() {
		out[name] = resource.at("type").str()
	}
	return out, nil
}
