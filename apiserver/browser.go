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

// A browser sends requests for any page that it shows, to any address that the page names. If clients need no
// credentials, or the browser adds a certificate by itself, such a page could do everything that its reader may do. The
// page cannot set headers, though, unless the server agrees first; and the browser tells which page sends a request.

// keepPagesOut refuses requests that a browser sends for a page of another server.
func (s *Server) keepPagesOut(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !s.pagesMayCome(r) || c.Path() == "/healthz" || c.Path() == "/readyz" {
			return next(c)
		}
		if s.Auth == nil && !s.knownHost(r.Host) {
			return rest.HTTPErrorf(http.StatusForbidden, "This server does not accept the host name %q. Use its "+
				"address, %s, or ask its operator to add the name to api.allowedHosts.", rest.Clip(r.Host, 100),
				hostOf(s.base))
		}
		if !s.ownPage(c) {
			return rest.HTTPErrorf(http.StatusForbidden, "A page of another origin (%s) may not use this server.",
				rest.Clip(strings.Join(r.Header["Origin"], " "), 100))
		}
		if media := mediaType(r); hasBody(r) && r.Method == http.MethodPost && slices.Contains(mimeOfForms, media) {
			return rest.HTTPErrorf(http.StatusUnsupportedMediaType, "The body must have a Content-Type, usually %s, "+
				"not %q.", rest.MimeJSON, media)
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

// mimeOfForms are the types of bodies that any page may send without a preflight; "" stands for a body without a type.
var mimeOfForms = []string{"", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded"}

func mediaType(r *http.Request) string {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media
}

// hasBody tells whether there may be a body. The length of a chunked body is not known.
func hasBody(r *http.Request) bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// knownHost tells whether the host in the request is a name of this server. A page can make its own name resolve to
// this host (DNS rebinding); the page then has the same origin as this server. It cannot do so with an address.
func (s *Server) knownHost(given string) bool {
	host := hostname(given)
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	known := []string{hostname(hostOf(s.base)), hostname(s.API.Listen)}
	return host != "" && (slices.Contains(known, host) || slices.Contains(s.API.AllowedHosts, host))
}

// hostname is the name of a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// hostOf is the host, with its port, of a URL; "" if the text is no absolute URL.
func hostOf(absolute string) string {
	u, err := url.Parse(absolute)
	if err != nil {
		return ""
	}
	return u.Host
}

// ownPage tells whether a request comes from no page, from a page of this server, or from a page that the operator
// trusts. Old browsers send no Sec-Fetch headers; nor does any browser to a server without TLS that is not on loopback.
// All of them send Origin, except with plain GETs.
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

// trusts tells whether pages of an origin may use a route. Anybody on the way can alter a page that came without TLS.
// So if the request comes with TLS, such a page does not count as this server's own.
func (s *Server) trusts(origin, path string, r *http.Request) bool {
	if s.Codec != nil && strings.HasPrefix(path, codecPath) && slices.Contains(s.API.CodecOrigins, origin) {
		return true
	}
	if r.TLS != nil && !strings.HasPrefix(strings.ToLower(origin), "https://") {
		return false
	}
	of := hostOf(origin) // "null", of a page in a sandbox, has none
	return of != "" && (strings.EqualFold(of, r.Host) || strings.EqualFold(of, hostOf(s.base)))
}
