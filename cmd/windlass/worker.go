package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim/all"
	"github.com/windlass-nfv/windlass/worker"
)

// The pauses before a worker that Temporal did not take tries again.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 15 * time.Second
)

func newWorker() *cobra.Command {
	needs := []config.Need{
		config.NeedDatabase, config.NeedTemporal, config.NeedNotifications, config.NeedNFVO,
		config.NeedPackages, config.NeedVims, config.NeedKeys, config.NeedToken, config.NeedPlans,
		config.NeedWorker, config.NeedTelemetry,
	}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Carry out lifecycle operations: workflows and activities",
		Long: `Carry out lifecycle operations. You may run any number of workers. A worker that stops lets its activities end
within --shutdown-grace. Another worker goes on with the rest. Commands on nodes survive both.`,
		Example: `  windlass worker --config /etc/windlass/windlass.yaml
  windlass worker --worker-concurrency 50 --shutdown-grace 2m`,
		Args: exactly(),
	}
	return serving(cmd, needs, (*backends).work)
}

// work runs the worker and its health endpoint until ctx ends.
func (b *backends) work(ctx context.Context) error {
	if runner := b.userData(); runner != nil {
		if err := runner.Check(ctx); err != nil { // at once, and not in the first operation
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	b.drift, b.metrics = telemetry.NewDriftMetrics(b.registry), telemetry.NewOperationMetrics(b.registry)
	var polling atomic.Bool
	g.Go(func() error { return b.pollTemporal(ctx, &polling) })
	g.Go(func() error {
		n := b.config.Notifications
		limits := store.OutboxLimits{Waiting: n.Waiting, KeepFor: n.RetryFor + n.KeepFor} // it died after retryFor
		return (&worker.Relay{Client: b.temporal, Store: b.store, Log: b.log, Limits: limits}).Run(ctx)
	})
	if b.config.Worker.Metrics != "" {
		g.Go(func() error { return b.serveHealth(ctx, &polling) })
	}
	return g.Wait()
}

// pollTemporal keeps a worker running: Temporal may be away at the start, or for long.
func (b *backends) pollTemporal(ctx context.Context, polling *atomic.Bool) error {
	stop := make(chan any)
	defer context.AfterFunc(ctx, func() { close(stop) })()
	for pause := firstRetry; ctx.Err() == nil; pause = min(2*pause, lastRetry) {
		_, err := b.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
		if err == nil {
			b.log.InfoContext(ctx, "Worker polls", "taskQueue", lcm.TaskQueue, "temporal", b.config.Temporal.Address)
			polling.Store(true)
			go b.takeOver(ctx)
			err = b.newWorker().Run(stop) // returns when stop is closed, or Temporal refuses for good
			polling.Store(false)
		}
		if ctx.Err() != nil {
			return nil
		}
		b.log.WarnContext(ctx, "Temporal does not accept the worker; it tries again",
			"temporal", b.config.Temporal.Address,
			"after", pause.String(), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// newWorker makes a worker for a single run: the SDK's worker cannot be started twice.
func (b *backends) newWorker() *worker.Worker {
	return worker.New(b.workerOptions())
}

// takeOver immediately continues the work of a killed worker of this machine.
func (b *backends) takeOver(ctx context.Context) {
	if err := worker.TakeOver(ctx, b.workerOptions()); err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "Activities of a worker that is gone may wait for their heartbeat timeout", "error", err)
	}
}

func (b *backends) workerOptions() worker.Options {
	o := worker.Options{
		Client: b.temporal, Namespace: b.config.Temporal.Namespace, Store: b.store, Vault: b.vault, Log: b.log,
		Sources: b.sources, PackageTrust: b.trust, Subscribers: b.subscribers, NotifyFor: b.config.Notifications.RetryFor,
		Worker: b.config.Worker, Scripts: b.config.Scripts, Reach: reachOf(b.config), ShutdownGrace: b.config.ShutdownGrace,
		Clusters: k8s.Defaults{
			AptRepository: b.config.Kubernetes.Apt.Repository(), AptKey: b.config.Kubernetes.Apt.Key,
			PodNetwork: k8s.PodNetwork(b.config.Kubernetes.PodNetwork),
		}, Files: b.files,
		Starter: &apiserver.Temporal{Client: b.temporal, Names: b.store}, DriftMetrics: b.drift,
		NFVOPackages: b.nfvo, GrantPoll: b.config.NFVO.GrantPoll, Endpoint: b.config.API.Endpoint,
		UserData: b.userData(), VimKinds: all.Kinds, VimGuard: b.vimGuard(),
		Tracing: b.export.Tracing, Metrics: b.metrics, VimTransport: b.vims.Transport,
	}
	if b.nfvo != nil && b.config.NFVO.Grants {
		o.NFVO, o.GrantPatience = b.nfvo, b.config.NFVO.GrantTimeout
	}
	return o
}

// userData runs user data classes of packages; nil where none are to be run.
func (b *backends) userData() *userdata.Runner {
	if b.config.UserData.Python == "" {
		return nil
	}
	return &userdata.Runner{Python: b.config.UserData.Python, Time: b.config.UserData.Timeout}
}

// serveHealth answers /healthz, /readyz and /metrics.
func (b *backends) serveHealth(ctx context.Context, polling *atomic.Bool) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !polling.Load() {
			http.Error(w, "does not poll Temporal yet", http.StatusServiceUnavailable)
			return
		}
		if err := b.store.Ping(r.Context()); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		}
	})
	mux.Handle("GET /metrics", telemetry.Handler(b.registry))
	server := &http.Server{
		Addr: b.config.Worker.Metrics, Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return lcm.Wrap(lcm.KindUnavailable, err, "The worker cannot serve its health on %s.", b.config.Worker.Metrics)
	}
	return nil
}
