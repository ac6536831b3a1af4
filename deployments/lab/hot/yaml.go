package hot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxTemplate is Heat's max_template_size.
const maxTemplate = 512 << 10

// maxNodes limits templates whose YAML aliases multiply.
const maxNodes = 200_000

// ParseYAML reads a document as Heat's loader does: YAML 1.1 booleans, dates left as strings, mapping
// keys as strings.
func ParseYAML(text string) (any, error) {
	if len(text) > maxTemplate {
		return nil, errorf("RequestLimitExceeded",
			"Request limit exceeded: Template size (%d bytes) exceeds maximum allowed size (%d bytes).", len(text), maxTemplate)
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, err
	}
	if root.Kind == 0 {
		return nil, nil //nolint:nilnil // an empty document is the value null
	}
	left := maxNodes
	return fromNode(&root, &left)
}

func fromNode(n *yaml.Node, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, fmt.Errorf("line %d: too many nodes", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return fromNode(n.Content[0], left)
	case yaml.AliasNode:
		return fromNode(n.Alias, left)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := fromNode(c, left)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		return fromMapping(n, left)
	default:
		return fromScalar(n)
	}
}

func fromMapping(n *yaml.Node, left *int) (any, error) {
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		v, err := fromNode(value, left)
		if err != nil {
			return nil, err
		}
		if key.Tag == "!!merge" {
			if merged, ok := v.(map[string]any); ok {
				for k, mv := range merged {
					if _, have := out[k]; !have {
						out[k] = mv
					}
				}
			}
			continue
		}
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a mapping key must be a scalar", key.Line)
		}
		out[key.Value] = v
	}
	return out, nil
}

// yaml11 are the booleans of YAML 1.1: Heat's loader reads them as booleans, YAML 1.2 reads them as strings.
var yaml11 = map[string]bool{"yes": true, "on": true, "no": false, "off": false}

func fromScalar(n *yaml.Node) (any, error) {
	switch n.Tag {
	case "!!null":
		return nil, nil //nolint:nilnil // the value null
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int":
		i, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
		if err != nil {
			return n.Value, nil //nolint:nilerr // too big for a number: Heat would keep it; the lab uses a string
		}
		return int(i), nil
	case "!!float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return n.Value, nil //nolint:nilerr // .inf and .nan have no JSON
		}
		return f, nil
	default:
		if n.Style == 0 {
			if b, ok := yaml11[strings.ToLower(n.Value)]; ok {
				return b, nil
			}
		}
		return n.Value, nil
	}
}
