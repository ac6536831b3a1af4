package auth

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

// HTTPClient makes a client for the servers that Windlass asks about its clients: an issuer of tokens, Keystone. caFile
// holds the authorities of the server's certificate, "" for the system's; section is the section of its setting.
func HTTPClient(section, caFile string, log *slog.Logger) (*http.Client, error) {
	files := &outbound.TLSFiles{Section: section, CAFile: caFile, Log: log}
	if err := files.Load(); err != nil {
		return nil, err
	}
	transport := outbound.Renewed(files.Current, func(conf *tls.Config) *http.Transport {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = conf
		return t
	})
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}, nil
}
