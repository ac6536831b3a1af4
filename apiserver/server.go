// Package apiserver is Windlass's northbound HTTP API: SOL003 VNF lifecycle management in two versions, VNF packages,
// the VIM registry, and the progress of operations. This package holds the server itself: authentication, and the
// middleware of all requests. Each family of the API has a folder, with a file for each resource. A handler binds,
// validates, calls, and maps. The server starts workflows by name, and knows nothing of their code.
package apiserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"go.temporal.io/sdk/converter"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/apiserver/extensions"
	"github.com/windlass-nfv/windlass/apiserver/openapi"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/subscriptions"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/apiserver/vims"
	"github.com/windlass-nfv/windlass/apiserver/vnflcm"
	"github.com/windlass-nfv/windlass/apiserver/vnfpkgm"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// Watcher tells which workflows are alive; the reconciler needs it.
type Watcher interface {
	// Running is false when the workflow of an operation is closed, or was never started.
	Running(ctx context.Context, id lcm.OpOccID) (bool, error)
}

// Options configure a Server.
type Options struct {
	// API and the next four are settings. Location and _links are made of API.Endpoint, never of a request's Host header.
	// 0 for API.MaxUploadMiB, Limits.BodyKiB and Limits.URIBytes means the setting's default.
	API           config.API
	Limits        config.Limits
	Audit         config.Audit
	Notifications config.Notifications
	Scripts       config.Scripts
	// Listener, when set, is used instead of API.Listen.
	Listener net.Listener

	Store   *store.Store
	Vault   *secrets.Vault
	Starter vnflcm.Starter
	Vims    vims.Checker // nil: credentials are not tried
	// Surveyor asks VIMs about plans; nil asks none.
	Surveyor vnflcm.Surveyor
	// VimAddresses say where VIMs may be; nil: anywhere.
	VimAddresses rest.VimAddresses
	// Subscribers tries the callback URIs of subscriptions; nil takes them as they are.
	Subscribers subscriptions.Subscribers
	// Sources refuses URIs that no package is fetched from; nil takes them as they are.
	Sources vnfpkgm.Sources
	// GrantedByNFVO tells that an NFVO grants operations: it may have the networks and the VIM that a request lacks.
	GrantedByNFVO bool
	// PodNetwork is set if the configuration has a pod network for clusters whose request names none.
	PodNetwork bool
	// NFVOPackages asks the NFVO for VNFDs that are not on board here; nil asks nobody. FetchPatience is how long a
	// request waits for such a package; 0 means 20 s.
	NFVOPackages  vnflcm.NFVOPackages
	FetchPatience time.Duration

	Watcher Watcher // nil: nothing is reconciled
	Checks  extensions.DriftChecks
	// Clusters makes kubeconfigs for clusters that are VIMs.
	Clusters extensions.Clusters

	Log     *slog.Logger
	Metrics http.Handler // served at /metrics when set
	// HTTPMetrics counts and times requests when set.
	HTTPMetrics *telemetry.HTTPMetrics
	// Tracing makes a span of each request when set.
	Tracing *telemetry.Tracing
	// Ready are further conditions of /readyz by name; the database is always a condition.
	Ready map[string]func(context.Context) error
	// Version is the program's, shown at /windlass/v1/version.
	Version string

	// Codec decrypts Temporal's payloads for the temporal command and, from API.CodecOrigins, for the Web UI; nil serves
	// nobody.
	Codec converter.PayloadCodec

	// Auth identifies clients; nil lets everybody do everything, without credentials.
	Auth Authenticator
	// Security is how the document of the API tells of Auth.
	Security openapi.Security
	// Page holds the settings of the web page at /ui; Passwords and Codes are its ways to log in.
	Page      ui.Settings
	Passwords ui.Passwords
	Codes     ui.Codes
	// TLS serves https; nil: http. It is made from the files of API.TLS.
	TLS *tls.Config

	PackageLimits archive.Limits
	// PackageTrust says whose packages the server accepts; its zero value accepts all.
	PackageTrust archive.Trust
	// Files fetches manifests and charts that are not in VNF packages; nil fetches none.
	Files vnflcm.Files
	// Python tells whether workers run the user data classes of packages.
	Python bool
	// RequestTimeout bounds everything but uploads, downloads and event streams; 0 means 30 s.
	RequestTimeout time.Duration
	// Patience is how long a client may take to send a body, and for each 64 KiB of an upload or of an answer; 0 means
	// 30 s.
	Patience time.Duration
	// Heartbeat is how often a silent event stream shows that it lives; 0 means 15 s.
	Heartbeat time.Duration
	// ReconcileEvery is the interval of the reconciler; 0 means 5 s. StartAfter is the age at which the reconciler starts
	// an operation that its own server did not start; 0 means 10 s.
	ReconcileEvery, StartAfter time.Duration
	// LookAtVimsEvery is how often each Kubernetes of the registry is looked at, for its status; 0 means a minute.
	LookAtVimsEvery time.Duration
	// ShutdownGrace is how long requests under way may take to end; 0 means 15 s.
	ShutdownGrace time.Duration
}

// Server is the API server.
type Server struct {
	Options
	base    string
	log     *slog.Logger
	backend *rest.Backend
	handler http.Handler
	// streams ends when the server shuts down: long-lived answers must not hold it up.
	streams     context.Context
	stopStreams context.CancelFunc
	// clients limits the requests of each client, failures those with wrong credentials from one address.
	clients, failures *throttle
	lookups           lookups
	filters           turns
}

