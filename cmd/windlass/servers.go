package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/sources"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/vim/all"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/worker"
)

// backends are the services behind the API server and the worker.
type backends struct {
	config   config.Config
	log      *slog.Logger
	registry *prometheus.Registry
	export   *telemetry.Export
	drift    *telemetry.DriftMetrics // of a worker
	metrics  *telemetry.OperationMetrics
	vims     *telemetry.VimMetrics
	store    *store.Store
	vault    *secrets.Vault
	codec    *secrets.Codec
	temporal client.Client
	// subscribers get notifications about VNFs.
	subscribers *nfvo.Subscribers
	sources     *nfvo.Fetcher    // of packages
	files       *sources.Fetcher // of manifests and charts
	trust       archive.Trust
	nfvo        *nfvo.Orchestrator // nil when none is configured
}

// open connects to the database and makes a client of Temporal, which connects when it is first used: the
// API server serves reads while Temporal is away.
func open(ctx context.Context, cfg config.Config, service string) (_ *backends, err error) {
	limitMemory()
	b := &backends{
		config: cfg, log: telemetry.NewLogger(os.Stderr, cfg.Log.Level, cfg.Log.Format),
		registry: telemetry.NewRegistry(versionText()),
	}
	b.vims = telemetry.NewVimMetrics(b.registry)
	keyring, err := loadKeyring(ctx, cfg.Keys)
	if err != nil {
		return nil, err
	}
	if b.export, err = b.exportOf(ctx, cfg.Telemetry, service); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = b.export.Close() // nothing has been made yet that it could tell
		}
	}()
	if b.subscribers, err = b.subscribersOf(cfg.Notifications); err != nil {
		return nil, err
	}
	if b.sources, err = b.sourcesOf(cfg); err != nil {
		return nil, err
	}
	if b.files, err = b.filesOf(cfg.Packages); err != nil {
		return nil, err
	}
	if b.nfvo, err = b.orchestratorOf(cfg); err != nil {
		return nil, err
	}
	if b.trust, err = trustOf(cfg.Packages); err != nil {
		return nil, err
	}
	b.codec = secrets.NewCodec(keyring)
	b.codec.ClearUntil = cfg.Temporal.ClearHistoriesUntil
	options, openStore := client.Options{
		HostPort: cfg.Temporal.Address, Namespace: cfg.Temporal.Namespace,
		Logger: log.NewStructuredLogger(telemetry.ForTemporal(b.log, func() bool { return ctx.Err() != nil })),
	}, store.OpenWith
	if b.export.Tracing.On() {
		options.Interceptors, openStore = []interceptor.ClientInterceptor{&telemetry.ClientInterceptor{}}, store.OpenTraced
	}
	if err = b.secureTemporal(ctx, cfg.Temporal, &options); err != nil {
		return nil, err
	}
	b.temporal, err = client.NewLazyClient(b.codec.Secure(options))
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The client of Temporal at %s cannot be made.", cfg.Temporal.Address)
	}
	if b.store, err = openStore(ctx, cfg.Database.URL, cfg.Database.Connections); err != nil {
		b.temporal.Close()
		return nil, err
	}
	b.vault = secrets.NewVault(keyring, b.store)
	return b, nil
}

func (b *backends) close() {
	b.temporal.Close()
	b.store.Close()
	if err := b.export.Close(); err != nil {
		b.log.Warn("The last traces or metrics were not exported", "error", err)
	}
}

// exportOf sends traces and metrics where the settings say; nowhere by default.
func (b *backends) exportOf(ctx context.Context, t config.Telemetry, service string) (*telemetry.Export, error) {
	s := telemetry.Settings{
		Traces: t.On && t.Traces, Metrics: t.On && t.Metrics, Endpoint: t.Endpoint, HTTP: t.Protocol == config.TelemetryHTTP,
		SampleRatio: t.SampleRatio, Interval: t.MetricsInterval, Service: "windlass-" + service, Version: versionText(),
	}
	if t.CAFile != "" {
		var err error
		if s.TLS, err = b.tlsOf("telemetry", t.CAFile, "", ""); err != nil {
			return nil, err
		}
	}
	return telemetry.NewExport(ctx, s, b.registry, b.log)
}

func newAPIServer() *cobra.Command {
	needs := []config.Need{
		config.NeedDatabase, config.NeedTemporal, config.NeedAPI, config.NeedNotifications,
		config.NeedNFVO, config.NeedPackages, config.NeedVims, config.NeedKeys, config.NeedToken, config.NeedPlans,
		config.NeedTelemetry,
	}
	cmd := &cobra.Command{
		Use:   "apiserver",
		Short: "Serve the SOL003 API, the package and VIM registries and the progress of operations",
		Long: `Serve the northbound API. You may run any number of API servers: all state is in the database.
Every flag is also a setting of the YAML file and of the environment: --api-listen is api.listen there and
WINDLASS_API_LISTEN here. Give the database's password by one of the latter two.`,
		Example: `  windlass apiserver --config /etc/windlass/windlass.yaml
  WINDLASS_DATABASE_URL=postgres://windlass:secret@db/windlass windlass apiserver --keys-file /etc/windlass/keys`,
		Args: exactly(),
	}
	return serving(cmd, needs, (*backends).serveAPI)
}

