package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	declared  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testNamed = regexp.MustCompile("`(Test\\w+\\*?)`")
	partNamed = regexp.MustCompile(`'((?:[^'|]|'s )+)'`)
	part      = regexp.MustCompile(`\{"([^"]+)", \w+\},`)
)

// TestSpecifications_haveAPageAndATestForEachLine checks that the tests on the page exist. Another test checks the links.
func TestSpecifications_haveAPageAndATestForEachLine(t *testing.T) {
	tests := testsOf(t, "..")
	source, err := os.ReadFile("../tests/suites/e2e/fake_test.go")
	require.NoError(t, err)
	parts := map[string]bool{}
	for _, m := range part.FindAllStringSubmatch(string(source), -1) {
		parts[m[1]] = true
	}
	rows := 0
	for line := range strings.Lines(page(t, "specifications.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 4 || strings.Contains(line, "---") || strings.HasPrefix(line, "| Line ") {
			continue
		}
		rows++
		named := testNamed.FindAllStringSubmatch(cells[3], -1)
		for _, m := range named {
			assert.True(t, exists(tests, m[1]), "%s: there is no test %s", cells[0], m[1])
		}
		scenarios := partNamed.FindAllStringSubmatch(cells[3], -1)
		for _, m := range scenarios {
			assert.True(t, parts[m[1]], "%s: TestOnFakeMachines has no part %q", cells[0], m[1])
		}
		assert.NotZero(t, len(named)+len(scenarios), "%s: no test", cells[0])
		assert.Contains(t, cells[2], ".md)", "%s: no page", cells[0])
		assert.Regexp(t, `^(as it stands|other: |in part: )`, cells[1], "%s: no verdict", cells[0])
	}
	require.Greater(t, rows, 120)
}

// exists tells whether there is a test of that name, or tests that begin as a name with an asterisk.
func exists(tests map[string]bool, name string) bool {
	beginning, many := strings.CutSuffix(name, "*")
	if !many {
		return tests[name]
	}
	for test := range tests {
		if strings.HasPrefix(test, beginning) {
			return true
		}
	}
	return false
}

// testsOf returns the names of all tests below a directory.
func testsOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	return tests
}
