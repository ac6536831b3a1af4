package apiserver

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// compress compresses answers with gzip for clients that accept this. A list of ten thousand VNF instances has
// megabytes, and becomes a tenth of it.
func compress(next echo.HandlerFunc) echo.HandlerFunc {
	compressed := middleware.GzipWithConfig(middleware.GzipConfig{Level: 5, MinLength: 1 << 10})(next)
	return func(c echo.Context) error {
		switch {
		case staysAsItIs(c.Request().URL.Path):
			return next(c)
		case c.Request().Method == http.MethodHead: // its headers are those of the plain answer
			c.Response().Header().Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
			return next(c)
		default:
			return compressed(c)
		}
	}
}

// staysAsItIs tells whether answers of that path are not compressed.
func staysAsItIs(path string) bool {
	switch {
	case strings.HasSuffix(path, "/events"): // each event goes out at once
		return true
	case path == "/metrics": // its handler compresses them already
		return true
	case strings.HasPrefix(path, "/vnfpkgm/"): // packages are compressed already, and clients ask for parts of them
		return true
	default:
		// The length of a compressed answer tells about secrets next to texts that strangers choose.
		return strings.HasPrefix(path, "/windlass/v1/login") || strings.HasSuffix(path, "/kubeconfig")
	}
}
