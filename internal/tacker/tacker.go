// Package tacker reads an OpenStack Tacker by its API, and reports which of its objects Windlass would take over
// unchanged. It changes nothing there.
package tacker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The roots of Tacker's APIs.
const (
	packagesPath = "/vnfpkgm/v1/vnf_packages"
	vimsPath     = "/v1.0/vims"
)

// lifecycles are Tacker's APIs of lifecycle management: SOL003 v2.6.1 and v3.3.1.
var lifecycles = []string{"/vnflcm/v1", "/vnflcm/v2"}

// maxAnswer is more than any list of Tacker's has; maxPages is more than any Tacker has of them.
const (
	maxAnswer = 64 << 20
	maxPages  = 10_000
)

// Client reads one Tacker.
type Client struct {
	// Base is its address, without a slash at its end.
	Base string
	// HTTP authenticates at Tacker.
	HTTP *http.Client
}

// get asks for a resource; the caller closes the answer's body. A missing API is a NotFound.
func (c *Client) get(ctx context.Context, path, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+path, nil)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "%s is no URL of a Tacker.", c.Base)
	}
	req.Header.Set("Accept", accept)
	if strings.HasPrefix(path, lifecycles[1]) {
		req.Header.Set("Version", "2.0.0") // SOL013 clause 9.2: v2 answers nobody without it
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, c.refused(path, resp)
}

func (c *Client) unreachable(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return lcm.Errorf(lcm.KindUnavailable, "Tacker at %s does not answer: %v. Check the URL (--tacker), and who you are "+
		"(OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME).", c.Base, err)
}

// refused is why an answer is none. Tacker has two forms of errors, SOL003's and its own.
func (c *Client) refused(path string, resp *http.Response) error {
	var said struct {
		Detail string `json:"detail"`
		Tacker struct {
			Message string `json:"message"`
		} `json:"TackerError"`
	}
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // half an error is better than none
	_ = json.Unmarshal(b, &said)
	why := strings.TrimSpace(said.Detail + said.Tacker.Message)
	if why != "" {
		why = " (" + strings.TrimSuffix(why, ".") + ")"
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return lcm.Errorf(lcm.KindDenied, "Tacker at %s does not let you read %s: it answers %s%s. Set OS_AUTH_URL, "+
			"OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME and the domains as for Tacker's own client.", c.Base, path, resp.Status,
			why)
	case http.StatusNotFound:
		return lcm.Errorf(lcm.KindNotFound, "Tacker at %s has no %s%s.", c.Base, path, why)
	default:
		return lcm.Errorf(lcm.KindBroken, "Tacker at %s answers %s to GET %s%s.", c.Base, resp.Status, path, why)
	}
}

// read decodes a resource.
func (c *Client) read(ctx context.Context, path string, into any) (http.Header, error) {
	resp, err := c.get(ctx, path, "application/json")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(into); err != nil {
		return nil, lcm.Errorf(lcm.KindBroken, "%s%s does not answer as Tacker does: %v. Check the URL (--tacker).", c.Base,
			path, err)
	}
	return resp.Header, nil
}

var nextLink = regexp.MustCompile(`<([^>]*)>\s*;\s*rel="?next"?`)

// list reads a collection, page by page (SOL013 clause 5.4).
func list[T any](ctx context.Context, c *Client, path string) (all []T, err error) {
	for query, page := "", 0; page < maxPages; page++ {
		var items []T
		header, err := c.read(ctx, path+query, &items)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		next := nextLink.FindStringSubmatch(header.Get("Link"))
		if next == nil {
			return all, nil
		}
		// The host of the link is how Tacker calls itself; here it may be reached by another name.
		_, rest, found := strings.Cut(next[1], "?")
		if !found {
			return all, nil
		}
		query = "?" + rest
	}
	return nil, lcm.Errorf(lcm.KindBroken, "%s%s has pages without end.", c.Base, path)
}
