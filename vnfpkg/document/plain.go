package document

import (
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// ReadPlain reads a definition or a template into the types of encoding/json. Dates stay texts, as templates expect.
func ReadPlain(file string, data []byte) (any, error) {
	root, err := Parse(file, data, Limits{}.WithDefaults())
	if err != nil {
		rep := &Report{}
		rep.Unreadable(file, err)
		return nil, rep.Err("a file of the VNF package cannot be used")
	}
	return root.Plain(), nil
}

// Plain is the value in the types of encoding/json; whole numbers stay whole.
func (v *Value) Plain() any {
	if v.Kind == yaml.MappingNode {
		out := make(map[string]any, len(v.Keys))
		for key, item := range v.Members() {
			out[key] = item.Plain()
		}
		return out
	}
	if v.Kind == yaml.SequenceNode {
		out := make([]any, 0, len(v.Items))
		for _, item := range v.Items {
			out = append(out, item.Plain())
		}
		return out
	}
	return v.plainScalar()
}

func (v *Value) plainScalar() any {
	switch v.Tag {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if (&yaml.Node{Kind: yaml.ScalarNode, Tag: v.Tag, Value: v.text}).Decode(&b) == nil {
			return b
		}
	case "!!int":
		var n int64
		if (&yaml.Node{Kind: yaml.ScalarNode, Tag: v.Tag, Value: v.text}).Decode(&n) == nil {
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
