package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileFlag and fileEnv name the file; it is no setting of the file itself.
const (
	fileFlag = "config"
	fileEnv  = "WINDLASS_CONFIG"
)

// fileValue is a value with the file and line it stands in.
type fileValue struct {
	value, place string
}

// readFile reads the file that --config or WINDLASS_CONFIG names, if any.
func (l *loader) readFile() {
	l.config.File = os.Getenv(fileEnv)
	if f := l.flags.Lookup(fileFlag); f != nil && f.Changed {
		l.config.File = f.Value.String()
	}
	if l.config.File == "" {
		return
	}
	b, err := os.ReadFile(l.config.File)
	if err != nil {
		// The path is in the problem already.
		if pathErr, ok := errors.AsType[*os.PathError](err); ok {
			err = pathErr.Err
		}
		l.problem(l.config.File, "cannot be read: "+err.Error())
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		l.problem(l.config.File, "is not YAML: "+strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	l.file = map[string]fileValue{}
	if len(doc.Content) > 0 {
		l.readMapping(doc.Content[0], "")
	}
}

// readMapping reads the scalars of a mapping, and of nested mappings, under their full names.
func (l *loader) readMapping(node *yaml.Node, prefix string) {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return // a section whose settings are all commented out
	}
	if node.Kind != yaml.MappingNode {
		l.problem(l.at(node), "must be a mapping, with lines like \"name: value\"")
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		key := prefix + name.Value
		switch {
		case isSection(key):
			l.readMapping(value, key+".")
		case !isSetting(key):
			l.problem(l.at(name), key+" is no setting; there are "+strings.Join(keysBeside(key), ", "))
		case value.Kind != yaml.ScalarNode:
			l.problem(l.at(value), key+" must be a single value")
		case l.file[key].place != "":
			l.problem(l.at(name), key+" is there twice")
		case value.Tag != "!!null":
			l.file[key] = fileValue{value: value.Value, place: l.at(value)}
		}
	}
}

func (l *loader) at(node *yaml.Node) string {
	return fmt.Sprintf("%s:%d", filepath.Base(l.config.File), node.Line)
}

func isSetting(key string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return s.key == key })
}

func isSection(key string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.key, key+".") })
}

// keysBeside are the names that could stand where key stands.
func keysBeside(key string) []string {
	prefix := key[:strings.LastIndex(key, ".")+1]
	var names []string
	for _, s := range settings {
		if rest, ok := strings.CutPrefix(s.key, prefix); ok {
			name, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(names, prefix+name) {
				names = append(names, prefix+name)
			}
		}
	}
	return names
}
