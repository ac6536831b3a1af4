package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/server_options"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// startTimeout bounds the start on a slow machine: the first one makes two schemas.
const startTimeout = 2 * time.Minute

// serve runs the cluster, its Web UI and the health endpoint until ctx is done.
func serve(ctx context.Context, o options, logger *slog.Logger) error {
	begun := time.Now()
	server, err := newServer(o, logger)
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the Temporal server: %w", err)
	}
	defer func() { _ = server.Stop() }() // the process ends here in any case

	own, err := o.access.clientTLS()
	if err != nil {
		return err
	}
	sdk, err := client.NewLazyClient(client.Options{
		HostPort: o.listen.String(), Namespace: o.namespace, Logger: log.NewStructuredLogger(logger),
		ConnectionOptions: client.ConnectionOptions{TLS: own},
	})
	if err != nil {
		return fmt.Errorf("make a client of the Temporal server: %w", err)
	}
	defer sdk.Close()

	failed := make(chan error, 2)
	var ready atomic.Bool
	if o.health.IsValid() {
		health := serveHealth(o.health.String(), sdk, &ready, failed)
		defer func() { _ = health.Close() }()
	}
	prepare, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := prepareNamespace(prepare, sdk, o); err != nil {
		if ctx.Err() != nil {
			return nil // told to stop while starting
		}
		return err
	}
	if o.ui.IsValid() {
		ui := serveUI(o, failed)
		defer ui.Stop()
	}
	ready.Store(true)
	fmt.Printf("Temporal answers on %s after %s\n", o.listen, time.Since(begun).Round(time.Millisecond))

	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

func serveUI(o options, failed chan<- error) *uiserver.Server {
	ui := uiserver.NewServer(server_options.WithConfigProvider(&uiconfig.Config{
		Host: o.ui.Addr().String(), Port: int(o.ui.Port()),
		TemporalGRPCAddress: o.listen.String(),
		TLS:                 o.access.uiTLS(),
		DefaultNamespace:    o.namespace,
		EnableUI:            true,
		Codec:               uiconfig.Codec{Endpoint: o.codec},
		CORS:                uiconfig.CORS{CookieInsecure: true}, // plain HTTP on the loopback interface
		HideLogs:            true,
		DisableNewsFetch:    true, // it would call out to the internet
	}))
	go func() {
		if err := ui.Start(); err != nil && !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve the Web UI on %s: %w", o.ui, err)
		}
	}()
	return ui
}

// serveHealth answers /readyz: 200 when the namespace can be used and the frontend answers now.
func serveHealth(address string, sdk client.Client, ready *atomic.Bool, failed chan<- error) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		if _, err := sdk.CheckHealth(r.Context(), nil); err != nil {
			http.Error(w, "the frontend does not answer", http.StatusServiceUnavailable)
		}
	})
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve health on %s: %w", address, err)
		}
	}()
	return server
}
