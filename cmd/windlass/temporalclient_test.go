package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpccreds "google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/windlass-nfv/windlass/internal/certtest"
	"github.com/windlass-nfv/windlass/internal/config"
)

// frontend is a frontend of Temporal that lets in who has a certificate of its authority, and its API key.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	key string
}

// GetSystemInfo implements workflowservice.WorkflowServiceServer: it is the first call of a client.
func (f *frontend) GetSystemInfo(
	ctx context.Context, _ *workflowservice.GetSystemInfoRequest,
) (*workflowservice.GetSystemInfoResponse, error) {
	told, _ := metadata.FromIncomingContext(ctx)
	if f.key != "" && strings.Join(told.Get("authorization"), "") != "Bearer "+f.key {
		return nil, status.Error(codes.Unauthenticated, "no key")
	}
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func TestSecureTemporal_knowsTheFrontendAndIsKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	ca := certtest.New(t, "authority")
	ca.Write(dir, "temporal.example", func(c *x509.Certificate) { c.DNSNames = []string{"temporal.example"} })
	ca.Write(dir, "windlass.example")
	own, err := tls.LoadX509KeyPair(file("temporal.example.pem"), file("temporal.example.key"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(file("strange"), 0o700))
	certtest.New(t, "strangers").Write(file("strange"), "stranger.example")
	require.NoError(t, os.WriteFile(file("api.key"), []byte("key-of-windlass\n"), 0o600))

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer(grpc.Creds(grpccreds.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientCAs: ca.Pool(), ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS12,
	})))
	workflowservice.RegisterWorkflowServiceServer(server, &frontend{key: "key-of-windlass"})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)

	good := config.Temporal{
		Address: listener.Addr().String(), CAFile: file("CA.pem"), CertFile: file("windlass.example.pem"),
		KeyFile: file("windlass.example.key"), ServerName: "temporal.example", APIKeyFile: file("api.key"),
	}
	for name, c := range map[string]struct {
		edit func(*config.Temporal)
		want string
	}{
		"all is right":         {func(*config.Temporal) {}, ""},
		"no TLS":               {func(c *config.Temporal) { *c = config.Temporal{Address: c.Address} }, "failed reaching server"},
		"an unknown authority": {func(c *config.Temporal) { c.CAFile = file("strange/CA.pem") }, "unknown authority"},
		"another name":         {func(c *config.Temporal) { c.ServerName = "elsewhere.example" }, "elsewhere.example"},
		"no certificate":       {func(c *config.Temporal) { c.CertFile, c.KeyFile = "", "" }, "failed reaching server"},
		"a stranger's": {func(c *config.Temporal) {
			c.CertFile, c.KeyFile = file("strange/stranger.example.pem"), file("strange/stranger.example.key")
		}, "failed reaching server"}, // what the system says of a connection that is closed depends on the moment
		"no API key":               {func(c *config.Temporal) { c.APIKeyFile = "" }, "no key"},
		"a file that is not there": {func(c *config.Temporal) { c.APIKeyFile = file("none") }, "of temporal.apiKeyFile cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := good
			c.edit(&settings)
			err := reach(t, settings)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "key-of-windlass")
		})
	}
}

func reach(t *testing.T, settings config.Temporal) error {
	t.Helper()
	b := &backends{log: slog.New(slog.DiscardHandler)}
	o := client.Options{HostPort: settings.Address, Namespace: "windlass"}
	if err := b.secureTemporal(t.Context(), settings, &o); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // the client tries again meanwhile
	defer cancel()
	c, err := client.DialContext(ctx, o)
	if err == nil {
		c.Close()
	}
	return err
}

func TestSecureTemporal_saysThatNothingProtectsIt(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"127.0.0.1:7233": false, "localhost:7233": false, "[::1]:7233": false, "temporal:7233": true} {
		var out bytes.Buffer
		b := &backends{log: slog.New(slog.NewJSONHandler(&out, nil))}
		require.NoError(t, b.secureTemporal(t.Context(), config.Temporal{Address: address}, &client.Options{}))
		assert.Equal(t, want, strings.Contains(out.String(), "Temporal is reached without TLS"), address)
	}
}
