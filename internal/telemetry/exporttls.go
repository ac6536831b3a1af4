package telemetry

import (
	"crypto/tls"
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

// exportTimeout bounds a request over HTTP, as the standard has it.
const exportTimeout = 10 * time.Second

// client is for a collector that is called over HTTP.
func (s Settings) client() *http.Client {
	return &http.Client{Timeout: exportTimeout, Transport: outbound.Renewed(s.TLS, func(c *tls.Config) *http.Transport {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = c
		return t
	})}
}
