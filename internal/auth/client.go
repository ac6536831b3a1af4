package auth

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// HTTPClient makes a client for what Windlass asks about clients: an issuer of tokens, Keystone. caFile holds the
// authorities of its certificate, "" for those of the system.
func HTTPClient(caFile string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The file %s with authorities of certificates cannot be read.", caFile)
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, lcm.Errorf(lcm.KindInvalid, "The file %s holds no certificate of an authority.", caFile)
		}
	}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}, nil
}
