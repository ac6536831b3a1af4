package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var quoted = regexp.MustCompile("`([^` ]+)`")

// programs are names in the map of the code that are not files.
var programs = []string{"windlass-lab", "tctl"}

// codeMap reads the map of the code. It returns the names in each row by the folders in the row's first cell. Names in
// the second cell are relative to these folders, or are paths from the root.
func codeMap(t *testing.T) map[string][]string {
	t.Helper()
	_, text, found := strings.Cut(page(t, "architecture.md"), "\n## Map of the code\n")
	require.True(t, found)
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		cells := strings.SplitN(line, "|", 3)
		if len(cells) < 3 {
			continue
		}
		for _, folder := range quoted.FindAllStringSubmatch(cells[1], -1) {
			names := []string{}
			for _, name := range quoted.FindAllStringSubmatch(cells[2], -1) {
				names = append(names, name[1])
			}
			out[folder[1]] = names
		}
	}
	require.Greater(t, len(out), 20)
	return out
}

// goPackages returns the folders of the repository that contain Go code.
func goPackages(t *testing.T) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "testdata" || path != ".." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".go" {
			out = append(out, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../")))
		}
		return err
	}))
	slices.Sort(out)
	return slices.Compact(out)
}

func TestMap_namesEveryPackage(t *testing.T) {
	folders := codeMap(t)
	for _, pkg := range goPackages(t) {
		assert.True(t, named(folders, pkg), "The map of the code in architecture.md does not name the package %s.", pkg)
	}
}

// named reports whether a folder has a row, or is named in the row of a parent folder.
func named(folders map[string][]string, pkg string) bool {
	if _, ok := folders[pkg]; ok {
		return true
	}
	for above := filepath.Dir(pkg); above != "."; above = filepath.Dir(above) {
		if slices.Contains(folders[above], strings.TrimPrefix(pkg, above+"/")) {
			return true
		}
	}
	return false
}

func TestMap_namesNothingThatIsNotThere(t *testing.T) {
	for folder, names := range codeMap(t) {
		assert.DirExists(t, filepath.Join("..", folder), "the map of the code")
		for _, name := range names {
			there := slices.Contains(programs, name)
			for _, place := range []string{filepath.Join("..", folder, name), filepath.Join("..", name)} {
				_, err := os.Stat(place)
				there = there || err == nil
			}
			assert.True(t, there, "The map of the code in architecture.md names %s in the row of %s.", name, folder)
		}
	}
}
