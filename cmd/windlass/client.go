package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// apiClient speaks with Windlass's API as any other client would.
type apiClient struct {
	base string // without a slash at its end
	// lcm is the root of the lifecycle API with its version, "/vnflcm/v1" or "/vnflcm/v2".
	lcm     string
	version string
	http    *http.Client
	// slow tells people that the API has not answered yet, after slowAfter.
	slow      func(format string, args ...any)
	slowAfter time.Duration
}

// lcmVersions are the Version headers of the lifecycle API's versions.
var lcmVersions = map[int]string{1: "1.3.0", 2: "2.0.0"}

// ofVersion is the client of that version of the lifecycle API.
func (c *apiClient) ofVersion(version int) *apiClient {
	other := *c
	other.lcm, other.version = fmt.Sprintf("/vnflcm/v%d", version), lcmVersions[version]
	return &other
}

// The roots of the other APIs.
const (
	packagesPath = "/vnfpkgm/v1/vnf_packages"
	vimsPath     = "/v1.0/vims"
	progressPath = "/windlass/v1/vnf_lcm_op_occs"
)

// apiError is an error that the API answered, of either of its two forms.
type apiError struct {
	Status   int           `json:"status"`
	Title    string        `json:"title"`
	Detail   string        `json:"detail"`
	Problems []lcm.Problem `json:"problems"`
	// Step is the step that has failed, and Remedy what mends the cause. OtherRequest is set if only another request can
	// succeed. Only errors of operations have them.
	Step         string `json:"step"`
	Remedy       string `json:"remedy"`
	OtherRequest bool   `json:"otherRequest"`
	// Type is the address of the server's page about such errors. In errors of operations it lacks the server's address.
	Type string `json:"type"`
	// Tacker is how /v1.0 tells errors.
	Tacker *struct {
		Message string `json:"message"`
	} `json:"TackerError"`
}

func (e *apiError) Error() string { return e.Detail }

// told are the lines that tell of an operation's error: the step with what went wrong in it, and what mends that.
func (e *apiError) told() []string {
	text := e.Detail
	if e.Step != "" {
		text = e.Step + ": " + text
	}
	if e.Remedy == "" {
		return []string{text}
	}
	return []string{text, e.Remedy}
}

// cause is the error of an operation, as far as the API tells it.
func (e *apiError) cause() *lcm.Error {
	if e == nil {
		return nil
	}
	return &lcm.Error{Kind: lcm.ErrorKind(e.Title), Detail: e.Detail, OtherRequest: e.OtherRequest}
}

// summary is Detail without the list of problems, which describe shows line by line.
func (e *apiError) summary() string {
	if len(e.Problems) == 0 {
		return sentence(e.Detail)
	}
	head, _, found := strings.Cut(e.Detail, ": "+e.Problems[0].Path)
	if !found {
		return sentence(e.Detail)
	}
	return head + ":"
}

// body is the body of a request.
type body struct {
	contentType string
	reader      io.Reader
}

func jsonBody(v any) (*body, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return &body{"application/json", bytes.NewReader(b)}, nil
}

// do sends a request and returns the answer; the caller closes the answer's body. A status that is not 2xx is an error.
func (c *apiClient) do(ctx context.Context, method, path string, b *body) (*http.Response, error) {
	return c.ask(ctx, method, path, b, "application/json")
}

// download writes the content at path.
func (c *apiClient) download(ctx context.Context, path string, to io.Writer) error {
	resp, err := c.ask(ctx, http.MethodGet, path, nil, "*/*")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(to, resp.Body); err != nil {
		return fmt.Errorf("download %s: %w", path, err)
	}
	return nil
}

// ask is do for answers of that type.
func (c *apiClient) ask(ctx context.Context, method, path string, b *body, accept string) (*http.Response, error) {
	target := path
	if !strings.Contains(path, "://") {
		target = c.base + path
	}
	var reader io.Reader
	if b != nil {
		reader = b.reader
	}
	req, err := http.NewRequestWithContext(ctx, method, target, reader)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if b != nil {
		req.Header.Set("Content-Type", b.contentType)
	}
	req.Header.Set("Accept", accept)
	if strings.Contains(target, c.lcm+"/") {
		req.Header.Set("Version", c.version)
	}
	told := c.tellSlow(b)
	resp, err := c.http.Do(req)
	told.Stop()
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, readError(resp)
}

// tellSlow reports that the API does not answer, unless the timer is stopped before. It stays silent for archives,
// which take their time.
func (c *apiClient) tellSlow(b *body) *time.Timer {
	return time.AfterFunc(c.slowAfter, func() {
		if b == nil || b.contentType != "application/zip" {
			c.slow("The API at %s has not answered for %s. Ctrl-C ends the wait.\n", c.base, c.slowAfter)
		}
	})
}

func (c *apiClient) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if e, ok := errors.AsType[*credentialsError](err); ok {
		return e.err
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return fmt.Errorf("no answer from the API at %s: %w. Is 'windlass dev' or 'windlass apiserver' running, and is --api "+
		"right?", c.base, err)
}

func readError(resp *http.Response) error {
	e := &apiError{}
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // half an error is better than none
	if json.Unmarshal(b, e) != nil || e.Detail == "" {
		e.Detail = fmt.Sprintf("the API answered %s", resp.Status)
	}
	if e.Tacker != nil && e.Tacker.Message != "" {
		e.Detail = e.Tacker.Message
	}
	e.Status = resp.StatusCode
	if at, err := url.Parse(e.Type); err == nil && strings.HasPrefix(e.Type, "/") && resp.Request != nil {
		e.Type = resp.Request.URL.ResolveReference(at).String()
	} else {
		e.Type = ""
	}
	return e
}

// get reads a resource into v.
func (c *apiClient) get(ctx context.Context, path string, v any) error {
	_, err := c.exchange(ctx, http.MethodGet, path, nil, v)
	return err
}

// send makes a request with in as its body, unless in is nil. It reads the answer into out, unless out is nil.
func (c *apiClient) send(ctx context.Context, method, path string, in, out any) (http.Header, error) {
	var b *body
	if in != nil {
		var err error
		if b, err = jsonBody(in); err != nil {
			return nil, err
		}
	}
	return c.exchange(ctx, method, path, b, out)
}

func (c *apiClient) exchange(ctx context.Context, method, path string, b *body, out any) (http.Header, error) {
	resp, err := c.do(ctx, method, path, b)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if out == nil {
		return resp.Header, nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return nil, fmt.Errorf("the client does not understand the API's answer to %s %s: %w", method, path, err)
	}
	return resp.Header, nil
}

var nextLink = regexp.MustCompile(`<([^>]*)>\s*;\s*rel="?next"?`)

// list reads a whole collection, page by page (SOL013 clause 5.4).
func list[T any](ctx context.Context, c *apiClient, path string) ([]T, error) {
	all := []T{} // in JSON an empty list is no null
	resource, _, _ := strings.Cut(path, "?")
	for path != "" {
		var page []T
		header, err := c.exchange(ctx, http.MethodGet, path, nil, &page)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		path = ""
		if m := nextLink.FindStringSubmatch(header.Get("Link")); m != nil {
			// The link's host is how the API calls itself; here it may be reached by another name.
			if _, query, found := strings.Cut(m[1], "?"); found {
				path = resource + "?" + query
			}
		}
	}
	return all, nil
}
