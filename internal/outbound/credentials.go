package outbound

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc/credentials"
)

// Credentials are the TLS of a client of gRPC, with the configuration as it is now at each new connection. server is the
// name in the other side's certificate, "" for the name that is dialled.
func Credentials(current func() *tls.Config, server string) credentials.TransportCredentials {
	return renewedCredentials{current: current, server: server}
}

type renewedCredentials struct {
	current func() *tls.Config
	server  string
}

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
	config := r.current().Clone()
	config.ServerName = r.server
	return credentials.NewTLS(config)
}
