package apiserver_test

import (
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/docs"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

var linkOfDocs = regexp.MustCompile(`(?:href|src)="([^"#]*)(?:#([^"]*))?"`)

// TestDocs_everyLinkLeadsSomewhere follows the links of every page, as a browser does, and looks for their anchors.
func TestDocs_everyLinkLeadsSomewhere(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth) // the pages need no credentials
	pages := readDocs(t, b)
	require.Greater(t, len(pages), 60)
	files := map[string]bool{}
	for name, text := range pages {
		for _, m := range linkOfDocs.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to := name
			if m[1] != "" {
				to = path.Join(path.Dir(name), m[1])
			}
			if path.Ext(to) != ".md" {
				files[to] = true
				continue
			}
			if !assert.Contains(t, pages, to, "%s links to %s", name, m[0]) || m[2] == "" {
				continue
			}
			assert.Contains(t, pages[to], `id="`+m[2]+`"`, "%s links to %s", name, m[0])
		}
	}
	for _, file := range []string{"images/ui-operation.png", "style.css", "search.js", "search-index.js", "api"} {
		require.Contains(t, files, file)
	}
	delete(files, "../ui")
	for file := range files {
		require.Equal(t, http.StatusOK, b.Do("GET", "/docs/"+file, nil).Status, file)
	}
}

// readDocs reads all pages of the documentation from the server.
func readDocs(t *testing.T, b *servertest.Bench) map[string]string {
	t.Helper()
	pages := map[string]string{}
	require.NoError(t, fs.WalkDir(docs.Pages, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		a := b.Do("GET", "/docs/"+name, nil)
		require.Equal(t, http.StatusOK, a.Status, name)
		require.Equal(t, "text/html; charset=utf-8", a.Header.Get("Content-Type"))
		require.Equal(t, ui.ContentSecurityPolicy, a.Header.Get("Content-Security-Policy"))
		require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
		require.NotRegexp(t, `<script>|<style|\sstyle=|<[^>]*\son\w+=|src="https?:|<link[^>]*https?:`, string(a.Body), name)
		pages[name] = string(a.Body)
		return nil
	}))
	return pages
}

func TestDocs_errorsLeadToTheirHeading(t *testing.T) {
	b := servertest.New(t)
	types := []string{problem.TypeOfHTTP}
	for _, kind := range []lcm.ErrorKind{
		lcm.KindInvalid, lcm.KindNotFound, lcm.KindConflict, lcm.KindDenied, lcm.KindExhausted, lcm.KindUnavailable,
		lcm.KindBroken, lcm.KindBug,
	} {
		types = append(types, problem.TypeOf(kind))
	}
	for _, typ := range types {
		address, anchor, _ := strings.Cut(typ, "#")
		page := b.Do("GET", address, nil, "Accept: text/html,*/*;q=0.8")
		require.Regexp(t, `<h\d id="`+anchor+`">`, string(page.Body), typ)
	}
}

func TestDocs_areMarkdownForWhoAsksForIt(t *testing.T) {
	b := servertest.New(t)
	const address = "/docs/how-to/drift.md"
	source, err := docs.Pages.ReadFile("how-to/drift.md")
	require.NoError(t, err)
	for accept, want := range map[string]string{
		"text/markdown":                  "text/markdown; charset=utf-8",
		"text/plain, */*;q=0.1":          "text/plain; charset=utf-8",
		"text/plain;q=0, text/markdown":  "text/markdown; charset=utf-8",
		"text/html, text/plain;q=0.5":    "text/html; charset=utf-8",
		"*/*":                            "text/html; charset=utf-8",
		"text/markdown;q=0, text/html":   "text/html; charset=utf-8",
		"text/html;q=0, text/plain;q=.2": "text/plain; charset=utf-8",
	} {
		a := b.Do("GET", address, nil, "Accept: "+accept)
		require.Equal(t, http.StatusOK, a.Status, accept)
		require.Equal(t, want, a.Header.Get("Content-Type"), accept)
		require.Equal(t, "Accept", a.Header.Get("Vary"))
		require.Equal(t, !strings.HasPrefix(want, "text/html"), string(a.Body) == string(source), accept)
		unchanged := b.Do("GET", address, nil, "Accept: "+accept, "If-None-Match: "+a.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, unchanged.Status)
	}
}

func TestDocs_beginWithTheirContents(t *testing.T) {
	b := servertest.New(t)
	for address, first := range map[string]string{"/docs": "docs/README.md", "/docs/": "README.md", "/docs/how-to/": "README.md"} {
		a := b.Do("GET", address, nil)
		require.Equal(t, http.StatusSeeOther, a.Status, address)
		require.Equal(t, first, a.Header.Get("Location"), address)
	}
	for _, absent := range []string{"/docs/adr/", "/docs/docs.go", "/docs/..%2fdocs%2fREADME.md", "/docs/nothing.md"} {
		b.Do("GET", absent, nil).Problem(http.StatusNotFound)
	}
}
