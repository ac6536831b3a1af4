package outbound_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

func TestIsOutage_isWhatCanImprove(t *testing.T) {
	_, invalidHeader := http.DefaultTransport.RoundTrip(&http.Request{
		Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, Header: http.Header{"Authorization": {"a\n"}},
	})
	syntax := json.Unmarshal([]byte("<html>"), &struct{}{})
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"refused":              {&url.Error{Op: "Get", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, true},
		"reset while reading":  {fmt.Errorf("read the body: %w", syscall.ECONNRESET), true},
		"cut":                  {io.ErrUnexpectedEOF, true},
		"too late":             {context.DeadlineExceeded, true},
		"no such name":         {&url.Error{Op: "Get", Err: &net.DNSError{Err: "no such host"}}, true},
		"a page of a balancer": {syntax, true},
		"HTTP/2 has ended":     {errors.New("http2: client connection lost"), true},
		"a bad header":         {&url.Error{Op: "Get", Err: invalidHeader}, false},
		"a bad URL":            {&url.Error{Op: "parse", Err: errors.New("invalid port")}, false},
		"a missing name":       {errors.New("name is required"), false},
		"two domains":          {errors.New("You must provide exactly one of DomainID or DomainName"), false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.NotNil(t, c.err)
			assert.Equal(t, c.want, outbound.IsOutage(c.err), "%v", c.err)
		})
	}
}
