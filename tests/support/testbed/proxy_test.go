package testbed_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// lateEnd is a body whose reader looks for its end only when the answer has begun.
type lateEnd struct {
	io.ReadCloser
	left         int64
	begun, tried chan struct{}
	once         sync.Once
}

func (l *lateEnd) Read(p []byte) (int, error) {
	if l.left > 0 {
		n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
		l.left -= int64(n)
		return n, err
	}
	<-l.begun
	defer l.once.Do(func() { close(l.tried) })
	return l.ReadCloser.Read(p)
}

// TestProxy_forwardsAnAnswerThatComesBeforeTheBodysEnd checks that an answer is whole although it begins before the
// proxy has seen the end of the request's body.
func TestProxy_forwardsAnAnswerThatComesBeforeTheBodysEnd(t *testing.T) {
	begun, tried := make(chan struct{}), make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength)
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		<-tried
		_, _ = io.WriteString(w, strings.Repeat(" and more", 100_000))
	}))
	defer other.Close()
	to, err := url.Parse(other.URL)
	require.NoError(t, err)
	proxy := testbed.Proxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &lateEnd{ReadCloser: r.Body, left: r.ContentLength, begun: begun, tried: tried}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	client := &http.Client{Timeout: time.Minute}
	res, err := client.Post(front.URL, "text/plain", strings.NewReader("hello"))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.ReadFull(res.Body, make([]byte, len("begun")))
	require.NoError(t, err)
	close(begun)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Len(t, text, 900_000)
}
