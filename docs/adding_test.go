package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAdding_listsEveryFileThatTheLastAdditionNeeded compares the lists of architecture.md with what the operation, the
// driver and the kind of VIMs that came last have in the product: a file that names one of them is in its list.
func TestAdding_listsEveryFileThatTheLastAdditionNeeded(t *testing.T) {
	for _, c := range []struct{ heading, named, folder string }{
		{"Adding an operation", `\bOpChangeFlavour\b|\bChangeFlavourRequest\b|\b[cC]hangeFlavour|\bWorkflowChangeFlavour\b|\bFlavourStart\b`, ""},
		{"Adding a driver", `internal/driver/nodeport"|\bNodePortDriver\b|\bDriverNodePort\b`, "internal/driver/nodeport/"},
		{"Adding a VIM", `internal/vim/kubernetes/(kind|login)"`, "internal/vim/kubernetes/"},
	} {
		listed := filesListed(t, c.heading)
		require.NotEmpty(t, listed, c.heading)
		named, found := regexp.MustCompile(c.named), 0
		for file, text := range product(t) {
			if !named.MatchString(text) || c.folder != "" && strings.HasPrefix(file, c.folder) {
				continue
			}
			found++
			assert.True(t, inList(file, listed), "%s: the list does not have %s", c.heading, file)
		}
		require.Positive(t, found, c.heading)
	}
}

// filesListed are the paths in the first column of the table below a heading, as patterns. NAME stands for any name.
func filesListed(t *testing.T, heading string) (patterns []string) {
	t.Helper()
	text, err := os.ReadFile("architecture.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	require.True(t, ok, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	quoted := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		dir := ""
		for _, m := range quoted.FindAllStringSubmatch(strings.Split(line, "|")[1], -1) {
			p := strings.ReplaceAll(m[1], "NAME", "*")
			if !strings.Contains(p, "/") {
				p = path.Join(dir, p)
			}
			dir = path.Dir(p)
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// inList tells whether a file is one of the patterns, or in a folder that is.
func inList(file string, patterns []string) bool {
	for _, p := range patterns {
		for at := file; at != "."; at = path.Dir(at) {
			if is, _ := path.Match(p, at); is {
				return true
			}
		}
	}
	return false
}

// product has the text of every Go file of the product, by its path; tests, their support and the lab are no part of it.
func product(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir("..", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(at, "../"))
		if d.IsDir() && (name == "tests" || name == "deployments/lab" || strings.HasPrefix(d.Name(), ".") && at != "..") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || supports.MatchString(name) {
			return nil
		}
		text, err := os.ReadFile(at)
		files[name] = string(text)
		return err
	})
	require.NoError(t, err)
	return files
}

// supports matches files that only tests import.
var supports = regexp.MustCompile(`(^|/)\w*test/`)
