// Package document reads the YAML files of VNF packages into values that know their lines. A Report collects what is
// wrong with them, and names the place of each problem.
package document

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// In the methods below a nil receiver means "absent", so that a path through a file reads in one line.

// At follows keys through mappings.
func (v *Value) At(keys ...string) *Value {
	for _, key := range keys {
		if v == nil || v.Kind != yaml.MappingNode {
			return nil
		}
		i, ok := v.index[key]
		if !ok {
			return nil
		}
		v = v.Items[i]
	}
	return v
}

// Has reports whether a mapping has that key, even with an empty value.
func (v *Value) Has(key string) bool {
	if v == nil {
		return false
	}
	_, ok := v.index[key]
	return ok
}

// Str is the text of a scalar, "" for anything else and for null.
func (v *Value) Str() string {
	if v == nil || v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
		return ""
	}
	return v.text
}

// IsNull reports whether the value is absent or null.
func (v *Value) IsNull() bool {
	return v == nil || v.Kind == yaml.ScalarNode && v.Tag == "!!null"
}

// IsMap tells whether the value is a mapping.
func (v *Value) IsMap() bool { return v != nil && v.Kind == yaml.MappingNode }

// IsList tells whether the value is a sequence.
func (v *Value) IsList() bool { return v != nil && v.Kind == yaml.SequenceNode }

// Number is the value of a whole number, with or without quotes.
func (v *Value) Number() (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(v.Str()))
	return n, err == nil
}

// Members ranges over a mapping in the order of the file.
func (v *Value) Members() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		if !v.IsMap() {
			return
		}
		for i, key := range v.Keys {
			if !yield(key, v.Items[i]) {
				return
			}
		}
	}
}

// List is the items of a sequence, or the value itself if it is a single word.
func (v *Value) List() []*Value {
	switch {
	case v.IsList():
		return v.Items
	case v.Str() != "":
		return []*Value{v}
	default:
		return nil
	}
}

// Named ranges over what TOSCA writes as a list of one-key mappings (policies, requirements), and over
// the plain mapping that some authors write instead.
func (v *Value) Named() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		if v.IsMap() {
			for name, item := range v.Members() {
				if !yield(name, item) {
					return
				}
			}
			return
		}
		if !v.IsList() {
			return
		}
		for _, one := range v.Items {
			for name, item := range one.Members() {
				if !yield(name, item) {
					return
				}
			}
		}
	}
}

// Words is the list of texts in a sequence.
func (v *Value) Words() []string {
	var out []string
	for _, item := range v.List() {
		if s := item.Str(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Place is the value's position in the file, for people.
func (v *Value) Place() string {
	if v == nil {
		return ""
	}
	return v.File + ":" + strconv.Itoa(v.line)
}

// Walk visits v and everything below it.
func (v *Value) Walk(visit func(*Value)) {
	if v == nil {
		return
	}
	visit(v)
	for _, item := range v.Items {
		item.Walk(visit)
	}
}

// Scalar makes a new value that Windlass writes into a template.
func Scalar(tag, text string) *Value {
	return &Value{Kind: yaml.ScalarNode, Tag: tag, text: text}
}

// Mapping makes a mapping of names and values, in turn.
func Mapping(pairs ...any) *Value {
	v := &Value{Kind: yaml.MappingNode, Tag: "!!map", index: map[string]int{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i].(string), pairs[i+1].(*Value))
	}
	return v
}

// Copy is a value with the same members or items, for which others can then be set.
func (v *Value) Copy() *Value {
	c := *v
	c.Keys, c.Items, c.index = slices.Clone(v.Keys), slices.Clone(v.Items), maps.Clone(v.index)
	return &c
}

// ResolvePath turns ref, a reference in the file from, into a path from the root of the package; false if it leaves the
// package or is absolute.
func ResolvePath(from, ref string) (string, bool) {
	if ref == "" || strings.HasPrefix(ref, "/") || strings.ContainsAny(ref, "\\\x00") {
		return "", false
	}
	p := path.Join(path.Dir(from), ref)
	return p, p != ".." && p != "." && !strings.HasPrefix(p, "../")
}

// IsYAML tells whether a file is YAML by its name.
func IsYAML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}
