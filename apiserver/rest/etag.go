package rest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Entity tags are strong (RFC 9110 clause 8.8.3): each is made of a number that grows, or of the whole content.

// NumberTag is the entity tag of a resource that has a growing number.
func NumberTag(n int64) string { return `"` + strconv.FormatInt(n, 10) + `"` }

// ShowTag puts an entity tag on the answer.
func ShowTag(c echo.Context, tag string) { c.Response().Header().Set("ETag", tag) }

// Unchanged tells whether the client has this state of the resource already (RFC 9110 clause 13.1.2). It is only for
// tags that change with everything that the answer shows.
func Unchanged(c echo.Context, tag string) bool {
	for one := range strings.SplitSeq(strings.Join(c.Request().Header.Values("If-None-Match"), ","), ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}

// CheckMatch is a 412 if the request wants to change a state of the resource that is not the present one.
func CheckMatch(c echo.Context, tag, what string) error {
	wanted := strings.Join(c.Request().Header.Values("If-Match"), ",")
	if strings.TrimSpace(wanted) == "" {
		return nil
	}
	for one := range strings.SplitSeq(wanted, ",") {
		if one = strings.TrimSpace(one); one == tag || one == "*" {
			return nil
		}
	}
	ShowTag(c, tag)
	return HTTPErrorf(http.StatusPreconditionFailed, "The %s has changed; its ETag is %s now.", what, tag)
}

// Conditional tells whether the request is meant for one state of the resource only.
func Conditional(c echo.Context) bool {
	want := strings.TrimSpace(strings.Join(c.Request().Header.Values("If-Match"), ","))
	return want != "" && want != "*"
}

// OnlyIf is the version that a conditional request was checked against, none for any other request.
func OnlyIf[V any](c echo.Context, version V) []V {
	if Conditional(c) {
		return []V{version}
	}
	return nil
}

// OrChanged turns a refusal into a 412 if the resource has changed under a conditional request; present returns the
// resource's present tag.
func OrChanged(c echo.Context, what string, err error, present func() (string, error)) error {
	if !lcm.Is(err, lcm.KindConflict) || !Conditional(c) {
		return err
	}
	tag, missing := present()
	if missing != nil {
		return missing
	}
	if changed := CheckMatch(c, tag, what); changed != nil {
		return changed
	}
	return err
}
