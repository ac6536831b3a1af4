package main

import (
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/sources"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// subscribersOf makes the client that calls subscribers.
func (b *backends) subscribersOf(c config.Notifications) (*nfvo.Subscribers, error) {
	conf, err := b.tlsOf("notifications", c.CAFile, c.CertFile, c.KeyFile)
	if err != nil {
		return nil, err
	}
	return nfvo.NewSubscribers(nfvo.Options{Denied: c.DeniedNetworks, HTTPSOnly: c.HTTPSOnly, TLS: conf}), nil
}

// sourcesOf makes the client that fetches packages.
func (b *backends) sourcesOf(c config.Config) (*nfvo.Fetcher, error) {
	conf, err := b.tlsOf("packages", c.Packages.CAFile, "", "")
	if err != nil {
		return nil, err
	}
	return nfvo.NewFetcher(nfvo.FetcherOptions{
		Denied: c.Packages.DeniedNetworks, HTTPSOnly: c.Packages.HTTPSOnly, TLS: conf,
		MaxSize: int64(c.API.MaxUploadMiB) << 20,
	}), nil
}

// filesOf makes the client that fetches manifests and charts.
func (b *backends) filesOf(c config.Packages) (*sources.Fetcher, error) {
	conf, err := b.tlsOf("packages", c.CAFile, "", "")
	if err != nil {
		return nil, err
	}
	return sources.New(sources.Options{
		Allowed: c.AllowedSources, Denied: c.DeniedNetworks, HTTPSOnly: c.HTTPSOnly, TLS: conf,
	})
}

// trustOf reads the settings that say whose packages are accepted.
func trustOf(c config.Packages) (t archive.Trust, err error) {
	t.Required = c.SignatureRequired
	if c.TrustFile != "" {
		t.Anchors, err = poolOf("packages.trustFile", c.TrustFile)
	}
	return t, err
}
