// Package sources fetches manifests and charts from the addresses in requests of containerised VNFs, and only from
// addresses that the operator allows: files and repositories of charts on web servers, and charts in OCI registries.
package sources

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// Options say where sources may be.
type Options struct {
	// Allowed are the beginnings of allowed URLs, such as https://charts.example/stable; an empty list allows nothing.
	Allowed []string
	// Denied are networks that no source may lead to, not even by a name.
	Denied []netip.Prefix
	// HTTPSOnly refuses sources without TLS.
	HTTPSOnly bool
	// TLS has the authorities that sources' certificates come from, now; nil is the system's own.
	TLS func() *tls.Config
	// Patience is how long a source may take for all that it is asked for; 0 means 30 seconds.
	Patience time.Duration
}

// Fetcher fetches from sources.
type Fetcher struct {
	allowed  []*url.URL
	guard    outbound.Guard
	http     *http.Client
	patience time.Duration
}

const (
	defaultPatience = 30 * time.Second
	mostRedirects   = 5
	who             = "The source"
)

// New makes a fetcher.
//
// Errors: Invalid for a beginning that is no URL.
func New(o Options) (*Fetcher, error) {
	f := &Fetcher{
		guard: outbound.Guard{
			Denied: o.Denied, HTTPSOnly: o.HTTPSOnly, Section: "packages", What: "Windlass fetches nothing from it",
		},
		patience: o.Patience,
	}
	if f.patience == 0 {
		f.patience = defaultPatience
	}
	var err error
	if f.allowed, err = beginnings(o.Allowed); err != nil {
		return nil, err
	}
	transport := outbound.Renewed(o.TLS, func(conf *tls.Config) *http.Transport {
		t := outbound.Transport(conf, f.guard)
		t.Proxy = nil // it would look at no address
		return t
	})
	f.http = &http.Client{
		Transport:     outbound.Limit(transport, who, f.guard),
		CheckRedirect: f.redirect,
	}
	return f, nil
}

// CheckAllowed refuses a text that is no beginning of a URL.
func CheckAllowed(texts []string) error {
	_, err := beginnings(texts)
	return err
}

func beginnings(texts []string) (out []*url.URL, err error) {
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || !slices.Contains([]string{"https", "http", "oci"}, u.Scheme) || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" {
			return nil, lcm.Errorf(lcm.KindInvalid, "%q is no beginning of a URL, such as https://charts.example/stable or "+
				"oci://registry.example/charts.", text)
		}
		out = append(out, u)
	}
	return out, nil
}

// redirect lets a source redirect to the store of its files. The same bounds apply to the store as to the source.
func (f *Fetcher) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return lcm.Errorf(lcm.KindInvalid, "It redirects more than %d times.", mostRedirects)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return lcm.Errorf(lcm.KindInvalid, "It redirects to %s, without TLS.", req.URL.Host)
	}
	if err := f.guard.Check(withoutQuery(req.URL)); err != nil {
		return lcm.Errorf(lcm.KindInvalid, "It redirects to another source: %s.",
			strings.TrimSuffix(lcm.Sentence(err), "."))
	}
	return nil
}

// Fetch reads a source.
//
// Errors: Denied if the operator does not allow the source, Invalid if the source lacks the file or the file is too
// large, Unavailable if a later attempt may work.
func (f *Fetcher) Fetch(ctx context.Context, s cnf.Source) ([]byte, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "%q is no URL.", s.URL)
	}
	if err := f.mayAsk(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	switch {
	case u.Scheme == "oci":
		return f.fromRegistry(ctx, u)
	case s.Chart != "":
		return f.fromRepository(ctx, u, s)
	default:
		return f.get(ctx, u)
	}
}

// mayAsk refuses a URL that the operator has not allowed.
func (f *Fetcher) mayAsk(u *url.URL) error {
	allowed := false
	for _, beginning := range f.allowed {
		allowed = allowed || begins(u, beginning)
	}
	if !allowed {
		return lcm.Errorf(lcm.KindDenied, "Nothing may be fetched from %s: put the file into the VNF package, or ask the "+
			"operator of Windlass to allow the source (packages.allowedSources).", withoutQuery(u))
	}
	check := *u
	if u.Scheme == "oci" {
		check.Scheme = "https"
	}
	if err := f.guard.Check(check.String()); err != nil {
		return lcm.Errorf(lcm.KindDenied, "Nothing may be fetched from %s: %s.", withoutQuery(u),
			strings.TrimSuffix(lcm.Sentence(err), "."))
	}
	return nil
}

// begins compares whole segments of paths.
func begins(u, with *url.URL) bool {
	path := strings.TrimSuffix(with.Path, "/")
	rest, ok := strings.CutPrefix(u.Path, path)
	return ok && u.Scheme == with.Scheme && strings.EqualFold(u.Host, with.Host) &&
		(rest == "" || rest[0] == '/' || u.Scheme == "oci" && rest[0] == ':') && !strings.Contains(rest, "/..")
}

func (f *Fetcher) get(ctx context.Context, u *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "%s is no URL that can be called.", withoutQuery(u))
	}
	resp, err := f.http.Do(req)
	if err != nil {
		return nil, f.failed(u, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, refusal(u, resp.StatusCode)
	}
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, f.failed(u, err)
	}
	return content, nil
}

func refusal(u *url.URL, status int) error {
	kind := lcm.KindInvalid
	if status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError {
		kind = lcm.KindUnavailable
	}
	return lcm.Errorf(kind, "%s answers %d (%s).", withoutQuery(u), status, http.StatusText(status))
}

// failed keeps errors that refuse a source; other errors mean that the source is away.
func (f *Fetcher) failed(u *url.URL, err error) error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Errorf(e.Kind, "%s cannot be fetched: %s", withoutQuery(u), e.Sentence())
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the rest of it is the URL with its query
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it took longer than %s", f.patience)
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "%s cannot be reached: %v.", withoutQuery(u), err)
}

// withoutQuery removes the query, which may be a token.
func withoutQuery(u *url.URL) string {
	plain := *u
	plain.RawQuery, plain.User = "", nil
	return plain.String()
}
