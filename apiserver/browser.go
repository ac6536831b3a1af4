package apiserver

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

// A browser sends requests for whatever page it shows, to whatever address the page names. Where clients need show
// nothing, or show a certificate that the browser adds by itself, such a page could do everything that its reader may
// do. It cannot set headers, though, without asking first, and the browser tells for which page it sends a request.

// keepPagesOut refuses requests that a browser sends for somebody else's page.
func (s *Server) keepPagesOut(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !s.pagesMayCome(r) || c.Path() == "/healthz" || c.Path() == "/readyz" {
			return next(c)
		}
		if s.Auth == nil && !s.knownHost(r.Host) {
			return rest.HTTPErrorf(http.StatusForbidden,
				"This server is not known as %q. Use its address, %s, or let its operator add the name to api.allowedHosts.",
				rest.Clip(r.Host, 100), hostOf(s.base))
		}
		if !s.ownPage(c) {
			return rest.HTTPErrorf(http.StatusForbidden, "A page of another origin (%s) may not use this server.",
				rest.Clip(strings.Join(r.Header["Origin"], " "), 100))
		}
		if media := mediaType(r); hasBody(r) && r.Method == http.MethodPost && slices.Contains(mimeOfForms, media) {
			return rest.HTTPErrorf(http.StatusUnsupportedMediaType, "The body must have a Content-Type, as a rule %s, not %q.",
				rest.MimeJSON, media)
		}
		return next(c)
	}
}

// pagesMayCome tells whether a page could do something with this request: its browser knows no token.
func (s *Server) pagesMayCome(r *http.Request) bool {
	if s.Auth == nil {
		return true
	}
	return s.Security.Certificates && r.Header.Get("Authorization") == "" && r.Header.Get("X-Auth-Token") == ""
}

// mimeOfForms are the types of bodies that any page may send without asking; "" is one without a type.
var mimeOfForms = []string{"", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded"}

func mediaType(r *http.Request) string {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media
}

// hasBody tells whether there may be a body: of one in chunks the length is not known.
func hasBody(r *http.Request) bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// knownHost tells whether the server goes by the name that the client has used. A page can have a name of its own lead
// to this host (DNS rebinding), and is then of the same origin as this server; it can do so with no address.
func (s *Server) knownHost(given string) bool {
	host := hostname(given)
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	known := []string{hostname(hostOf(s.base)), hostname(s.Listen)}
	return host != "" && (slices.Contains(known, host) || slices.Contains(s.AllowedHosts, host))
}

// hostname is the name of a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// hostOf is the host, with its port, of a URL; "" of what is none.
func hostOf(absolute string) string {
	u, err := url.Parse(absolute)
	if err != nil {
		return ""
	}
	return u.Host
}

// ownPage tells whether a request is of no page, of one of this server's, or of one that its operator trusts. Old
// browsers, and all where the server has no TLS and is not on loopback, send no Sec-Fetch headers; Origin they send
// with all but plain GETs.
func (s *Server) ownPage(c echo.Context) bool {
	r := c.Request()
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		if s.trusts(origin, c.Path(), r) {
			return true
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "":
		return len(origins) == 0
	case "same-origin", "none":
		return true
	default: // a link to this server, followed by a person, may be on any page
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		return read && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	}
}

// trusts tells whether pages of an origin may use a route. A page that came without TLS may be of anybody between its
// reader and the host that it names: a request that comes with TLS is not one of this server's own pages then.
func (s *Server) trusts(origin, path string, r *http.Request) bool {
	if strings.HasPrefix(path, codecPath) && slices.Contains(s.CodecOrigins, origin) {
		return true
	}
	if r.TLS != nil && !strings.HasPrefix(strings.ToLower(origin), "https://") {
		return false
	}
	of := hostOf(origin) // "null", of a page in a sandbox, has none
	return of != "" && (strings.EqualFold(of, r.Host) || strings.EqualFold(of, hostOf(s.base)))
}
