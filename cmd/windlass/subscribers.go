package main

import (
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/nfvo"
)

// subscribersOf makes the client that calls subscribers.
func subscribersOf(c config.Notifications) (*nfvo.Subscribers, error) {
	conf, err := tlsOf("notifications", c.CAFile, c.CertFile, c.KeyFile)
	if err != nil {
		return nil, err
	}
	return nfvo.NewSubscribers(nfvo.Options{Denied: c.DeniedNetworks, HTTPSOnly: c.HTTPSOnly, TLS: conf}), nil
}
