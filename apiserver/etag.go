package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Entity tags are strong (RFC 9110 clause 8.8.3): each is made of a number that grows, or of the whole content.

// etag grows with every change of the instance.
func etag(inst lcm.VnfInstance) string { return numberTag(inst.Version) }

func packageTag(p lcm.VnfPkg) string { return numberTag(p.Version) }

// opOccTag also has the state: it changes before the first record of the workflow.
func opOccTag(o lcm.VnfLcmOpOcc) string {
	return `"` + strconv.FormatInt(o.Sequence, 10) + "-" + strings.ToLower(string(o.State)) + `"`
}

// vimTag is made of the time of the last change, which no other change has.
func vimTag(v lcm.Vim) string { return numberTag(v.Updated.UnixMicro()) }

// contentTag is for what is stored without a version.
func contentTag(v any) string {
	b, _ := json.Marshal(v) // of the types that are passed here it cannot fail
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

func numberTag(n int64) string { return `"` + strconv.FormatInt(n, 10) + `"` }

// showTag puts an entity tag on the answer.
func showTag(c echo.Context, tag string) { c.Response().Header().Set("ETag", tag) }

// checkMatch is a 412 when the request wants to change another state of the resource than the one it is in.
func checkMatch(c echo.Context, tag, what string) error {
	wanted := strings.Join(c.Request().Header.Values("If-Match"), ",")
	if strings.TrimSpace(wanted) == "" {
		return nil
	}
	for one := range strings.SplitSeq(wanted, ",") {
		if one = strings.TrimSpace(one); one == tag || one == "*" {
			return nil
		}
	}
	showTag(c, tag)
	return httpErrorf(http.StatusPreconditionFailed, "The %s has changed; its ETag is %s now.", what, tag)
}

// conditional tells whether the request is meant for one state of the resource only.
func conditional(c echo.Context) bool {
	want := strings.TrimSpace(strings.Join(c.Request().Header.Values("If-Match"), ","))
	return want != "" && want != "*"
}

// onlyIf is the version that a conditional request was checked against, none for any other request.
func onlyIf[V any](c echo.Context, version V) []V {
	if conditional(c) {
		return []V{version}
	}
	return nil
}

// orChanged makes a 412 of a refusal when the resource has changed under a conditional request; present tells its tag
// now.
func orChanged(c echo.Context, what string, err error, present func() (string, error)) error {
	if !lcm.Is(err, lcm.KindConflict) || !conditional(c) {
		return err
	}
	tag, missing := present()
	if missing != nil {
		return missing
	}
	if changed := checkMatch(c, tag, what); changed != nil {
		return changed
	}
	return err
}
