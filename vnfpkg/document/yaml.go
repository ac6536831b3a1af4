package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Value is one value of a YAML file, with aliases expanded and merge keys applied. Parsing into it, and not into Go
// types, bounds the growth by aliases and keeps the line of every value.
type Value struct {
	File  string
	line  int
	Kind  yaml.Kind // ScalarNode, MappingNode or SequenceNode
	Tag   string
	Style yaml.Style
	text  string // of a scalar
	// items are the values of a mapping, in the order of keys, or of a sequence.
	Keys  []string
	Items []*Value
	index map[string]int
}

// yamlError is a mistake in a YAML file; line 0 means the file as a whole.
type yamlError struct {
	line   int
	detail string
}

func (e *yamlError) Error() string { return e.detail }

// Parse reads the one document of a YAML file.
func Parse(file string, data []byte, limits Limits) (*Value, error) {
	if int64(len(data)) > limits.MaxSize {
		return nil, &yamlError{detail: fmt.Sprintf("is larger than the %d bytes allowed for a definition or template",
			limits.MaxSize)}
	}
	// A node needs at least one of these characters, and costs the parser some 200 bytes.
	if separators := countAny(data, ",[{:-\n?"); separators > 4*limits.MaxNodes {
		return nil, &yamlError{detail: fmt.Sprintf("has more than the %d values allowed in a definition or template",
			limits.MaxNodes)}
	}
	root, err := decodeOne(data)
	if err != nil {
		return nil, err
	}
	b := treeBuilder{file: file, limits: limits, left: limits.MaxNodes, bytes: limits.MaxExpanded}
	return b.build(root, 0)
}

func countAny(data []byte, chars string) int {
	n := 0
	for _, c := range data {
		if strings.IndexByte(chars, c) >= 0 {
			n++
		}
	}
	return n
}

// decodeOne parses without decoding, which leaves aliases unexpanded. The recover is a second safeguard: the parser
// promises not to panic, but its input comes from strangers.
func decodeOne(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, &yamlError{detail: "is not YAML that can be parsed"}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := dec.Decode(&first); errors.Is(err, io.EOF) {
		return nil, &yamlError{detail: "is empty"}
	} else if err != nil {
		return nil, &yamlError{detail: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := dec.Decode(&second); err == nil {
		return nil, &yamlError{line: second.Line, detail: "holds several YAML documents; one is expected"}
	} else if !errors.Is(err, io.EOF) {
		return nil, &yamlError{detail: "is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if first.Kind != yaml.DocumentNode || len(first.Content) != 1 {
		return nil, &yamlError{detail: "is empty"}
	}
	return first.Content[0], nil
}

type treeBuilder struct {
	file   string
	limits Limits
	left   int   // values
	bytes  int64 // of texts and keys: a template is written again with its aliases expanded
}

// text takes the size of a text out of the budget.
func (b *treeBuilder) text(n *yaml.Node) error {
	if b.bytes -= int64(len(n.Value)); b.bytes < 0 {
		return &yamlError{n.Line, fmt.Sprintf("is larger than the %d MiB allowed, aliases expanded", b.limits.MaxExpanded>>20)}
	}
	return nil
}

func (b *treeBuilder) build(n *yaml.Node, depth int) (*Value, error) {
	// An alias to its own ancestor ends here too.
	if depth > b.limits.MaxDepth {
		return nil, &yamlError{n.Line, fmt.Sprintf("is nested more than %d levels deep", b.limits.MaxDepth)}
	}
	if n.Kind == yaml.AliasNode {
		if n.Alias == nil {
			return nil, &yamlError{n.Line, "has an alias without an anchor"}
		}
		return b.build(n.Alias, depth+1)
	}
	if b.left--; b.left < 0 {
		return nil, &yamlError{n.Line, fmt.Sprintf("has more than the %d values allowed, aliases expanded",
			b.limits.MaxNodes)}
	}
	v := &Value{File: b.file, line: n.Line, Kind: n.Kind, Tag: n.ShortTag(), Style: n.Style &^ yaml.TaggedStyle}
	switch n.Kind {
	case yaml.ScalarNode:
		v.text = n.Value
		return v, b.text(n)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			child, err := b.build(item, depth+1)
			if err != nil {
				return nil, err
			}
			v.Items = append(v.Items, child)
		}
		return v, nil
	case yaml.MappingNode:
		return v, b.mapping(v, n, depth)
	default:
		return nil, &yamlError{n.Line, "has a value of an unknown kind"}
	}
}

func (b *treeBuilder) mapping(v *Value, n *yaml.Node, depth int) error {
	v.index = make(map[string]int, len(n.Content)/2)
	var merges []*Value
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode && key.Alias != nil {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return &yamlError{key.Line, "has a key that is not a word"}
		}
		if err := b.text(key); err != nil {
			return err
		}
		item, err := b.build(child, depth+1)
		if err != nil {
			return err
		}
		if key.ShortTag() == "!!merge" {
			merges = append(merges, item)
			continue
		}
		if _, twice := v.index[key.Value]; twice {
			return &yamlError{key.Line, "has the key " + Quote(key.Value) + " twice"}
		}
		v.Set(key.Value, item)
	}
	for _, m := range merges {
		if err := v.merge(m); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the members that the mapping lacks (the YAML merge key "<<").
func (v *Value) merge(from *Value) error {
	switch from.Kind {
	case yaml.MappingNode:
		for i, key := range from.Keys {
			if _, own := v.index[key]; !own {
				v.Set(key, from.Items[i])
			}
		}
		return nil
	case yaml.SequenceNode:
		for _, item := range from.Items {
			if item.Kind != yaml.MappingNode {
				break
			}
			if err := v.merge(item); err != nil {
				return err
			}
		}
		return nil
	default:
		return &yamlError{from.line, "merges something that is not a mapping"}
	}
}

// Set replaces or appends a member of a mapping.
func (v *Value) Set(key string, item *Value) {
	if i, ok := v.index[key]; ok {
		v.Items[i] = item
		return
	}
	if v.index == nil {
		v.index = map[string]int{}
	}
	v.index[key] = len(v.Keys)
	v.Keys = append(v.Keys, key)
	v.Items = append(v.Items, item)
}

// Encode writes the value as YAML again, in the order it was read, without comments and anchors.
func (v *Value) Encode() (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v.node()); err != nil {
		return "", err
	}
	return b.String(), enc.Close()
}

func (v *Value) node() *yaml.Node {
	n := &yaml.Node{Kind: v.Kind, Tag: v.Tag, Value: v.text, Style: v.Style}
	for i, item := range v.Items {
		if v.Kind == yaml.MappingNode {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.Keys[i]})
		}
		n.Content = append(n.Content, item.node())
	}
	return n
}
