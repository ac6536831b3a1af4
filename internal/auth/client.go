package auth

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// HTTPClient makes a client for the servers that Windlass asks about its clients: an issuer of tokens, Keystone. caFile
// holds the authorities of the server's certificate, "" for the system's.
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
