package telemetry

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

// exportTimeout bounds a request over HTTP, as the standard has it.
const exportTimeout = 10 * time.Second

// client is for a collector that is called over HTTP.
func (s Settings) client() *http.Client {
	return &http.Client{Timeout: exportTimeout, Transport: outbound.Renewed(s.TLS, func(c *tls.Config) *http.Transport {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = c
		return t
	})}
}

// renewedCredentials are for a collector that is called by gRPC. They read the authorities at each new connection.
type renewedCredentials struct{ current func() *tls.Config }

// ClientHandshake implements credentials.TransportCredentials.
func (r renewedCredentials) ClientHandshake(
	ctx context.Context, authority string, conn net.Conn,
) (net.Conn, credentials.AuthInfo, error) {
	return r.now().ClientHandshake(ctx, authority, conn)
}

// ServerHandshake implements credentials.TransportCredentials; Windlass is never the server here.
func (r renewedCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.now().ServerHandshake(conn)
}

// Info implements credentials.TransportCredentials.
func (r renewedCredentials) Info() credentials.ProtocolInfo { return r.now().Info() }

// Clone implements credentials.TransportCredentials.
func (r renewedCredentials) Clone() credentials.TransportCredentials { return r }

// OverrideServerName implements credentials.TransportCredentials; gRPC does not call it any more.
func (r renewedCredentials) OverrideServerName(string) error { return nil }

func (r renewedCredentials) now() credentials.TransportCredentials {
	return credentials.NewTLS(r.current())
}
