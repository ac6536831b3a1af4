package vnfpkg

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// value is one value of a YAML file, with aliases expanded and merge keys applied. Parsing into it, and not into Go
// types, bounds the growth by aliases and keeps the line of every value.
type value struct {
	file  string
	line  int
	kind  yaml.Kind // ScalarNode, MappingNode or SequenceNode
	tag   string
	style yaml.Style
	text  string // of a scalar
	// items are the values of a mapping, in the order of keys, or of a sequence.
	keys  []string
	items []*value
	index map[string]int
}

// yamlError is a mistake in a YAML file; line 0 means the file as a whole.
type yamlError struct {
	line   int
	detail string
}

func (e *yamlError) Error() string { return e.detail }

// parseYAML reads the one document of a YAML file.
func parseYAML(file string, data []byte, limits yamlLimits) (*value, error) {
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
	limits yamlLimits
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

func (b *treeBuilder) build(n *yaml.Node, depth int) (*value, error) {
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
	v := &value{file: b.file, line: n.Line, kind: n.Kind, tag: n.ShortTag(), style: n.Style &^ yaml.TaggedStyle}
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
			v.items = append(v.items, child)
		}
		return v, nil
	case yaml.MappingNode:
		return v, b.mapping(v, n, depth)
	default:
		return nil, &yamlError{n.Line, "has a value of an unknown kind"}
	}
}

func (b *treeBuilder) mapping(v *value, n *yaml.Node, depth int) error {
	v.index = make(map[string]int, len(n.Content)/2)
	var merges []*value
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
			return &yamlError{key.Line, "has the key " + quoteName(key.Value) + " twice"}
		}
		v.set(key.Value, item)
	}
	for _, m := range merges {
		if err := v.merge(m); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the members that the mapping lacks (the YAML merge key "<<").
func (v *value) merge(from *value) error {
	switch from.kind {
	case yaml.MappingNode:
		for i, key := range from.keys {
			if _, own := v.index[key]; !own {
				v.set(key, from.items[i])
			}
		}
		return nil
	case yaml.SequenceNode:
		for _, item := range from.items {
			if item.kind != yaml.MappingNode {
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

// set replaces or appends a member of a mapping.
func (v *value) set(key string, item *value) {
	if i, ok := v.index[key]; ok {
		v.items[i] = item
		return
	}
	if v.index == nil {
		v.index = map[string]int{}
	}
	v.index[key] = len(v.keys)
	v.keys = append(v.keys, key)
	v.items = append(v.items, item)
}

// encode writes the value as YAML again, in the order it was read, without comments and anchors.
func (v *value) encode() (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v.node()); err != nil {
		return "", err
	}
	return b.String(), enc.Close()
}

func (v *value) node() *yaml.Node {
	n := &yaml.Node{Kind: v.kind, Tag: v.tag, Value: v.text, Style: v.style}
	for i, item := range v.items {
		if v.kind == yaml.MappingNode {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.keys[i]})
		}
		n.Content = append(n.Content, item.node())
	}
	return n
}

func reportYAML(rep *report, name string, err error) {
	if e, ok := errors.AsType[*yamlError](err); ok && e.line > 0 {
		rep.problem((&value{file: name, line: e.line}).place(), "%s", e.detail)
		return
	}
	rep.problem(name, "%s", err.Error())
}
