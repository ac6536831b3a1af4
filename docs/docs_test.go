// Package docs_test compares the documentation with the code: its links must have targets, and the settings,
// parameters, commands and paths that it names must exist.
package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages returns all pages of Markdown for readers, by their paths relative to this directory.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "adr/*.md", "how-to/*.md", "reference/*.md", "explanation/*.md", "../*.md", "../vnfpkg/samples/*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			out[file] = page(t, file)
		}
	}
	return out
}

func page(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

var link = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)

func TestLinks_leadSomewhere(t *testing.T) {
	for file, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			to := file
			if target != "" {
				to = filepath.Join(filepath.Dir(file), target)
				assert.FileExists(t, existing(to), "%s links to %s", file, target)
			}
			if anchor != "" && strings.HasSuffix(to, ".md") {
				assert.Contains(t, anchors(page(t, to)), anchor, "%s links to %s#%s", file, target, anchor)
			}
		}
	}
}

// existing returns a file in the directory, so that a link to a directory is treated like a link to a file in it.
func existing(path string) string {
	if entries, err := os.ReadDir(path); err == nil && len(entries) > 0 {
		return filepath.Join(path, entries[0].Name())
	}
	return path
}

var (
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the ids that web sites give headings.
func anchors(text string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(notAnchors.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

// foreign are forbidden texts. They are composed of parts, so that this file does not contain them.
var foreign = []string{
	"/" + "work/", "/" + "root/", "proxy" + ".golang.org", "pypi" + ".org", "registry" + ".npmjs", "deb" + ".debian.org",
	"registry" + "-1.docker",
}

func TestPages_nameNothingOfOneMachine(t *testing.T) {
	for file, text := range pages(t) {
		for _, name := range foreign {
			assert.NotContains(t, text, name, file)
		}
	}
}

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

func TestPages_showJSONThatIsJSON(t *testing.T) {
	for file, text := range pages(t) {
		for _, m := range jsonBlock.FindAllStringSubmatch(text, -1) {
			assert.True(t, json.Valid([]byte(m[1])), "%s:\n%s", file, m[1])
		}
	}
}

var (
	extensionRoute = regexp.MustCompile(`rest\.(?:Get|Post|Put|Delete)\((?:opOcc ?\+ ?)?"(/[^"]*)"`)
	pathParameter  = regexp.MustCompile(`:(\w+)`)
)

func TestAPIExtensions_nameEveryRoute(t *testing.T) {
	text := page(t, "api-extensions.md")
	for _, file := range []string{"extensions/steps.go", "vnflcm/handler.go", "subscriptions/deadletters.go"} {
		routes := extensionRoute.FindAllStringSubmatch(page(t, "../apiserver/"+file), -1)
		require.NotEmpty(t, routes, file)
		for _, m := range routes {
			assert.Contains(t, text, pathParameter.ReplaceAllString(m[1], "{$1}")+"`", "api-extensions.md")
		}
	}
}

// row returns the line of a table whose first cell contains name in backquotes.
func row(text, name string) string {
	lines := strings.Split(text, "\n")
	i := slices.IndexFunc(lines, func(line string) bool {
		cells := strings.Split(line, "|")
		return len(cells) > 2 && strings.Contains(cells[1], "`"+name+"`")
	})
	if i < 0 {
		return ""
	}
	return lines[i]
}

var (
	// generated matches pages that code writes. Their lines are as long as their sentences.
	generated      = regexp.MustCompile(`This page is generated from the `)
	linkDefinition = regexp.MustCompile(`^\[[^\]]+\]: `)
)

// maxProse is the greatest number of columns in a line of prose, the same as in code.
const maxProse = 120

func TestPages_haveNoLongLinesOfProse(t *testing.T) {
	files := []string{"../README.md"}
	require.NoError(t, filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	}))
	require.Contains(t, files, "how-to/instantiate.md")
	for _, file := range files {
		text := page(t, file)
		if generated.MatchString(text) {
			continue
		}
		for n, line := range prose(text) {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), maxProse, "%s:%d: %s", file, n, line)
		}
	}
}

// prose returns the lines of a page by their numbers, without tables, code and definitions of links.
func prose(text string) map[int]string {
	out := map[int]string{}
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ") || linkDefinition.MatchString(line) {
			continue
		}
		out[i+1] = line
	}
	return out
}

func TestProse_isNeitherTableNorCode(t *testing.T) {
	text := "Prose\n\n    code\n| a | row |\n```console\n$ code\n```\n[a]: https://x.example\n* an item"
	assert.Equal(t, map[int]string{1: "Prose", 2: "", 9: "* an item"}, prose(text))
}

func TestTutorial_namesWhereToLook(t *testing.T) {
	text := page(t, "tutorial.md")
	for _, address := range []string{"`http://127.0.0.1:9890/ui`", "`http://127.0.0.1:9890/docs`", "how-to/web-page.md"} {
		require.Contains(t, text, address)
	}
}
