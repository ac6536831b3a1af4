package rest

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Root is one versioned API root.
type Root struct {
	Prefix  string // "/vnflcm/v1"
	Version string // the value of the Version header (SOL013 clause 9)
	Number  int    // the major version in the prefix
}

// The API roots: SOL003 v2.6.1 and v3.3.1, and SOL005-style package management.
var (
	LcmV1 = Root{"/vnflcm/v1", "1.3.0", 1}
	LcmV2 = Root{"/vnflcm/v2", "2.0.0", 2}
	PkgV1 = Root{"/vnfpkgm/v1", "1.1.0", 1}
)

var versionText = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)$`)

// SignVersion puts the Version header on every answer of a versioned root, errors and the router's own included.
func SignVersion(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		for _, r := range []Root{LcmV1, LcmV2, PkgV1} {
			if strings.HasPrefix(c.Request().URL.Path, r.Prefix+"/") {
				c.Response().Header().Set("Version", r.Version)
			}
		}
		return next(c)
	}
}

// CheckVersion refuses requests for a version that the root does not have. A strict root wants the header
// and the exact version; a tolerant one takes its absence, and every version of the same major, because
// clients of Tacker leave it out.
func CheckVersion(r Root, strict bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			// python-tackerclient's cancel never sends the header, whatever the version.
			required := strict && !strings.HasSuffix(c.Path(), "/cancel")
			asked := c.Request().Header.Get("Version")
			if asked == "" {
				if required {
					return lcm.Errorf(lcm.KindInvalid, "The request has no Version header; this API root has the "+
						"version %s.", r.Version)
				}
				return next(c)
			}
			number, _, _ := strings.Cut(asked, "-impl:")
			parts := versionText.FindStringSubmatch(number)
			if parts == nil {
				return lcm.Errorf(lcm.KindInvalid, "The Version header must be like %s.", r.Version)
			}
			if number != r.Version && (strict || parts[1] != r.Version[:1]) {
				return HTTPErrorf(http.StatusNotAcceptable, "This API root has the version %s, not %s.",
					r.Version, number)
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

// Versions answers GET .../api_versions (SOL013 clause 9.3.3); it needs no Version header.
func Versions(prefix string, roots ...Root) echo.HandlerFunc {
	info := apiVersionInformation{URIPrefix: prefix}
	for _, r := range roots {
		info.APIVersions = append(info.APIVersions, apiVersion{Version: r.Version})
	}
	return func(c echo.Context) error {
		if err := NoQuery(c); err != nil {
			return err
		}
		return WriteJSON(c, http.StatusOK, info)
	}
}
