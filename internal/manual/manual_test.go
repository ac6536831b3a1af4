package manual

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func render(t *testing.T, pages map[string]string) map[string][]byte {
	t.Helper()
	source := fstest.MapFS{}
	for name, text := range pages {
		source[name] = &fstest.MapFile{Data: []byte(text)}
	}
	files, err := Render(source, Options{
		Address: func(name string) string { return strings.Replace(name, ".md", ".page", 1) },
		Links:   []Link{{Text: "API", Href: "api"}},
	})
	require.NoError(t, err)
	return files
}

func TestRender_followsLinksBetweenPages(t *testing.T) {
	files := render(t, map[string]string{
		"README.md": "# Contents\n[a](how-to/a.md#two-words) [all](how-to) [text](notes.txt) [code](../main.go) [web](https://x.example/y.md)",
		"how-to/a.md": "# A\n\n## Two words\n[back](../README.md)\n\n## Two words\n\n" +
			"## `--plan`: \"what\", and why?\n",
		"notes.txt": "notes", "page.go": "package page",
	})
	contents := string(files["README.page"])
	for _, want := range []string{
		`href="how-to/a.page#two-words"`, `href="how-to/a.page">all`, `href="notes.txt"`, ` code `, `href="https://x.example/y.md"`,
		`<a href="api">API</a>`, `href="style.css"`, `<title>Contents · Windlass</title>`,
	} {
		require.Contains(t, contents, want)
	}
	require.NotContains(t, contents, "main.go")
	a := string(files["how-to/a.page"])
	for _, want := range []string{
		`<h2 id="two-words">`, `<h2 id="two-words-1">`, `<h2 id="--plan-what-and-why">`, `href="../README.page"`,
		`href="../style.css"`, `href="../api"`, `data-root="../"`,
	} {
		require.Contains(t, a, want)
	}
	require.NotContains(t, files, "page.go")
	require.Equal(t, "notes", string(files["notes.txt"]))
}

func TestRender_leavesHTMLOut(t *testing.T) {
	files := render(t, map[string]string{"README.md": "# A <b>\n\n<script>alert(1)</script>\n\n```html\n<script>\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"})
	page := string(files["README.page"])
	require.NotContains(t, page, "alert")
	require.Contains(t, page, "&lt;script&gt;", "code is shown")
	require.Contains(t, page, "<td>1</td>")
	require.NotContains(t, page, "style=")
	require.Contains(t, string(files["search-index.js"]), `"page":"README.page"`)
}