// New makes a Server; mistakes in o are Invalid.
func New(o Options) (*Server, error) {
	base, err := url.Parse(o.API.Endpoint)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, lcm.Errorf(lcm.KindInvalid,
			"The API's endpoint must be an absolute URL such as http://vnfm.example:9890, not %q.", o.API.Endpoint)
	}
	o.setDefaults()
	s := &Server{Options: o, base: strings.TrimRight(o.API.Endpoint, "/"), log: o.Log}
	s.backend = &rest.Backend{
		Store: o.Store, Vault: o.Vault, Log: o.Log, Base: s.base, PageSize: o.API.PageSize, VimAddresses: o.VimAddresses,
	}
	s.clients, s.failures = newThrottle(o.Limits.RequestsPerSecond, o.Limits.Burst),
		newThrottle(failuresPerSecond, failuresBurst)
	s.streams, s.stopStreams = context.WithCancel(context.Background())
	s.handler = s.routes()
	return s, nil
}

func (o *Options) setDefaults() {
	o.API.MaxUploadMiB = orDefault(o.API.MaxUploadMiB, 8192)
	o.Limits.BodyKiB = orDefault(o.Limits.BodyKiB, 1024)
	o.Limits.URIBytes = orDefault(o.Limits.URIBytes, 16<<10) // enough for every filter that a person writes
	o.RequestTimeout = orDefault(o.RequestTimeout, 30*time.Second)
	o.Patience = orDefault(o.Patience, 30*time.Second)
	o.Heartbeat = orDefault(o.Heartbeat, 15*time.Second)
	o.ReconcileEvery = orDefault(o.ReconcileEvery, 5*time.Second)
	o.LookAtVimsEvery = orDefault(o.LookAtVimsEvery, time.Minute)
	o.StartAfter = orDefault(o.StartAfter, 10*time.Second)
	o.FetchPatience = orDefault(o.FetchPatience, 20*time.Second)
	o.ShutdownGrace = orDefault(o.ShutdownGrace, 15*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

func orDefault[T int | time.Duration](v, fallback T) T {
	if v == 0 {
		return fallback
	}
	return v
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Run serves until ctx ends; requests under way may then take ShutdownGrace to end.
func (s *Server) Run(ctx context.Context) error {
	listener := s.Listener
	if listener == nil {
		var err error
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.API.Listen); err != nil {
			return lcm.Wrap(lcm.KindUnavailable, err, "The API cannot listen on %s.", s.API.Listen)
		}
	}
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn), TLSConfig: s.TLS,
	}
	srv.RegisterOnShutdown(s.stopStreams)
	s.log.InfoContext(ctx, "API server listens", "address", listener.Addr().String(), "endpoint", s.base)

	g, running := errgroup.WithContext(ctx)
	g.Go(func() error {
		serve := srv.Serve
		if s.TLS != nil {
			serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") } // the certificate is TLSConfig's
		}
		if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return lcm.Wrap(lcm.KindUnavailable, err, "The API server stopped serving.")
		}
		return nil
	})
	g.Go(func() error {
		<-running.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.ShutdownGrace)
		defer cancel()
		if err := srv.Shutdown(grace); err != nil {
			s.log.WarnContext(grace, "Requests were cut off at shutdown", "error", err)
			return srv.Close()
		}
		return nil
	})
	if s.Audit.KeepFor > 0 {
		g.Go(func() error { return s.forgetAudit(running) })
	}
	if s.Vims != nil {
		g.Go(func() error { return s.lookAtVims(running) })
	}
	if s.Watcher != nil {
		r := s.Reconciler()
		g.Go(func() error { return r.Run(running) })
	}
	return g.Wait()
}

func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.handleError
	e.IPExtractor = extractIP(s.API.TrustedProxies)
	e.Pre(tolerateDoubleSlashes)
	if s.HTTPMetrics != nil {
		e.Use(s.measure)
	}
	if s.Tracing.On() {
		e.Use(s.trace)
	}
	e.Use(s.hurry, s.identify, s.audit, s.logAccess, s.recoverPanics, rest.SignVersion, s.shortURI, s.keepPagesOut,
		s.bound, s.authenticate, s.takeTurns, compress)
	add := func(prefix string, routes []rest.Route, before ...echo.MiddlewareFunc) {
		for _, r := range routes {
			e.Add(r.Method, prefix+r.Path, r.Handle, before...)
			if r.Method == http.MethodGet { // the same without the body (RFC 9110 clause 9.3.2), which net/http drops
				e.Add(http.MethodHead, prefix+r.Path, r.Handle, before...)
			}
		}
	}
	add("", s.rootRoutes())
	add("", s.page().Routes())
	add("", s.probeRoutes())
	add("", s.descriptionRoutes())
	add("", s.docsRoutes())
	add("", versionRoutes(), acceptsJSON)
	s.addFamilies(add)
	add("/windlass/v1", s.codecRoutes(), s.codecWall()...)
	return e
}

// extractIP takes the client's address from a header only if a trusted proxy has written the header.
func extractIP(proxies []netip.Prefix) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range proxies {
		trust = append(trust, echo.TrustIPRange(&net.IPNet{
			IP:   p.Addr().AsSlice(),
			Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}

func versionRoutes() []rest.Route {
	at := func(path string, roots ...rest.Root) rest.Route {
		return rest.Get(path+"/api_versions", rest.Versions(path, roots...))
	}
	return []rest.Route{
		at("/vnflcm", rest.LcmV1, rest.LcmV2), at(rest.LcmV1.Prefix, rest.LcmV1), at(rest.LcmV2.Prefix, rest.LcmV2),
		at("/vnfpkgm", rest.PkgV1), at(rest.PkgV1.Prefix, rest.PkgV1),
	}
}
