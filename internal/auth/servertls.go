package auth

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ServerTLS is the TLS of a server whose certificate may be renewed while it serves. It checks the files again when a
// client connects, at most once a second. If the files cannot be used, it keeps the former certificate and writes a
// line to the log.
type ServerTLS struct {
	// CertFile and KeyFile hold the certificate, with intermediate certificates, and its key.
	CertFile, KeyFile string
	// ClientCAFile holds the authorities of clients' certificates; "" asks clients for none.
	ClientCAFile string
	Log          *slog.Logger

	mu     sync.Mutex
	looked time.Time
	files  [3][]byte
	config *tls.Config
	why    string // the files could not be used, as told last
}

// lookAgain is how old a look at the files may be.
const lookAgain = time.Second

// Config returns the configuration for a listener, or an error if the files cannot be used.
func (s *ServerTLS) Config() (*tls.Config, error) {
	if _, err := s.current(context.Background()); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			return s.current(hello.Context())
		},
	}, nil
}

// current is the configuration by the files as they are now, or were when they could be used last.
func (s *ServerTLS) current(ctx context.Context) (*tls.Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.config != nil && time.Since(s.looked) < lookAgain {
		return s.config, nil
	}
	s.looked = time.Now()
	changed, err := s.load()
	switch {
	case err != nil && s.config == nil:
		return nil, err
	case err != nil && err.Error() != s.why:
		s.why = err.Error()
		s.Log.WarnContext(ctx, "New TLS certificate not used; the former one stays", "error", err)
	case err == nil && changed:
		s.why = ""
		s.Log.InfoContext(ctx, "TLS certificate loaded", "certFile", s.CertFile, "notAfter",
			s.config.Certificates[0].Leaf.NotAfter)
	}
	return s.config, nil
}

// load makes a configuration of the files, if they have changed.
func (s *ServerTLS) load() (changed bool, err error) {
	var files [3][]byte
	for i, name := range []string{s.CertFile, s.KeyFile, s.ClientCAFile} {
		if name == "" {
			continue
		}
		if files[i], err = os.ReadFile(name); err != nil {
			return false, lcm.Wrap(lcm.KindInvalid, err, "The file %s cannot be read.", name)
		}
	}
	if s.config != nil && bytes.Equal(files[0], s.files[0]) && bytes.Equal(files[1], s.files[1]) &&
		bytes.Equal(files[2], s.files[2]) {
		return false, nil
	}
	cert, err := tls.X509KeyPair(files[0], files[1])
	if err != nil {
		return false, lcm.Wrap(lcm.KindInvalid, err, "%s and %s are no certificate with its key.", s.CertFile, s.KeyFile)
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{cert},
	}
	if s.ClientCAFile != "" {
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(files[2]) {
			return false, lcm.Wrap(lcm.KindInvalid, errors.New("no PEM certificate"), "The file %s holds no certificate.",
				s.ClientCAFile)
		}
		// A client without a certificate may have a token, or ask for a route that is open to everybody, such as /healthz.
		config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	s.config, s.files = config, files
	return true, nil
}
