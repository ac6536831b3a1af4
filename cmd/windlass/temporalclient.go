package main

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strings"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// secureTemporal says how Windlass and Temporal's frontend know each other. It writes a line to the log if nothing
// protects the connection.
func (b *backends) secureTemporal(ctx context.Context, t config.Temporal, o *client.Options) error {
	if !t.Encrypted() {
		if !onLoopback(t.Address) {
			b.log.WarnContext(ctx, "Temporal is reached without TLS: whoever reads or answers in its place can change "+
				"operations. Set temporal.caFile, and temporal.certFile or temporal.apiKeyFile", "address", t.Address)
		}
		return nil
	}
	current, err := b.tlsOf("temporal", t.CAFile, t.CertFile, t.KeyFile)
	if err != nil {
		return err
	}
	// The client's own TLS says that there is one; the option takes its place at each new connection.
	o.ConnectionOptions.TLS = current()
	o.ConnectionOptions.DialOptions = append(o.ConnectionOptions.DialOptions,
		grpc.WithTransportCredentials(outbound.Credentials(current, t.ServerName)))
	if t.APIKeyFile == "" {
		return nil
	}
	if _, err := readAPIKey(t.APIKeyFile); err != nil {
		return err
	}
	o.Credentials = client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) {
		return readAPIKey(t.APIKeyFile)
	})
	return nil
}

func readAPIKey(file string) (string, error) {
	key, err := os.ReadFile(file)
	if err != nil {
		return "", lcm.Wrap(lcm.KindInvalid, err, "The file %s of temporal.apiKeyFile cannot be read.", file)
	}
	if len(strings.TrimSpace(string(key))) == 0 {
		return "", lcm.Errorf(lcm.KindInvalid, "The file %s of temporal.apiKeyFile is empty.", file)
	}
	return strings.TrimSpace(string(key)), nil
}

func onLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
