package auth_test

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/certtest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// serve runs a server that answers with the name of the authenticated client.
func serve(t *testing.T, config *tls.Config, methods auth.Chain) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{
		TLSConfig: config, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			i, err := methods.Authenticate(r)
			if err != nil {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Client", i.Client)
			w.Header().Set("Project", string(i.Project))
		}),
	}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return "https://" + listener.Addr().String()
}

func clientOf(config *tls.Config) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: config, DisableKeepAlives: true, ForceAttemptHTTP2: true,
	}}
}

func TestServerTLS_takesARenewedCertificateWithoutARestart(t *testing.T) {
	ca, dir := certtest.New(t, "servers"), t.TempDir()
	cert, key := ca.Issue(certtest.Named("first"))
	files := &auth.ServerTLS{
		CertFile: write(t, dir, "cert", cert), KeyFile: write(t, dir, "key", key), Log: slog.New(slog.DiscardHandler),
	}
	config, err := files.Config()
	require.NoError(t, err)
	url := serve(t, config, nil)
	shown := func() string {
		conn, err := (&tls.Dialer{Config: &tls.Config{RootCAs: ca.Pool()}}).DialContext(t.Context(), "tcp",
			strings.TrimPrefix(url, "https://"))
		require.NoError(t, err)
		defer conn.Close()
		return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	require.Equal(t, "first", shown())

	// In the middle of a renewal the new certificate is there, but not its key. The server keeps the former pair.
	cert, key = ca.Issue(certtest.Named("second"))
	write(t, dir, "cert", cert)
	for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end); {
		require.Equal(t, "first", shown())
	}
	write(t, dir, "key", key)
	require.Eventually(t, func() bool { return shown() == "second" }, time.Minute, 50*time.Millisecond)

	require.NoError(t, os.Remove(files.KeyFile))
	require.Equal(t, "second", shown(), "what is gone is missed at the next start")
}

func TestServerTLS_saysWhatIsWrongAtTheStart(t *testing.T) {
	ca, dir := certtest.New(t, "servers"), t.TempDir()
	cert, key := ca.Issue(certtest.Named("server"))
	_, otherKey := ca.Issue(certtest.Named("other"))
	good := auth.ServerTLS{
		CertFile: write(t, dir, "cert", cert), KeyFile: write(t, dir, "key", key),
		ClientCAFile: write(t, dir, "ca", ca.PEM),
	}
	for name, change := range map[string]func(*auth.ServerTLS){
		"no file":      func(s *auth.ServerTLS) { s.CertFile = dir + "/absent" },
		"not its key":  func(s *auth.ServerTLS) { s.KeyFile = write(t, dir, "other", otherKey) },
		"no authority": func(s *auth.ServerTLS) { s.ClientCAFile = write(t, dir, "none", []byte("hello")) },
	} {
		files := auth.ServerTLS{
			CertFile: good.CertFile, KeyFile: good.KeyFile, ClientCAFile: good.ClientCAFile,
			Log: slog.New(slog.DiscardHandler),
		}
		change(&files)
		_, err := files.Config()
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%s: %v", name, err)
	}
}

func TestCertificates_authenticateClients(t *testing.T) {
	servers, clients, strangers, dir := certtest.New(t, "servers"), certtest.New(t, "clients"),
		certtest.New(t, "strangers"), t.TempDir()
	cert, key := servers.Issue(certtest.Named("vnfm"))
	files := &auth.ServerTLS{
		CertFile: write(t, dir, "cert", cert), KeyFile: write(t, dir, "key", key),
		ClientCAFile: write(t, dir, "ca", clients.PEM), Log: slog.New(slog.DiscardHandler),
	}
	config, err := files.Config()
	require.NoError(t, err)
	known, err := auth.ParseClients("nfvo.example=edge/write, spiffe://example/ops=default/admin")
	require.NoError(t, err)
	url := serve(t, config, auth.Chain{&auth.Certificates{Clients: known}})
	ask := func(cert, key []byte) (*http.Response, error) {
		conf := &tls.Config{RootCAs: servers.Pool()}
		if cert != nil {
			pair, err := tls.X509KeyPair(cert, key)
			require.NoError(t, err)
			// The client sends its certificate even if the server does not ask for its authority.
			conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		resp, err := clientOf(conf).Get(url)
		if err == nil {
			resp.Body.Close()
		}
		return resp, err
	}
	resp, err := ask(clients.Issue(certtest.Named("nfvo.example")))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Equal(t, "certificate nfvo.example", resp.Header.Get("Client"))
	assert.Equal(t, "edge", resp.Header.Get("Project"))
	resp, err = ask(clients.Issue(withURI(t, "spiffe://example/ops")))
	require.NoError(t, err)
	assert.Equal(t, "certificate spiffe://example/ops", resp.Header.Get("Client"))

	resp, err = ask(clients.Issue(certtest.Named("somebody.example")))
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	resp, err = ask(nil, nil)
	require.NoError(t, err, "who shows none is not cut off: a token may do")
	assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
	_, err = ask(strangers.Issue(certtest.Named("nfvo.example")))
	require.Error(t, err, "a certificate of another authority")
}

func TestParseClients(t *testing.T) {
	for _, bad := range []string{
		"", "nfvo", "nfvo=edge", "nfvo=edge/root", "=edge/read", "nfvo=/read",
		"a=b/read,a=c/read", "a=b/read,",
	} {
		_, err := auth.ParseClients(bad)
		require.True(t, lcm.Is(err, lcm.KindInvalid), bad)
	}
}
