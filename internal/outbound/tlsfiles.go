package outbound

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TLSFiles are the files of the TLS of a client: they may be replaced while Windlass runs, as certificates are renewed.
// Windlass looks at them again when it makes a request, at most once a second. If the new files cannot be used, it keeps
// the former ones and writes a line to the log.
type TLSFiles struct {
	// Section is the section of the settings, for messages.
	Section string
	// CAFile holds the authorities of the other side's certificate, "" for the system's.
	CAFile string
	// CertFile and KeyFile hold the certificate that Windlass shows, with its key; "" shows none.
	CertFile, KeyFile string
	Log               *slog.Logger

	mu     sync.Mutex
	looked time.Time
	files  [3][]byte
	config *tls.Config
	why    string // the files could not be used, as told last
}

// lookAgain is how old a look at the files may be.
const lookAgain = time.Second

// Load reads the files for the first time: Invalid if they cannot be used.
func (f *TLSFiles) Load() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = time.Now()
	return f.load()
}

// Current is the configuration by the files as they are now, or were when they could be used last. It is the same value
// as long as the files are the same.
func (f *TLSFiles) Current() *tls.Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) < lookAgain {
		return f.config
	}
	f.looked = time.Now()
	before := f.config
	switch err := f.load(); {
	case err != nil && err.Error() != f.why:
		f.why = err.Error()
		f.Log.Warn("New TLS files not used; the former ones stay", "section", f.Section, "error", err)
	case err == nil && f.config != before:
		f.why = ""
		f.Log.Info("TLS files loaded again", "section", f.Section)
	}
	return f.config
}

// load makes a configuration of the files, if they have changed.
func (f *TLSFiles) load() error {
	var files [3][]byte
	for i, of := range []struct{ setting, file string }{
		{"caFile", f.CAFile}, {"certFile", f.CertFile}, {"keyFile", f.KeyFile},
	} {
		if of.file == "" {
			continue
		}
		var err error
		if files[i], err = os.ReadFile(of.file); err != nil {
			return lcm.Wrap(lcm.KindInvalid, err, "The file %s of %s.%s cannot be read.", of.file, f.Section, of.setting)
		}
	}
	if f.config != nil && bytes.Equal(files[0], f.files[0]) && bytes.Equal(files[1], f.files[1]) &&
		bytes.Equal(files[2], f.files[2]) {
		return nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CAFile != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(files[0]) {
			return lcm.Errorf(lcm.KindInvalid, "The file %s of %s.caFile holds no certificate.", f.CAFile, f.Section)
		}
	}
	if f.CertFile != "" || f.KeyFile != "" {
		cert, err := tls.X509KeyPair(files[1], files[2])
		if err != nil {
			return lcm.Wrap(lcm.KindInvalid, err, "%s.certFile and %s.keyFile are no certificate with its key.", f.Section,
				f.Section)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	f.config, f.files = config, files
	return nil
}

// Renewed makes requests through the transport that build makes, and builds another one when the configuration is
// another value: connections that are open go on with the former one, but no new request uses them. With nil, the
// configuration is the zero value.
func Renewed(current func() *tls.Config, build func(*tls.Config) *http.Transport) http.RoundTripper {
	if current == nil {
		return build(nil)
	}
	return &renewed{current: current, build: build}
}

type renewed struct {
	current func() *tls.Config
	build   func(*tls.Config) *http.Transport

	mu        sync.Mutex
	config    *tls.Config
	transport *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (r *renewed) RoundTrip(req *http.Request) (*http.Response, error) { return r.now().RoundTrip(req) }

// CloseIdleConnections lets http.Client do so.
func (r *renewed) CloseIdleConnections() { r.now().CloseIdleConnections() }

func (r *renewed) now() *http.Transport {
	config := r.current()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.transport == nil || config != r.config {
		if r.transport != nil {
			r.transport.CloseIdleConnections()
		}
		r.config, r.transport = config, r.build(config.Clone())
	}
	return r.transport
}
