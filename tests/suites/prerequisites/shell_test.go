package prerequisites

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// inShell finds the programs that scripts call. It leaves out functions of any of the scripts, because scripts include
// others.
func inShell(t *testing.T, scripts map[string]string) uses {
	t.Helper()
	parsed := map[string]*syntax.File{}
	own := map[string]bool{}
	for place, code := range scripts {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(code), place)
		require.NoError(t, err, place)
		parsed[place] = file
		syntax.Walk(file, func(n syntax.Node) bool {
			if f, ok := n.(*syntax.FuncDecl); ok {
				own[f.Name.Value] = true
			}
			return true
		})
	}
	found := uses{}
	for place, file := range parsed {
		syntax.Walk(file, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok {
				for _, program := range started(call) {
					if !own[program] && !slices.Contains(builtins, program) {
						found.add(program, place)
					}
				}
			}
			return true
		})
	}
	return found
}

// started returns the program of a command, and the program that this one starts, if any.
func started(call *syntax.CallExpr) (out []string) {
	var words []string
	for _, word := range call.Args {
		words = append(words, word.Lit()) // "" if the word contains an expansion
	}
	for len(words) > 0 {
		out = append(out, words[0])
		if !slices.Contains(starting, words[0]) {
			break
		}
		words = words[1:]
		for len(words) > 0 && (words[0] == "" || strings.ContainsAny(words[0], "=/") || notProgram.MatchString(words[0])) {
			words = words[1:]
		}
	}
	return out
}

var (
	builtins = strings.Fields(`. : [ break cd command compgen continue declare disown echo eval exec exit export false getopts hash help jobs kill let
		local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test times trap true type ulimit umask unset wait`)
	// starting are programs that start another program.
	starting   = strings.Fields("command env exec nice nohup setsid sudo timeout xargs")
	notProgram = regexp.MustCompile(`^(-.*|[0-9]+[smh]?)$`)
)

// scriptsOf reads scripts, by their paths in the repository.
func scriptsOf(t *testing.T, root string, patterns ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			place, err := filepath.Rel(root, file)
			require.NoError(t, err)
			out[place] = string(code)
		}
	}
	return out
}

// template matches the templates that the task runner replaces before the shell reads a command.
var template = regexp.MustCompile(`\{\{.*?\}\}`)

// tasksOf returns the commands of the tasks, by the names of the tasks.
func tasksOf(t *testing.T, root string) map[string]string {
	t.Helper()
	tasks, vars := taskfile(t, root)
	// A template inside a template produces braces.
	braces := strings.NewReplacer(`{{ "{{" }}`, "", `{{ "}}" }}`, "")
	fill := func(command string) string {
		for name, value := range vars {
			command = strings.ReplaceAll(command, "{{."+name+"}}", braces.Replace(value))
		}
		return template.ReplaceAllString(command, "filled-in")
	}
	out := map[string]string{}
	for name, task := range tasks {
		var lines []string
		for _, line := range task.commands() {
			lines = append(lines, fill(line))
		}
		out["task "+name] = strings.Join(lines, "\n")
	}
	require.NotEmpty(t, out["task test:unit"])
	return out
}
