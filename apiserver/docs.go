package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/docs"
	"github.com/windlass-nfv/windlass/internal/manual"
)

// docsRoutes serve the documentation. Its pages keep the names of their Markdown files, because errors link to them.
func (s *Server) docsRoutes() []rest.Route {
	return []rest.Route{
		rest.Get("/docs", func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "docs/README.md") }),
		rest.Get("/docs/", serveDocs),
		rest.Get("/docs/*", serveDocs),
	}
}

// renderedDocs are the documentation's files by their paths. They are rendered when somebody first asks for one.
var renderedDocs = sync.OnceValues(func() (map[string][]byte, error) {
	return manual.Render(docs.Pages, manual.Options{
		Address: func(name string) string { return name },
		Links:   []manual.Link{{Text: "API", Href: "api"}, {Text: "Web page", Href: "../ui/"}},
	})
})

// serveDocs answers with a file of the documentation, or of the page that describes the API.
func serveDocs(c echo.Context) error {
	name := c.Param("*")
	rendered, err := renderedDocs()
	if err != nil {
		return err
	}
	content, ok := rendered[name]
	switch {
	case !ok && rendered[name+"README.md"] != nil: // a folder, with its slash
		return c.Redirect(http.StatusSeeOther, "README.md")
	case !ok:
		return showPage(c, name)
	}
	ui.Protect(c.Response().Header())
	if path.Ext(name) != ".md" {
		return answerDocs(c, docsTypes[path.Ext(name)], content)
	}
	c.Response().Header().Set("Vary", "Accept")
	mediaType := typeOfDocsPage(c)
	if mediaType != docsTypes[".md"] {
		if content, err = fs.ReadFile(docs.Pages, name); err != nil {
			return err
		}
	}
	return answerDocs(c, mediaType, content)
}

// docsTypes are the media types of the files, by the ends of their names.
var docsTypes = map[string]string{
	".md":  "text/html; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".png": "image/png",
}

// typeOfDocsPage returns the type in which the client gets a page: HTML, if it does not ask for Markdown or plain text
// by name. Browsers ask for HTML by name. A client that takes every type gets HTML, too.
func typeOfDocsPage(c echo.Context) string {
	header := strings.Join(c.Request().Header.Values("Accept"), ",")
	if strings.Contains(header, "text/html") && rest.Accepts(c, "text/html") {
		return docsTypes[".md"]
	}
	for _, plain := range []string{"text/markdown", "text/plain"} {
		if strings.Contains(header, plain) && rest.Accepts(c, plain) {
			return plain + "; charset=utf-8"
		}
	}
	return docsTypes[".md"]
}

// answerDocs writes a file. A browser asks each time whether it has changed, as for the web page: another release has
// other pages.
func answerDocs(c echo.Context, mediaType string, content []byte) error {
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	c.Response().Header().Set("Cache-Control", "no-cache")
	c.Response().Header().Set("ETag", tag)
	if c.Request().Header.Get("If-None-Match") == tag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, mediaType, content)
}
