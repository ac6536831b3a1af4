// Package ui is the web page of Windlass, below /ui: static files in the binary, the settings that the page needs
// before its reader has logged in, and the ways to log in. The page reads everything else from the API, with its
// reader's credentials.
package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

//go:embed static
var static embed.FS

// ContentSecurityPolicy lets the page use its own files and its own server, and nothing else, because the page may show
// text from strangers. No such text becomes markup or code: a script that tries this ends with an error.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Handler serves the page.
type Handler struct {
	Settings Settings
	// Keystone takes a user's password, Issuer an authorization code; nil turns the way off.
	Keystone Passwords
	Issuer   Codes
	// Guesses is the middleware before each attempt to log in.
	Guesses echo.MiddlewareFunc
}

// Routes are the routes of the page and of its logins.
func (h *Handler) Routes() []rest.Route {
	guesses := h.Guesses
	if guesses == nil {
		guesses = func(next echo.HandlerFunc) echo.HandlerFunc { return next }
	}
	return []rest.Route{
		rest.Get("/ui", lead),
		rest.Get("/ui/", serveFile),
		rest.Get("/ui/*", serveFile),
		rest.Get("/windlass/v1/login", h.readSettings),
		rest.Post("/windlass/v1/login/password", guesses(h.logIn)),
		rest.Post("/windlass/v1/login/code", guesses(h.redeem)),
	}
}

// Lead sends a browser to the page. The location is relative, so a prefix before the API stays.
func Lead(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "ui/") }

func lead(c echo.Context) error { return Lead(c) }

// file is a file of the page.
type file struct {
	content   []byte
	mediaType string
	tag       string
}

// files are the page's, by their path; the page itself is "".
var files = sync.OnceValue(func() map[string]file {
	out := map[string]file{}
	_ = fs.WalkDir(static, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := static.ReadFile(name)
		sum := sha256.Sum256(content)
		f := file{content, typeOf(name), `"` + hex.EncodeToString(sum[:8]) + `"`}
		if short := name[len("static/"):]; short == "index.html" {
			out[""] = f
		} else {
			out[short] = f
		}
		return err
	})
	return out
})

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

// serveFile answers with a file of the page. A browser asks each time whether it has changed: page and scripts of two
// releases do not fit together.
func serveFile(c echo.Context) error {
	f, ok := files()[c.Param("*")]
	if !ok {
		return echo.ErrNotFound
	}
	header := c.Response().Header()
	Protect(header)
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", f.tag)
	if c.Request().Header.Get("If-None-Match") == f.tag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, f.mediaType, f.content)
}

// Protect sets the headers that keep a page from being used by others, and from using others.
func Protect(header http.Header) {
	header.Set("Content-Security-Policy", ContentSecurityPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}
