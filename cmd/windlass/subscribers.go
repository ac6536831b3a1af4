package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
)

// subscribersOf makes the client that calls subscribers.
func subscribersOf(c config.Notifications) (*nfvo.Subscribers, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "The file %s of notifications.caFile cannot be read.", c.CAFile)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, lcm.Errorf(lcm.KindInvalid, "The file %s of notifications.caFile holds no certificate.", c.CAFile)
		}
	}
	if c.CertFile != "" || c.KeyFile != "" {
		cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, lcm.Wrap(lcm.KindInvalid, err, "notifications.certFile and notifications.keyFile are no certificate with its key.")
		}
		conf.Certificates = []tls.Certificate{cert}
	}
	return nfvo.NewSubscribers(nfvo.Options{Denied: c.DeniedNetworks, HTTPSOnly: c.HTTPSOnly, TLS: conf}), nil
}
