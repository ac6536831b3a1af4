package vim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// neutral are the folders that serve VNFs on all VIMs.
var neutral = []string{
	"activities", "apiserver", "worker", "workflows", "internal/deployments", "internal/drift", "internal/driver",
	"internal/grants", "internal/lcm", "internal/lifecycle", "internal/operations", "internal/record", "internal/store",
	"internal/vim",
}

// inNeutral calls visit with every file of the neutral folders that is no test.
func inNeutral(t *testing.T, visit func(path string)) {
	t.Helper()
	for _, folder := range neutral {
		root := filepath.Join("..", "..", filepath.FromSlash(folder))
		require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "openstack" || d.Name() == "apitest"):
				return filepath.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				visit(path)
			}
			return nil
		}))
	}
}

// A VIM's words for its resources come from the VIM. Packages that serve all VIMs write none.
func TestWordsOfOneVim_areBehindTheSeam(t *testing.T) {
	inNeutral(t, func(path string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), `"OS::`, path)
	})
}

// wordOfOneVim is what only people of one VIM say.
var wordOfOneVim = regexp.MustCompile(`(?i)\bstacks?\b|\bbase hot\b|\bheat\b|\bopenstack\b`)

// ofOneVim are folders whose sentences may be of one VIM: what they are about is only there.
var ofOneVim = []string{"internal/lcm/", "internal/store/", "internal/vim/kubernetes/"}

// Titles of steps and sentences for operators are read for VNFs on any VIM.
func TestSentences_areOfNoVim(t *testing.T) {
	inNeutral(t, func(path string) {
		for _, folder := range ofOneVim {
			if strings.Contains(filepath.ToSlash(path), "/"+folder) {
				return
			}
		}
		for _, sentence := range sentences(t, path) {
			require.NotRegexp(t, wordOfOneVim, sentence, path)
		}
	})
}

// sentences are the strings of a file that have several words, with what tags of parameters say.
func sentences(t *testing.T, path string) (out []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	tags := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
				text, _ := strconv.Unquote(n.Tag.Value)
				if _, says, ok := strings.Cut(reflect.StructTag(text).Get("param"), "required="); ok {
					out = append(out, says)
				}
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && !tags[n] && err == nil && strings.Contains(strings.TrimSpace(text), " ") {
				out = append(out, text)
			}
		}
		return true
	})
	return out
}
