package rest

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// Accepts tells whether the Accept header takes contentType; no header takes everything. The most specific range
// counts, and its weight must not be 0 (RFC 9110 clause 12.5.1).
func Accepts(c echo.Context, contentType string) bool {
	header := strings.Join(c.Request().Header.Values("Accept"), ",")
	if strings.TrimSpace(header) == "" {
		return true
	}
	family, _, _ := strings.Cut(contentType, "/")
	ranges := []string{"*/*", family + "/*", contentType}
	best, taken := -1, false
	for item := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(strings.TrimSpace(item))
		if at := slices.Index(ranges, media); err == nil && at > best {
			weight, err := strconv.ParseFloat(params["q"], 64)
			best, taken = at, err != nil || weight > 0
		}
	}
	return taken
}
