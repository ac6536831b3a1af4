package apiserver

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// root is one versioned API root.
type root struct {
	prefix  string // "/vnflcm/v1"
	version string // the value of the Version header (SOL013 clause 9)
}

// The API roots: SOL003 v2.6.1 and v3.3.1, and SOL005-style package management.
var (
	rootLcmV1 = root{"/vnflcm/v1", "1.3.0"}
	rootLcmV2 = root{"/vnflcm/v2", "2.0.0"}
	rootPkgV1 = root{"/vnfpkgm/v1", "1.1.0"}
)

var versionText = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)$`)

// signVersion puts the Version header on every answer of a versioned root, errors and the router's own included.
func signVersion(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		for _, r := range []root{rootLcmV1, rootLcmV2, rootPkgV1} {
			if strings.HasPrefix(c.Request().URL.Path, r.prefix+"/") {
				c.Response().Header().Set("Version", r.version)
			}
		}
		return next(c)
	}
}

// checkVersion refuses requests for a version that the root does not have. A strict root wants the header
// and the exact version; a tolerant one takes its absence, and every version of the same major, because
// clients of Tacker leave it out.
func checkVersion(r root, strict bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			// python-tackerclient's cancel never sends the header, whatever the version.
			required := strict && !strings.HasSuffix(c.Path(), "/cancel")
			asked := c.Request().Header.Get("Version")
			if asked == "" {
				if required {
					return lcm.Errorf(lcm.KindInvalid, "The request has no Version header; this API root speaks %s.", r.version)
				}
				return next(c)
			}
			number, _, _ := strings.Cut(asked, "-impl:")
			parts := versionText.FindStringSubmatch(number)
			if parts == nil {
				return lcm.Errorf(lcm.KindInvalid, "The Version header must be like %s.", r.version)
			}
			if number != r.version && (strict || parts[1] != r.version[:1]) {
				return httpErrorf(http.StatusNotAcceptable, "This API root speaks version %s, not %s.", r.version, number)
			}
			return next(c)
		}
	}
}

type apiVersion struct {
	Version      string `json:"version"`
	IsDeprecated bool   `json:"isDeprecated"`
}

type apiVersionInformation struct {
	URIPrefix   string       `json:"uriPrefix"`
	APIVersions []apiVersion `json:"apiVersions"`
}

// versions answers GET .../api_versions (SOL013 clause 9.3.3); it needs no Version header.
func versions(prefix string, roots ...root) echo.HandlerFunc {
	info := apiVersionInformation{URIPrefix: prefix}
	for _, r := range roots {
		info.APIVersions = append(info.APIVersions, apiVersion{Version: r.version})
	}
	return func(c echo.Context) error {
		if err := noQuery(c); err != nil {
			return err
		}
		return writeJSON(c, http.StatusOK, info)
	}
}