// serving lets cmd load its settings, open the services that they name, and run until it is told to stop.
func serving(cmd *cobra.Command, needs []config.Need, run func(*backends, context.Context) error) *cobra.Command {
	config.AddFlags(cmd.Flags(), needs...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), needs...)
		if err != nil {
			return err
		}
		b, err := open(cmd.Context(), cfg, cmd.Name())
		if err != nil {
			return err
		}
		defer b.close()
		return run(b, cmd.Context())
	}
	return cmd
}

func (b *backends) serveAPI(ctx context.Context) error {
	workflows := &apiserver.Temporal{Client: b.temporal, Names: b.store}
	telemetry.RegisterDriftFindings(b.registry, b.store.DriftCount)
	telemetry.RegisterLoad(b.registry, b.store.Load)
	registered := clouds{guard: b.vimGuard(), transport: b.vims.Transport}
	python := b.config.UserData.Python != ""
	options := apiserver.Options{
		API: b.config.API, Limits: b.config.Limits, Audit: b.config.Audit, Notifications: b.config.Notifications,
		Scripts: b.config.Scripts, ShutdownGrace: b.config.ShutdownGrace,
		Python: python, PodNetwork: b.config.Kubernetes.PodNetwork.From != "",
		GrantedByNFVO: b.nfvo != nil && b.config.NFVO.Grants,
		Store:         b.store, Vault: b.vault, Starter: workflows, Watcher: workflows, Checks: workflows,
		Vims: registered, Clusters: registered, VimAddresses: b.vimGuard(),
		Surveyor:    worker.NewSurveyor(b.workerOptions(), python),
		Subscribers: b.subscribers, Sources: b.sources, Files: b.files, PackageTrust: b.trust,
		Log: b.log, Metrics: telemetry.Handler(b.registry), HTTPMetrics: telemetry.NewHTTPMetrics(b.registry),
		Tracing: b.export.Tracing, Version: versionText(),
		Ready: map[string]func(context.Context) error{"temporal": workflows.Ready},
	}
	if b.nfvo != nil && b.config.NFVO.Packages != config.PackagesOff {
		options.NFVOPackages = b.nfvo
	}
	if b.config.API.Codec {
		options.Codec = b.codec
	}
	if err := b.secure(&options); err != nil {
		return err
	}
	server, err := apiserver.New(options)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}

// vimGuard says where VIMs and their nodes may be.
func (b *backends) vimGuard() outbound.Guard {
	return outbound.Guard{Denied: b.config.Vims.DeniedNetworks, Section: "vims", What: "no VIM and no node may have it"}
}

// clouds tries the credentials of a VIM before its registration, and makes new credentials for registered clusters.
type clouds struct {
	guard     outbound.Guard
	transport func(http.RoundTripper) http.RoundTripper
}

func (c clouds) Check(
	ctx context.Context, vim lcm.Vim, credentials map[string]any,
) (found lcm.VimFindings, err error) {
	kind, ok := registry.Of(all.Kinds, vim.Type)
	if !ok {
		return found, lcm.Errorf(lcm.KindInvalid, "Windlass does not support VIMs of type %q.", vim.Type)
	}
	return kind.Check(ctx, vim, credentials, c.reach())
}

func (c clouds) reach() registry.Reach {
	return registry.Reach{Guard: c.guard, Wraps: []func(http.RoundTripper) http.RoundTripper{c.transport}}
}

// Quotas tells how much a VIM lets its project or namespace use.
func (c clouds) Quotas(ctx context.Context, vim lcm.Vim, credentials map[string]any) ([]lcm.VimQuota, error) {
	kind, ok := registry.Of(all.Kinds, vim.Type)
	if !ok {
		return nil, lcm.Errorf(lcm.KindInvalid, "Windlass does not support VIMs of type %q.", vim.Type)
	}
	return kind.Quotas(ctx, vim, credentials, c.reach())
}

func (clouds) Read(vim lcm.Vim, cred map[string]any, path string) (lcm.Vim, map[string]any, error) {
	return kubernetes.ReadKubeconfig(vim, cred, path)
}

func (c clouds) Kubeconfig(ctx context.Context, vim lcm.Vim, credentials map[string]any, lifetime time.Duration) (
	text string, expires time.Time, err error,
) {
	return kubernetes.Kubeconfig(ctx, vim, credentials, lifetime, c.guard, c.transport)
}

func newMigrate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema up to date",
		Long: `Bring the schema of Windlass's database up to date. Run it before the new version's servers; it may run at any
time and from several places at once. 'windlass dev' does so by itself.`,
		Example: "  WINDLASS_DATABASE_URL=postgres://windlass:secret@db/windlass windlass migrate",
		Args:    exactly(),
	}
	config.AddFlags(cmd.Flags(), config.NeedDatabase)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), config.NeedDatabase)
		if err != nil {
			return err
		}
		if err := store.Migrate(cmd.Context(), cfg.Database.URL); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "The database's schema is up to date.")
		return err
	}
	return cmd
}
