// Package config reads the settings of Windlass's processes: flags before environment variables before
// one YAML file before defaults. All mistakes are reported at once, each with the place it was made in.
//
// A setting has one name in three spellings: worker.metrics in the file, WINDLASS_WORKER_METRICS in the
// environment, --worker-metrics as a flag.
package config

import (
	"log/slog"
	"net/netip"
	"net/url"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Config is read once, in main, and passed down.
type Config struct {
	// File is the YAML file that was read, "" when there was none.
	File string
	// DatabaseURL may hold a password; it never appears in a message of this package.
	DatabaseURL string
	// DatabaseConnections bounds the connections of one process.
	DatabaseConnections int
	Temporal            Temporal
	API                 API
	Auth                Auth
	Page                Page
	Limits              Limits
	Audit               Audit
	Notifications       Notifications
	NFVO                NFVO
	Packages            Packages
	Vims                Vims
	UserData            UserData
	Scripts             Scripts
	Keys                Keys
	Worker              Worker
	Kubernetes          Kubernetes
	Telemetry           Telemetry
	Log                 Log
	ShutdownGrace       time.Duration
}

// Temporal says where workflows run.
type Temporal struct {
	Address   string // host:port of the frontend
	Namespace string
	// TLS is also on when one of the files is given. CAFile holds the authorities of the frontend's certificate, "" for
	// the system's; CertFile and KeyFile are Windlass's own certificate. ServerName is the name in the frontend's
	// certificate, "" for the host of Address.
	TLS                                   bool
	CAFile, CertFile, KeyFile, ServerName string
	// APIKeyFile holds the key that Windlass shows with each call; "" shows none.
	APIKeyFile string
	// ClearHistoriesUntil is until when payloads in clear are believed.
	ClearHistoriesUntil time.Time
}

// Encrypted reports whether Windlass speaks TLS to Temporal.
func (t Temporal) Encrypted() bool {
	return t.TLS || t.CAFile != "" || t.CertFile != "" || t.KeyFile != "" || t.APIKeyFile != ""
}

// API is for the API server.
type API struct {
	Listen string // host:port
	// Endpoint is the absolute URL, without a slash at its end, under which clients reach the API.
	Endpoint string
	// MaxUploadMiB bounds a VNF package.
	MaxUploadMiB int
	// PageSize bounds the items of one answer to a list; 0 puts all of them into one.
	PageSize   int
	StrictV1   bool
	TolerantV2 bool
	// Codec serves Temporal's remote codec protocol; CodecOrigins are the Web UIs whose pages may use it.
	Codec        bool
	CodecOrigins []string
	// TLS serves https; without a certificate, http.
	TLS TLS
	// Metrics says which clients may read /metrics: MetricsOpen, MetricsAdmin or MetricsOff.
	Metrics string
	// AllowedHosts are further names of the API, in small letters, beside those in Endpoint and Listen.
	AllowedHosts []string
	// TrustedProxies are the proxies whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

// Notifications says how subscribers are called.
type Notifications struct {
	// TestCallback calls a subscriber before its subscription is accepted; Duplicates creates a second subscription for a
	// repeated request.
	TestCallback, Duplicates bool
	// RetryFor is how long a subscriber may be away before a notification is given up.
	RetryFor time.Duration
	// KeepFor is how long a dead letter is kept. Waiting is the largest number of notifications that wait for a
	// subscriber, and of its dead letters; Subscriptions is that of the subscriptions of a project.
	KeepFor                time.Duration
	Waiting, Subscriptions int
	// DeniedNetworks are where no notification goes; HTTPSOnly sends none without TLS.
	DeniedNetworks []netip.Prefix
	HTTPSOnly      bool
	// CAFile holds the authorities of subscribers' certificates, "" for the system's. CertFile and KeyFile are Windlass's
	// own certificate for them.
	CAFile, CertFile, KeyFile string
}

// NFVO says whether an NFVO grants operations, and how to call it; without an Endpoint Windlass itself grants them.
type NFVO struct {
	// Endpoint is the absolute URL, without a slash at its end, below which the NFVO has its APIs.
	Endpoint string
	// Grants is set if the NFVO grants operations. Packages is the version of the NFVO's package management, for packages
	// that are not on board here: PackagesOff, "v1" or "v2".
	Grants   bool
	Packages string
	// ClientID and the secret in SecretFile are for OAuth 2.0 at TokenEndpoint, or for BASIC without a TokenEndpoint.
	ClientID, SecretFile, TokenEndpoint string
	// CAFile holds the authorities of the NFVO's certificate, "" for the system's. CertFile and KeyFile are Windlass's
	// own certificate for it.
	CAFile, CertFile, KeyFile string
	// Timeout bounds one request. GrantTimeout bounds the whole wait for a grant; GrantPoll is the interval of the
	// questions to the NFVO.
	Timeout, GrantTimeout, GrantPoll time.Duration
}

// PackagesOff takes no packages from the NFVO.
const PackagesOff = "off"

// Packages says where VNF packages may be fetched from.
type Packages struct {
	// DeniedNetworks are where no package is fetched from; HTTPSOnly fetches none without TLS.
	DeniedNetworks []netip.Prefix
	HTTPSOnly      bool
	// CAFile holds the authorities of the sources' certificates, "" for the system's.
	CAFile string
	// AllowedSources are the beginnings of URLs from which manifests and charts of requests may be fetched.
	AllowedSources []string
	// TrustFile holds the authorities of packages' signers, "" for no check of signatures. SignatureRequired refuses
	// unsigned packages.
	TrustFile         string
	SignatureRequired bool
}

// Vims says where VIMs may be.
type Vims struct {
	// DeniedNetworks are networks where no VIM, no service of a VIM and no node may be.
	DeniedNetworks []netip.Prefix
}

// UserData says how user data classes of packages are run.
type UserData struct {
	// Python is the interpreter, "" to run no Python; Timeout bounds one run.
	Python  string
	Timeout time.Duration
}

// Scripts says how Windlass treats scripts that packages name at hooks of operations.
type Scripts struct {
	Policy lcm.ScriptPolicy
	// SkipTackerV1 skips management drivers of Tacker's v1 where other scripts run.
	SkipTackerV1 bool
	// Network lets packages' Python on workers make connections; Timeout bounds one run.
	Network bool
	Timeout time.Duration
	// Ansible also lets workers run playbooks of packages. AnsibleLease is how long a playbook goes on while no worker
	// follows it. In AnsibleDirectory, workers of one host find a running playbook again; "" is a folder in memory of the
	// user.
	Ansible          bool
	AnsibleLease     time.Duration
	AnsibleAtOnce    int
	AnsibleDirectory string
}

// Keys says where the keys for secrets are: in a file, or in the environment variable of the name Env.
type Keys struct {
	File  string
	Env   string
	Token Token
}

// Token says how to reach the token that unwraps a wrapped key file. The PIN is in a file, or in the environment
// variable of the name PINEnv.
type Token struct {
	Module  string
	PINFile string
	PINEnv  string
}

// Worker is for the worker.
type Worker struct {
	// Concurrency bounds the activities that run at once.
	Concurrency int
	// Metrics is host:port of /metrics, /healthz and /readyz; "" serves none.
	Metrics string
	// Attempts is how often an activity is tried while the other side does not answer.
	Attempts int
	// Reconnect is how long to wait for a node that is lost during a command.
	Reconnect time.Duration
}

// Kubernetes is for the worker: defaults for clusters if a request does not say.
type Kubernetes struct {
	Apt Apt
	// PodNetwork is for requests that name no pod network.
	PodNetwork k8s.PodNetwork
}

// Apt is the repository of Kubernetes packages for images and requests that have none; without a URL there is no
// repository.
type Apt struct {
	URL, Suite, Component, Version string
	// KeyFile holds the armored key of the repository; Key is its content. Trusted needs no key.
	KeyFile string
	Key     []byte
	Trusted bool
}

// LogValue leaves the key out: it is no secret, but long.
func (a Apt) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("url", a.URL), slog.String("suite", a.Suite), slog.String("component", a.Component),
		slog.String("version", a.Version), slog.String("keyFile", a.KeyFile), slog.Bool("trusted", a.Trusted),
	)
}

