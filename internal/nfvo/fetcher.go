package nfvo

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// FetcherOptions say where packages may be fetched from, and how.
type FetcherOptions struct {
	// Denied are networks that no source may lead to, not even by a name.
	Denied []netip.Prefix
	// HTTPSOnly refuses sources without TLS.
	HTTPSOnly bool
	// TLS has the authorities that sources' certificates come from, now; nil is the system's own.
	TLS func() *tls.Config
	// MaxSize bounds an archive, in bytes; 0 means 8 GiB.
	MaxSize int64
	// Patience is how long a source may send nothing; 0 means a minute.
	Patience time.Duration
}

// Fetcher fetches archives of VNF packages from where clients say.
type Fetcher struct {
	guard    outbound.Guard
	http     *http.Client
	maxSize  int64
	patience time.Duration
}

const (
	defaultMaxSize  = 8 << 30
	defaultPatience = time.Minute
	// mostRedirects is how often a source may send on; stores of objects do so once.
	mostRedirects = 5
)

// NewFetcher makes a client. It uses no proxy; where a source sends on is looked at like the source itself.
func NewFetcher(o FetcherOptions) *Fetcher {
	f := &Fetcher{
		guard: outbound.Guard{
			Denied: o.Denied, HTTPSOnly: o.HTTPSOnly, Section: "packages", What: "Windlass fetches no package from it",
		},
		maxSize: o.MaxSize, patience: o.Patience,
	}
	if f.maxSize == 0 {
		f.maxSize = defaultMaxSize
	}
	if f.patience == 0 {
		f.patience = defaultPatience
	}
	dialer := &net.Dialer{Timeout: f.patience, Control: f.guard.Control}
	f.http = &http.Client{
		Transport: outbound.Renewed(o.TLS, func(conf *tls.Config) *http.Transport {
			return &http.Transport{
				DialContext: dialer.DialContext, TLSClientConfig: conf, ForceAttemptHTTP2: true,
				ResponseHeaderTimeout: f.patience,
				TLSHandshakeTimeout:   f.patience, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
			}
		}),
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > mostRedirects {
				return lcm.Errorf(lcm.KindInvalid, "It redirects more than %d times.", mostRedirects)
			}
			if err := f.guard.Check(req.URL.String()); err != nil {
				return lcm.Errorf(lcm.KindInvalid, "It redirects to another source: %s.",
					strings.TrimSuffix(lcm.Sentence(err), "."))
			}
			return nil
		},
	}
	return f
}

// Check refuses a URI that no package is fetched from. Its name is looked up when it is called.
func (f *Fetcher) Check(uri string) error { return f.guard.Check(uri) }

// Fetch begins to read the archive; the caller closes it. Errors that may pass with time are Unavailable, also while
// reading.
func (f *Fetcher) Fetch(ctx context.Context, from lcm.PkgSource) (io.ReadCloser, error) {
	if err := f.Check(from.AddressInformation); err != nil {
		return nil, lcm.Errorf(lcm.KindInvalid, "The URI of addressInformation cannot be used: %s.",
			strings.TrimSuffix(lcm.Sentence(err), "."))
	}
	ctx, stop := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.AddressInformation, nil)
	if err != nil {
		stop()
		return nil, lcm.Wrap(lcm.KindInvalid, err, "addressInformation is no URI that can be called.")
	}
	if from.UserName != "" {
		req.SetBasicAuth(from.UserName, from.Password)
	}
	resp, err := f.http.Do(req)
	if err != nil {
		stop()
		return nil, f.failed(err)
	}
	if err := f.refusal(resp); err != nil {
		finish(resp)
		stop()
		return nil, err
	}
	return watched(resp.Body, f.maxSize, f.patience, stop), nil
}

// watched bounds a body; stop ends its request.
func watched(body io.ReadCloser, maxSize int64, patience time.Duration, stop context.CancelFunc) *fetchedBody {
	b := &fetchedBody{ReadCloser: body, left: maxSize, max: maxSize, patience: patience, stop: stop}
	b.watch = time.AfterFunc(patience, stop)
	return b
}

// failed reports a redirect or an address that is not allowed; any other error means that the source is away.
func (f *Fetcher) failed(err error) error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Wrap(lcm.KindInvalid, err, "The package's source cannot be used: %s", e.Sentence())
	}
	return unreachable("The package's source", err)
}

func (f *Fetcher) refusal(resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusOK && resp.ContentLength > f.maxSize:
		return tooLarge(f.maxSize)
	case status == http.StatusOK:
		return nil
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return lcm.Errorf(lcm.KindDenied, "The package's source answers %d: userName and password are wrong or missing.",
			status)
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests,
		status >= http.StatusInternalServerError:
		e := lcm.Errorf(lcm.KindUnavailable, "The package's source answers %d.", status)
		e.RetryAfter = pauseOf(resp)
		return e
	default:
		return lcm.Errorf(lcm.KindInvalid, "The package's source answers %d.", status)
	}
}

func tooLarge(limit int64) error {
	return lcm.Errorf(lcm.KindInvalid, "The package is larger than the %d MiB allowed (api.maxUploadMiB).", limit>>20)
}

// fetchedBody bounds the size of a source's data, and the length of its silences.
type fetchedBody struct {
	io.ReadCloser
	left, max int64
	patience  time.Duration
	watch     *time.Timer
	stop      context.CancelFunc
}

func (b *fetchedBody) Read(p []byte) (int, error) {
	b.watch.Reset(b.patience)
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.max)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, lcm.Wrap(lcm.KindUnavailable, err, "The package's source broke off.")
	}
	return n, err
}

func (b *fetchedBody) Close() error {
	b.watch.Stop()
	b.stop()
	return b.ReadCloser.Close()
}
