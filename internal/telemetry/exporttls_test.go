package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

// TestExportTLS_takesNewAuthorities calls a collector whose authority becomes known while Windlass runs.
func TestExportTLS_takesNewAuthorities(t *testing.T) {
	t.Parallel()
	to := httptest.NewUnstartedServer(http.NotFoundHandler())
	to.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	to.StartTLS()
	t.Cleanup(to.Close)
	now := &tls.Config{RootCAs: x509.NewCertPool(), NextProtos: []string{"http/1.1"}}
	s := Settings{TLS: func() *tls.Config { return now }}
	credentials, client := outbound.Credentials(s.TLS, "").Clone(), s.client()
	shake := func() error {
		conn, err := net.Dial("tcp", to.Listener.Addr().String()) //nolint:noctx // a test
		require.NoError(t, err)
		defer conn.Close()
		_, _, err = credentials.ClientHandshake(t.Context(), "127.0.0.1", conn)
		return err
	}
	get := func() error {
		resp, err := client.Get(to.URL) //nolint:noctx // a test
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	require.ErrorContains(t, shake(), "unknown authority")
	require.ErrorContains(t, get(), "unknown authority")
	now = now.Clone()
	now.RootCAs.AddCert(to.Certificate())
	require.NotContains(t, errText(shake()), "unknown authority") // gRPC goes on to want HTTP/2
	require.NoError(t, get())
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
