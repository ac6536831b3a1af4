package ui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

//go:embed static
var static embed.FS

// file is a file of the page.
type file struct {
	content   []byte
	mediaType string
	tag       string
}

func newFile(name string, content []byte) file {
	sum := sha256.Sum256(content)
	return file{content, typeOf(name), `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// site is the page and its files. Browsers load the files from a folder whose name changes with any of them, so they
// keep them for good and ask for the page only: page and scripts of two releases do not fit together.
type site struct {
	page   file
	files  map[string]file
	folder string
}

var theSite = sync.OnceValue(func() site {
	s := site{files: map[string]file{}}
	all := sha256.New()
	entries, _ := fs.ReadDir(static, "static") // sorted by name
	for _, entry := range entries {
		content, _ := static.ReadFile("static/" + entry.Name())
		content = bytes.Replace(content, []byte(noOperations), []byte(operations()), 1)
		fmt.Fprintf(all, "%s %d\n%s", entry.Name(), len(content), content)
		s.files[entry.Name()] = newFile(entry.Name(), content)
	}
	s.folder = hex.EncodeToString(all.Sum(nil)[:8])
	s.page = newFile(pageName, s.inFolder(s.files[pageName].content))
	delete(s.files, pageName)
	return s
})

const pageName = "index.html"

// noOperations is a line of format.js. It gets the titles of the operations.
const noOperations = "const operations = {};"

func operations() string {
	titles := map[lcm.Operation]string{}
	for _, t := range lcm.Operations {
		if t.Supported() {
			titles[t.Name] = t.Title
		}
	}
	doc, _ := json.Marshal(titles) // texts only
	return "const operations = " + string(doc) + ";"
}

// inFolder lets the page load its files from the folder. The page names the modules that it always needs, so that a
// browser need not read one module to find the next. It loads other modules, import('./NAME'), when it needs them.
func (s site) inFolder(page []byte) []byte {
	var modules []string
	for name := range s.needed("main.js", map[string]bool{}) {
		modules = append(modules, `<link rel="modulepreload" href="`+name+`">`)
	}
	slices.Sort(modules)
	page = bytes.Replace(page, []byte("<script "), []byte(strings.Join(modules, "\n")+"\n<script "), 1)
	for name := range s.files {
		for _, attribute := range []string{"href", "src"} {
			page = bytes.ReplaceAll(page, []byte(attribute+`="`+name+`"`), []byte(attribute+`="`+s.folder+"/"+name+`"`))
		}
	}
	return page
}

// imported finds what a module imports before it runs.
var imported = regexp.MustCompile(`(?m)^import .*'\./([^']+)';$`)

// needed adds a module and all modules that it imports to seen.
func (s site) needed(module string, seen map[string]bool) map[string]bool {
	if seen[module] {
		return seen
	}
	seen[module] = true
	for _, m := range imported.FindAllSubmatch(s.files[module].content, -1) {
		s.needed(string(m[1]), seen)
	}
	return seen
}

// find finds a file by its path. lasting tells whether there will never be another one at that path. A page of another
// release, which another API server has sent, gets the file of this release.
func (s site) find(name string) (found file, lasting, ok bool) {
	if name == "" {
		return s.page, false, true
	}
	folder, base, in := strings.Cut(name, "/")
	if !in {
		folder, base = "", name
	}
	found, ok = s.files[base]
	return found, folder == s.folder, ok
}

// typeOf is the media type of a file. The host's own list of types is not asked: it may have others.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return mime.TypeByExtension(".html")
	}
}

// serveFile answers with the page, or with a file of the page.
func serveFile(c echo.Context) error {
	f, lasting, ok := theSite().find(c.Param("*"))
	if !ok {
		return echo.ErrNotFound
	}
	header := c.Response().Header()
	Protect(header)
	header.Set("Cache-Control", "no-cache")
	if lasting {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	header.Set("ETag", f.tag)
	if c.Request().Header.Get("If-None-Match") == f.tag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, f.mediaType, f.content)
}
