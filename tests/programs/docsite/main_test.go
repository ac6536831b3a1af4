package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	href = regexp.MustCompile(`href="([^"#]*)(?:#([^"]*))?"`)
	ids  = regexp.MustCompile(`id="([^"]+)"`)
)

func TestBuild_everyLinkLeadsSomewhere(t *testing.T) {
	out := t.TempDir()
	pages, err := build("../../../docs", out)
	require.NoError(t, err)
	require.Greater(t, pages, 60)
	html := map[string]string{}
	require.NoError(t, filepath.WalkDir(out, func(file string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		text, err := os.ReadFile(file)
		name, _ := filepath.Rel(out, file)
		html[filepath.ToSlash(name)] = string(text)
		return err
	}))
	for name, text := range html {
		for _, m := range href.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasSuffix(m[1], ".css") {
				continue
			}
			to := name
			if m[1] != "" {
				to = path.Join(path.Dir(name), m[1])
			}
			if path.Ext(to) != ".html" {
				assert.FileExists(t, filepath.Join(out, to), "%s links to %s", name, m[1])
				continue
			}
			if !assert.Contains(t, html, to, "%s links to %s", name, m[1]) || m[2] == "" {
				continue
			}
			assert.Contains(t, html[to], `id="`+m[2]+`"`, "%s links to %s#%s", name, m[1], m[2])
		}
	}
	require.NotEmpty(t, ids.FindAllString(html["tutorial.html"], -1))
}

func TestBuild_hasWhatASearchFinds(t *testing.T) {
	out := t.TempDir()
	_, err := build("../../../docs", out)
	require.NoError(t, err)
	index, err := os.ReadFile(filepath.Join(out, "search-index.js"))
	require.NoError(t, err)
	require.Contains(t, string(index), `"page":"troubleshooting.html","title":"Exhausted","anchor":"exhausted"`)
	require.Contains(t, string(index), "instantiate-registry.json", "code is found, too")
	for _, file := range []string{"search.js", "style.css", "index.html", "how-to/index.html", "images/temporal-operation.png"} {
		require.FileExists(t, filepath.Join(out, file))
	}
}
