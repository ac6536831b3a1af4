// Package ui is the web page of Windlass, below /ui: static files in the binary, the settings that the page needs
// before its reader has logged in, and the ways to log in. The page reads everything else from the API, with its
// reader's credentials.
package ui

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

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

// Protect sets the headers that keep a page from being used by others, and from using others.
func Protect(header http.Header) {
	header.Set("Content-Security-Policy", ContentSecurityPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}