// Log is how every process logs.
type Log struct {
	Level  slog.Level
	Format string // FormatText or FormatJSON
}

// The formats of logs.
const (
	FormatText = "text"
	FormatJSON = "json"
)

// Need is a part of the settings that a command uses: only the needed parts become its flags and must be present.
type Need string

// The parts. Log and ShutdownGrace belong to every command.
const (
	NeedDatabase Need = "databaseUrl"
	NeedTemporal Need = "temporal"
	NeedAPI      Need = "api"
	// NeedNotifications is for commands that call subscribers.
	NeedNotifications Need = "notifications"
	// NeedNFVO is for commands that ask the NFVO.
	NeedNFVO Need = "nfvo"
	// NeedPackages is for commands that take or fetch packages.
	NeedPackages Need = "packages"
	// NeedVims is for commands that talk to VIMs.
	NeedVims Need = "vims"
	// NeedPlans is for commands that plan operations, and for commands that carry them out.
	NeedPlans Need = "plans"
	NeedKeys  Need = "keys"
	// NeedToken is for commands that open a key file, which may be wrapped.
	NeedToken    Need = "token"
	NeedWorker   Need = "worker"
	everyCommand Need = ""
)

// LogValue keeps the password of the database out of logs.
func (c Config) LogValue() slog.Value {
	database := "***"
	if u, err := url.Parse(c.DatabaseURL); err == nil {
		database = u.Redacted()
	}
	return slog.GroupValue(
		slog.String("file", c.File), slog.String("databaseUrl", database),
		slog.Int("databaseConnections", c.DatabaseConnections),
		slog.Any("temporal", c.Temporal), slog.Any("api", c.API), slog.Any("auth", c.Auth), slog.Any("limits", c.Limits),
		slog.Any("audit", c.Audit), slog.Any("notifications", c.Notifications), slog.Any("nfvo", c.NFVO),
		slog.Any("packages", c.Packages), slog.Any("vims", c.Vims), slog.Any("keys", c.Keys), slog.Any("worker", c.Worker),
		slog.Any("kubernetesApt", c.Kubernetes.Apt), slog.String("kubernetesPodNetwork", c.Kubernetes.PodNetwork.From),
		slog.Any("telemetry", c.Telemetry), slog.Any("log", c.Log), slog.Duration("shutdownGrace", c.ShutdownGrace),
	)
}
