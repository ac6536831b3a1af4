package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command is a command of a program, read from its source: the programs are main packages, which no test can import,
// and to start them for every line would take too long.
type command struct {
	subs  map[string]*command
	flags map[string]bool
}

// program reads the commands of the main package in dir: functions new... that make a cobra.Command, add flags to
// it and call each other.
func program(t *testing.T, dir string) *command {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	r := &reader{functions: map[string]*ast.FuncDecl{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			// A method may have the same name as a function; the function makes the command.
			if f, ok := d.(*ast.FuncDecl); ok && (f.Recv == nil || r.functions[f.Name.Name] == nil) {
				r.functions[f.Name.Name] = f
			}
		}
	}
	_, root := r.command("newRoot", nil)
	require.NotNil(t, root)
	return root
}

type reader struct{ functions map[string]*ast.FuncDecl }

// command reads the function with this name. It returns "" if the function makes no command.
func (r *reader) command(name string, args []ast.Expr) (string, *command) {
	f := r.functions[name]
	if f == nil || !strings.HasPrefix(name, "new") || f.Body == nil {
		return "", nil
	}
	c := &command{subs: map[string]*command{}, flags: map[string]bool{"help": true}}
	use := ""
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Use" && use == "" {
				use = useOf(n.Value, args)
			}
		case *ast.CallExpr:
			r.call(c, n)
		}
		return true
	})
	return use, c
}

// useOf returns the first word of a command's Use. If Use is computed, the word is the action among the arguments.
func useOf(value ast.Expr, args []ast.Expr) string {
	if text, ok := value.(*ast.BasicLit); ok {
		words, _ := strconv.Unquote(text.Value)
		word, _, _ := strings.Cut(words, " ")
		return word
	}
	for _, arg := range args {
		if s, ok := arg.(*ast.SelectorExpr); ok {
			return strings.ToLower(s.Sel.Name)
		}
	}
	return ""
}

// call adds to the command what a call adds: a subcommand, or flags.
func (r *reader) call(c *command, call *ast.CallExpr) {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if use, sub := r.command(fun.Name, call.Args); use != "" {
			c.subs[use] = sub
		} else if f := r.functions[fun.Name]; f != nil && (strings.HasPrefix(fun.Name, "add") || takesCommand(call)) {
			r.flagsIn(c, f)
		}
	case *ast.SelectorExpr:
		flagOf(c, fun, call)
		if f := r.functions[fun.Sel.Name]; f != nil && strings.Contains(strings.ToLower(fun.Sel.Name), "flags") {
			r.flagsIn(c, f)
		}
	}
}

// takesCommand reports whether a function gets the command, to complete it.
func takesCommand(call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	first, ok := call.Args[0].(*ast.Ident)
	return ok && first.Name == "cmd"
}

func (r *reader) flagsIn(c *command, f *ast.FuncDecl) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fun, ok := call.Fun.(*ast.SelectorExpr); ok {
				flagOf(c, fun, call)
				if nested := r.functions[fun.Sel.Name]; nested != nil && nested != f && strings.HasSuffix(fun.Sel.Name, "Flags") {
					r.flagsIn(c, nested)
				}
			}
		}
		return true
	})
}

// flagOf adds the flag of flags.StringVar(&v, "name", ...), or for config.AddFlags all settings.
func flagOf(c *command, fun *ast.SelectorExpr, call *ast.CallExpr) {
	if pkg, ok := fun.X.(*ast.Ident); ok && pkg.Name == "config" && fun.Sel.Name == "AddFlags" {
		settings().VisitAll(func(f *pflag.Flag) { c.flags[f.Name] = true })
	}
	if !strings.Contains(fun.Sel.Name, "Var") || len(call.Args) < 3 {
		return
	}
	if text, ok := call.Args[1].(*ast.BasicLit); ok {
		name, _ := strconv.Unquote(text.Value)
		c.flags[name] = true
	}
}

var (
	inline = regexp.MustCompile("`([^`\n]+)`")
	// commandLine matches a command line: the program after a prompt, variables and the directory of binaries.
	commandLine = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:bin/)?(windlass|windlass-lab) (.*)$`)
	subcommand  = regexp.MustCompile(`^[a-z]+$`)
	longFlag    = regexp.MustCompile(`(?:^|\s)--([a-z0-9][a-z0-9-]*)`)
)

// commandLines finds the command lines in code, in the text and in blocks.
func commandLines(text string) [][]string {
	var out [][]string
	candidates := []string{}
	for line := range strings.Lines(text) {
		candidates = append(candidates, strings.TrimSpace(line))
		for _, m := range inline.FindAllStringSubmatch(line, -1) {
			candidates = append(candidates, m[1])
		}
	}
	for _, c := range candidates {
		if m := commandLine.FindStringSubmatch(c); m != nil && !strings.Contains(m[2], "`") {
			rest, _, _ := strings.Cut(m[2], " # ")
			out = append(out, []string{m[1], strings.TrimSpace(rest)})
		}
	}
	return out
}

func TestPages_showCommandsThatExist(t *testing.T) {
	programs := map[string]*command{
		"windlass": program(t, "../cmd/windlass"), "windlass-lab": program(t, "../deployments/lab"),
	}
	require.Contains(t, programs["windlass"].subs["op"].subs, "retry")
	require.Contains(t, programs["windlass"].subs["vnf"].subs["instantiate"].flags, "watch")
	seen := 0
	for file, text := range pages(t) {
		if file == "../CHANGELOG.md" {
			continue // it names commands that no longer exist, and former messages
		}
		for _, line := range commandLines(text) {
			words := strings.Fields(line[1])
			if !subcommand.MatchString(words[0]) || strings.Contains(line[1], "  ") && !strings.HasPrefix(words[0], "-") &&
				programs[line[0]].subs[words[0]] == nil {
				continue // it is prose that begins with the program's name
			}
			c, flags := programs[line[0]], map[string]bool{}
			maps.Copy(flags, c.flags)
			for _, word := range words {
				if len(c.subs) == 0 {
					break
				}
				sub := c.subs[word]
				if !assert.NotNil(t, sub, "%s: %s %s: there is no %q", file, line[0], line[1], word) {
					break
				}
				c = sub
				maps.Copy(flags, c.flags)
			}
			for _, m := range longFlag.FindAllStringSubmatch(line[1], -1) {
				assert.True(t, flags[m[1]], "%s: %s %s: there is no --%s", file, line[0], line[1], m[1])
			}
			seen++
		}
	}
	assert.Greater(t, seen, 30)
}
