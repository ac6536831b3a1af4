package config

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// declared are the files whose structs have settings. Their comments are the usage texts: a tag of Go is one line, too
// short for a sentence.
//
//go:embed config.go api.go peers.go worker.go telemetry.go
var declared embed.FS

// usage is what the setting means, for users; a word in backquotes names the value. It panics without a comment.
func (s *setting) usage() string {
	text := usages()[s.owner.Name()+"."+s.field.Name]
	if text == "" {
		s.wrong("has no comment that says what it means, or its file is not in usage.go")
	}
	return text
}

// usages are the first paragraphs of the comments of all fields, by struct and field: "API.Listen".
var usages = sync.OnceValue(readUsages)

func readUsages() map[string]string {
	out := map[string]string{}
	files, err := declared.ReadDir(".")
	for _, entry := range files {
		var file *ast.File
		source, _ := declared.ReadFile(entry.Name())
		if file, err = parser.ParseFile(token.NewFileSet(), entry.Name(), source,
			parser.ParseComments|parser.SkipObjectResolution); err != nil {
			break
		}
		for _, declaration := range file.Decls {
			addUsages(out, declaration)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("config: the files in the binary cannot be read: %v", err))
	}
	return out
}

func addUsages(to map[string]string, declaration ast.Decl) {
	types, ok := declaration.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range types.Specs {
		name, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if of, ok := name.Type.(*ast.StructType); ok {
			for _, f := range of.Fields.List {
				first, _, _ := strings.Cut(f.Doc.Text(), "\n\n")
				for _, field := range f.Names {
					to[name.Name.Name+"."+field.Name] = strings.Join(strings.Fields(first), " ")
				}
			}
		}
	}
}
