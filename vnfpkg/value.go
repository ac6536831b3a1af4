package vnfpkg

import (
	"iter"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// In the methods below a nil receiver means "absent", so that a path through a file reads in one line.

// at follows keys through mappings.
func (v *value) at(keys ...string) *value {
	for _, key := range keys {
		if v == nil || v.kind != yaml.MappingNode {
			return nil
		}
		i, ok := v.index[key]
		if !ok {
			return nil
		}
		v = v.items[i]
	}
	return v
}

// has reports whether a mapping has that key, even with an empty value.
func (v *value) has(key string) bool {
	if v == nil {
		return false
	}
	_, ok := v.index[key]
	return ok
}

// str is the text of a scalar, "" for anything else and for null.
func (v *value) str() string {
	if v == nil || v.kind != yaml.ScalarNode || v.tag == "!!null" {
		return ""
	}
	return v.text
}

// isNull reports whether the value is absent or null.
func (v *value) isNull() bool {
	return v == nil || v.kind == yaml.ScalarNode && v.tag == "!!null"
}

func (v *value) isMap() bool  { return v != nil && v.kind == yaml.MappingNode }
func (v *value) isList() bool { return v != nil && v.kind == yaml.SequenceNode }

// number is the value of a whole number, with or without quotes.
func (v *value) number() (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(v.str()))
	return n, err == nil
}

// members ranges over a mapping in the order of the file.
func (v *value) members() iter.Seq2[string, *value] {
	return func(yield func(string, *value) bool) {
		if !v.isMap() {
			return
		}
		for i, key := range v.keys {
			if !yield(key, v.items[i]) {
				return
			}
		}
	}
}

// list is the items of a sequence, or the value itself if it is a single word.
func (v *value) list() []*value {
	switch {
	case v.isList():
		return v.items
	case v.str() != "":
		return []*value{v}
	default:
		return nil
	}
}

// named ranges over what TOSCA writes as a list of one-key mappings (policies, requirements), and over
// the plain mapping that some authors write instead.
func (v *value) named() iter.Seq2[string, *value] {
	return func(yield func(string, *value) bool) {
		if v.isMap() {
			for name, item := range v.members() {
				if !yield(name, item) {
					return
				}
			}
			return
		}
		if !v.isList() {
			return
		}
		for _, one := range v.items {
			for name, item := range one.members() {
				if !yield(name, item) {
					return
				}
			}
		}
	}
}

// words is the list of texts in a sequence.
func (v *value) words() []string {
	var out []string
	for _, item := range v.list() {
		if s := item.str(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// place is the value's position in the file, for people.
func (v *value) place() string {
	if v == nil {
		return ""
	}
	return v.file + ":" + strconv.Itoa(v.line)
}

// walk visits v and everything below it.
func (v *value) walk(visit func(*value)) {
	if v == nil {
		return
	}
	visit(v)
	for _, item := range v.items {
		item.walk(visit)
	}
}

// scalar makes a new value that Windlass writes into a template.
func scalar(tag, text string) *value {
	return &value{kind: yaml.ScalarNode, tag: tag, text: text}
}

func mapping(pairs ...any) *value {
	v := &value{kind: yaml.MappingNode, tag: "!!map", index: map[string]int{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.set(pairs[i].(string), pairs[i+1].(*value))
	}
	return v
}

// resolvePath turns ref, a reference in the file from, into a path from the root of the package; false if it leaves the
// package or is absolute.
func resolvePath(from, ref string) (string, bool) {
	if ref == "" || strings.HasPrefix(ref, "/") || strings.ContainsAny(ref, "\\\x00") {
		return "", false
	}
	p := path.Join(path.Dir(from), ref)
	return p, p != ".." && p != "." && !strings.HasPrefix(p, "../")
}

func isYAML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}
