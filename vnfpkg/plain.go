package vnfpkg

import (
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// ParseYAML reads a definition or a template into the types of encoding/json. Dates stay texts, as templates expect.
func ParseYAML(file string, data []byte) (any, error) {
	root, err := parseYAML(file, data, yamlLimits{}.withDefaults())
	if err != nil {
		rep := &report{}
		reportYAML(rep, file, err)
		return nil, rep.err("a file of the VNF package cannot be used")
	}
	return root.plain(), nil
}

// plain is the value in the types of encoding/json; whole numbers stay whole.
func (v *value) plain() any {
	if v.kind == yaml.MappingNode {
		out := make(map[string]any, len(v.keys))
		for key, item := range v.members() {
			out[key] = item.plain()
		}
		return out
	}
	if v.kind == yaml.SequenceNode {
		out := make([]any, 0, len(v.items))
		for _, item := range v.items {
			out = append(out, item.plain())
		}
		return out
	}
	return v.plainScalar()
}

func (v *value) plainScalar() any {
	switch v.tag {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if (&yaml.Node{Kind: yaml.ScalarNode, Tag: v.tag, Value: v.text}).Decode(&b) == nil {
			return b
		}
	case "!!int":
		var n int64
		if (&yaml.Node{Kind: yaml.ScalarNode, Tag: v.tag, Value: v.text}).Decode(&n) == nil {
			return n
		}
	case "!!float":
		// JSON has no NaN and no infinities.
		if f, err := strconv.ParseFloat(v.text, 64); err == nil && json.Valid([]byte(strconv.FormatFloat(f, 'g', -1, 64))) {
			return f
		}
	}
	return v.text
}
