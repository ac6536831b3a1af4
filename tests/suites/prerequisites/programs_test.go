package prerequisites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// uses are the places that call a program, by the program's name.
type uses map[string][]string

func (u uses) add(program, place string) {
	// A path is a program of the repository or of a test.
	if program != "" && !strings.Contains(program, "/") && !slices.Contains(u[program], place) {
		u[program] = append(u[program], place)
	}
}

// starters are the functions of os/exec that get the name of a program, with the index of that argument.
var starters = map[string]int{"Command": 0, "CommandContext": 1, "LookPath": 0}

// inGo finds the programs that the repository's Go code calls. A name may be a literal, an argument of a function of
// the same package that starts the program in its parameter, or an element of a table that a loop uses. inGo does not
// find computed names.
func inGo(t *testing.T, root string) uses {
	t.Helper()
	packages := map[string][]*ast.File{}
	set := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" ||
			d.Name() == "bin") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		return err
	}))
	found := uses{}
	for _, files := range packages {
		p := &source{tables: map[string]*ast.CompositeLit{}, wrappers: map[string]int{}}
		p.learn(files)
		for _, file := range files {
			place, _ := filepath.Rel(root, set.Position(file.Pos()).Filename)
			p.calls(file, map[string]*ast.CompositeLit{}, func(program string) { found.add(program, place) })
		}
	}
	return found
}

// source is a package of Go.
type source struct {
	// wrappers are the functions that start the program in a parameter, with the index of that parameter.
	wrappers map[string]int
	// tables are the variables that contain lists.
	tables map[string]*ast.CompositeLit
}

// learn finds tables, and then wrappers until it finds no more: a wrapper may call another wrapper.
func (p *source) learn(files []*ast.File) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if len(n.Names) == 1 && len(n.Values) == 1 {
					p.table(n.Names[0], n.Values[0])
				}
			case *ast.AssignStmt:
				if len(n.Lhs) == 1 && len(n.Rhs) == 1 {
					p.table(n.Lhs[0], n.Rhs[0])
				}
			}
			return true
		})
	}
	for more := true; more; {
		more = false
		for _, file := range files {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && p.wraps(f) {
					more = true
				}
			}
		}
	}
}

func (p *source) table(name, value ast.Expr) {
	id, ok := name.(*ast.Ident)
	if list, isList := value.(*ast.CompositeLit); ok && isList {
		p.tables[id.Name] = list
	}
}

// wraps reports whether a function is a wrapper that was not known before.
func (p *source) wraps(f *ast.FuncDecl) (found bool) {
	if _, known := p.wrappers[f.Name.Name]; known {
		return false
	}
	var params []string
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			params = append(params, name.Name)
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for _, arg := range p.programs(call) {
				if id, ok := arg.(*ast.Ident); ok && slices.Contains(params, id.Name) {
					p.wrappers[f.Name.Name], found = slices.Index(params, id.Name), true
				}
			}
		}
		return true
	})
	return found
}

// programs returns the arguments of a call that name programs: the program that the call starts, and the programs that
// this one starts, as nice does.
func (p *source) programs(call *ast.CallExpr) (out []ast.Expr) {
	at, known := -1, false
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "exec" {
			at, known = starters[f.Sel.Name], f.Sel.Name != "Cmd"
		} else {
			at, known = p.wrapper(f.Sel.Name)
		}
	case *ast.Ident:
		at, known = p.wrapper(f.Name)
	}
	if !known || at >= len(call.Args) {
		return nil
	}
	out = append(out, call.Args[at])
	if at+1 < len(call.Args) {
		if rest, ok := call.Args[at+1].(*ast.CallExpr); ok && len(rest.Args) > 0 { // append([]string{...}, ...)
			if list, ok := rest.Args[0].(*ast.CompositeLit); ok {
				out = append(out, slices.DeleteFunc(slices.Clone(list.Elts),
					func(e ast.Expr) bool { _, named := e.(*ast.Ident); return !named })...)
			}
		}
	}
	return out
}

func (p *source) wrapper(name string) (at int, known bool) {
	at, known = p.wrappers[name]
	return at, known
}

// calls calls tell for every program that a node of the syntax tree starts. ranges are the lists of the loops around
// the node.
func (p *source) calls(node ast.Node, ranges map[string]*ast.CompositeLit, tell func(program string)) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			inside := maps.Clone(ranges)
			if id, ok := n.Value.(*ast.Ident); ok {
				inside[id.Name] = p.list(n.X)
			}
			p.calls(n.Body, inside, tell)
			return false
		case *ast.CallExpr:
			for _, arg := range p.programs(n) {
				for _, program := range values(arg, ranges) {
					tell(program)
				}
			}
		}
		return true
	})
}

func (p *source) list(e ast.Expr) *ast.CompositeLit {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return e
	case *ast.Ident:
		return p.tables[e.Name]
	}
	return nil
}

// values returns the texts that an expression can have: a literal, or the elements of a list that a loop uses.
func values(e ast.Expr, ranges map[string]*ast.CompositeLit) (out []string) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return text(e)
	case *ast.Ident: // for _, x := range []string{...}
		if list := ranges[e.Name]; list != nil {
			for _, item := range list.Elts {
				out = append(out, text(item)...)
			}
		}
	case *ast.IndexExpr: // x[0] of [][]string{...}
		return column(e.X, 0, ranges)
	case *ast.SelectorExpr: // x.tool of []struct{tool, pkg string}{...}
		if id, ok := e.X.(*ast.Ident); ok {
			return column(e.X, field(ranges[id.Name], e.Sel.Name), ranges)
		}
	}
	return out
}

// column returns one member of every element of a list that a loop uses.
func column(x ast.Expr, at int, ranges map[string]*ast.CompositeLit) (out []string) {
	id, ok := x.(*ast.Ident)
	if !ok || ranges[id.Name] == nil || at < 0 {
		return nil
	}
	for _, item := range ranges[id.Name].Elts {
		if row, ok := item.(*ast.CompositeLit); ok && at < len(row.Elts) {
			out = append(out, text(row.Elts[at])...)
		}
	}
	return out
}

// field returns the index of a member in the elements of a list of structs.
func field(list *ast.CompositeLit, name string) int {
	if list == nil {
		return -1
	}
	array, ok := list.Type.(*ast.ArrayType)
	if !ok {
		return -1
	}
	item, ok := array.Elt.(*ast.StructType)
	if !ok {
		return -1
	}
	at := 0
	for _, f := range item.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}

func text(e ast.Expr) []string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return nil
	}
	return []string{value}
}
