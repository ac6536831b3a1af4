package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// requestJSON is a request as JSON. The file may be JSON, which begins with a bracket, or else YAML.
func requestJSON(name string, b []byte) (json.RawMessage, error) {
	if start := bytes.TrimSpace(b); len(start) == 0 || start[0] == '{' || start[0] == '[' || start[0] == '"' {
		return b, checkJSON(name, b)
	}
	if name == "-" {
		name = "standard input"
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("the file %s is neither JSON nor YAML: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the file %s has more than one document", name)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("the file %s must have an object: as JSON it begins with {, as YAML with the name of a member", name)
	}
	value, err := plainValue(root)
	if err != nil {
		return nil, fmt.Errorf("the client cannot use the file %s: %w", name, err)
	}
	return json.Marshal(value)
}

// plainValue is the value of a part of a YAML file. A number that JSON cannot express is text: a password 0123 is not
// 83.
func plainValue(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		return plainObject(n)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := plainValue(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.ScalarNode:
		return plainScalar(n), nil
	default:
		return nil, fmt.Errorf("line %d has an alias of YAML, which the client does not support", n.Line)
	}
}

func plainObject(n *yaml.Node) (any, error) {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d has a name that is no text", key.Line)
		}
		if _, twice := object[key.Value]; twice {
			return nil, fmt.Errorf("line %d has %q for the second time", key.Line, key.Value)
		}
		v, err := plainValue(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		object[key.Value] = v
	}
	return object, nil
}

func plainScalar(n *yaml.Node) any {
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value
	}
	if n.Value == "" || n.Value == "~" {
		return nil
	}
	var v any
	if n.Value[0] != '"' && json.Unmarshal([]byte(n.Value), &v) == nil {
		return json.RawMessage(n.Value)
	}
	return n.Value
}
