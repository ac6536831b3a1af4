package hot

import "github.com/windlass-nfv/windlass/vnfpkg/document"

// Resources are the types of the top template's resources, by name.
func (t Template) Resources() (map[string]string, error) {
	root, err := document.Parse("the Base HOT", []byte(t.Top), document.Limits{}.WithDefaults())
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, resource := range root.At("resources").Members() {
		out[name] = resource.At("type").Str()
	}
	return out, nil
}
