package vim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
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

// inNeutral calls visit with every file of the neutral folders that is not a test.
func inNeutral(t *testing.T, visit func(path string)) {
	t.Helper()
	for _, folder := range neutral {
		root := filepath.Join("..", "..", filepath.FromSlash(folder))
		require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"openstack", "apitest", "activitytest"}, d.Name()):
				return filepath.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				visit(path)
			}
			return nil
		}))
	}
}

// TestWordsOfOneVim_areBehindTheSeam checks that each VIM provides the words for its resources. Packages that serve all
// VIMs contain none.
func TestWordsOfOneVim_areBehindTheSeam(t *testing.T) {
	inNeutral(t, func(path string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), `"OS::`, path)
	})
}

// wordOfOneVim matches words that only OpenStack uses.
var wordOfOneVim = regexp.MustCompile(`(?i)\bstacks?\b|\bbase hot\b|\bheat\b|\bopenstack\b`)

// ofOneVim are folders whose sentences may be about one VIM, because their subject exists only there.
var ofOneVim = []string{"internal/lcm/", "internal/store/", "internal/vim/kubernetes/"}

// TestSentences_areOfNoVim checks that titles of steps and sentences do not name one VIM, because operators of VNFs on
// any VIM read them.
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

// sentences returns the strings of a file that have several words, and the texts in tags of parameters.
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
