package outbound

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// MaxAnswer bounds an answer, in bytes: enough for some thousand servers, or for the resources of an equally large
	// stack.
	MaxAnswer = 16 << 20
	// maxRefusal bounds the read part of an error's answer.
	maxRefusal = 64 << 10
	// maxHeaders bounds the headers of an answer, in bytes.
	maxHeaders = 256 << 10
	// dialTimeout bounds connecting to one address, and then the handshake of TLS.
	dialTimeout = 10 * time.Second
	// mostRedirects is how often a server may send on to itself.
	mostRedirects = 5
)

// Transport makes connections to the addresses that the guard allows. A proxy of the environment connects in Windlass's
// place, and has to deny addresses by itself. Transport does not bound answers: see Limit.
func Transport(conf *tls.Config, guard Guard) *http.Transport {
	return &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		DialContext:     (&net.Dialer{Timeout: dialTimeout, Control: guard.Control}).DialContext,
		TLSClientConfig: conf, TLSHandshakeTimeout: dialTimeout, ForceAttemptHTTP2: true, DisableCompression: true,
		MaxResponseHeaderBytes: maxHeaders, MaxIdleConns: 100, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// Limit accepts MaxAnswer bytes of an answer and nothing compressed, because a few compressed bytes may become any
// number. who begins the sentences of errors, such as "The VIM". The errors are Invalid, also while the answer's body
// is read. The client must have StayThere as its CheckRedirect.
func Limit(next http.RoundTripper, who string, guard Guard) http.RoundTripper {
	return &limited{next: next, who: who, guard: guard}
}

type limited struct {
	next  http.RoundTripper
	who   string
	guard Guard
}

// RoundTrip implements http.RoundTripper.
func (l *limited) RoundTrip(req *http.Request) (*http.Response, error) {
	// Dialling looks at every address, but behind a proxy it is the proxy's.
	if a, err := netip.ParseAddr(req.URL.Hostname()); err == nil {
		if err := l.guard.CheckAddress(a); err != nil {
			return nil, err
		}
	}
	within := budgetOf(req)
	if err := within.begin(l.who); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		resp.Body.Close()
		return nil, lcm.Errorf(lcm.KindInvalid,
			"%s compresses its answer (%.20q), but Windlass asked for an answer without compression.", l.who, encoding)
	}
	resp.Body = within.counted(l.bounded(resp), l.who)
	return resp, nil
}

// CloseIdleConnections lets http.Client do so.
func (l *limited) CloseIdleConnections() {
	if c, ok := l.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (l *limited) bounded(resp *http.Response) io.ReadCloser {
	if resp.StatusCode >= http.StatusBadRequest {
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxRefusal), resp.Body}
	}
	return &boundedBody{ReadCloser: resp.Body, who: l.who, left: MaxAnswer}
}

// boundedBody fails when there is more than it takes.
type boundedBody struct {
	io.ReadCloser
	who  string
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLarge()
	}
	if int64(len(p)) > b.left+1 { // an extra byte tells that there is more
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.tooLarge()
	}
	return n, err
}

func (b *boundedBody) tooLarge() error {
	return lcm.Errorf(lcm.KindInvalid, "%s's answer is larger than the limit of %d MiB.", b.who, MaxAnswer>>20)
}

// StayThere is CheckRedirect of a client with credentials in its own headers: it follows a redirect to the same server
// only. An error is Invalid.
func StayThere(who string) func(req *http.Request, via []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		from := via[len(via)-1].URL
		switch {
		case req.URL.Hostname() != from.Hostname():
			return lcm.Errorf(lcm.KindInvalid, "%s redirects to another host, %s; give its real URL.", who,
				req.URL.Host)
		case from.Scheme == "https" && req.URL.Scheme != "https":
			return lcm.Errorf(lcm.KindInvalid, "%s redirects from https to %s.", who, req.URL.Scheme)
		case len(via) > mostRedirects:
			return lcm.Errorf(lcm.KindInvalid, "%s redirects more than %d times.", who, mostRedirects)
		}
		return nil
	}
}
