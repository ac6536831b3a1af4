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
	// Metrics is who may read /metrics: MetricsOpen, MetricsAdmin or MetricsOff.
	Metrics string
	// AllowedHosts are names of the API beside those in Endpoint and Listen, in small letters.
	AllowedHosts []string
	// TrustedProxies are those whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

// Notifications says how subscribers are called.
type Notifications struct {
	// TestCallback calls a subscriber before its subscription is taken; Duplicates makes another subscription of the same.
	TestCallback, Duplicates bool
	// RetryFor is how long a subscriber may be away before a notification is given up.
	RetryFor time.Duration
	// DeniedNetworks are where no notification goes; HTTPSOnly sends none without TLS.
	DeniedNetworks []netip.Prefix
	HTTPSOnly      bool
	// CAFile holds the authorities of subscribers' certificates, "" for those of the system; CertFile and KeyFile are what
	// Windlass shows to them.
	CAFile, CertFile, KeyFile string
}

// NFVO says whether an NFVO grants operations, and how it is called; without an Endpoint Windlass grants them itself.
type NFVO struct {
	// Endpoint is the absolute URL, without a slash at its end, below which the NFVO has its APIs.
	Endpoint string
	// Grants is set when operations are granted by the NFVO, and Packages is the version of the package management from
	// which packages come that are not on board here: PackagesOff, or "v1" or "v2".
	Grants   bool
	Packages string
	// ClientID and what SecretFile holds are for OAuth 2.0 at TokenEndpoint, or BASIC without one.
	ClientID, SecretFile, TokenEndpoint string
	// CAFile holds the authorities of the NFVO's certificate, "" for those of the system; CertFile and KeyFile are what
	// Windlass shows to it.
	CAFile, CertFile, KeyFile string
	// Timeout bounds one request. GrantTimeout is how long a grant may take altogether, GrantPoll how often the NFVO is
	// asked meanwhile.
	Timeout, GrantTimeout, GrantPoll time.Duration
}

// PackagesOff takes no packages from the NFVO.
const PackagesOff = "off"

// Packages says where VNF packages may be fetched from.
type Packages struct {
	// DeniedNetworks are where no package is fetched from; HTTPSOnly fetches none without TLS.
	DeniedNetworks []netip.Prefix
	HTTPSOnly      bool
	// CAFile holds the authorities of the sources' certificates, "" for those of the system.
	CAFile string
	// AllowedSources are the beginnings of URLs from which manifests and charts of requests may be fetched.
	AllowedSources []string
	// TrustFile holds the authorities of those who sign packages, "" when no signature is checked; SignatureRequired takes
	// signed packages only.
	TrustFile         string
	SignatureRequired bool
}

// Vims says where VIMs may be.
type Vims struct {
	// DeniedNetworks are where no VIM, no service of one and no node may be.
	DeniedNetworks []netip.Prefix
}

// UserData says how user data classes of packages are run.
type UserData struct {
	// Python is the interpreter, "" when none are run; Timeout bounds one run.
	Python  string
	Timeout time.Duration
}

// Scripts says what becomes of scripts that packages name at hooks of operations.
type Scripts struct {
	Policy lcm.ScriptPolicy
	// Network lets Python that is run on workers make connections; Timeout bounds one run of it.
	Network bool
	Timeout time.Duration
	// Ansible lets playbooks of packages be run on workers, too. AnsibleLease is how long one goes on there that no worker
	// follows, AnsibleDirectory where workers of one host find it again; "" is a folder in memory of the user.
	Ansible          bool
	AnsibleLease     time.Duration
	AnsibleDirectory string
}

// Keys says where the keys for secrets are: in a file, or in the environment variable of the name Env.
type Keys struct {
	File string
	Env  string
}

// Worker is for the worker.
type Worker struct {
	// Concurrency bounds the activities that run at once.
	Concurrency int
	// Metrics is host:port of /metrics, /healthz and /readyz; "" serves none.
	Metrics string
	// Attempts is how often an activity is tried while the other side does not answer.
	Attempts int
	// Reconnect is how long a node that is lost during a command is waited for.
	Reconnect time.Duration
}

// Kubernetes is for the worker: what clusters are made of when a request does not say.
type Kubernetes struct {
	Apt Apt
	// PodNetworkFile holds the manifest of the pod network for packages that bring none, PodNetwork what is in it.
	PodNetworkFile string
	PodNetwork     []byte
}

// Apt is where Kubernetes packages come from when neither the image nor the request has them; without a URL
// there is no such place.
type Apt struct {
	URL, Suite, Component, Version string
	// KeyFile holds the armored key of the repository, Key what is in it. Trusted does without a key.
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

// Need is a part of the settings that a command uses: only those become its flags and must be there.
type Need string

// The parts. Log and ShutdownGrace belong to every command.
const (
	NeedDatabase Need = "databaseUrl"
	NeedTemporal Need = "temporal"
	NeedAPI      Need = "api"
	// NeedNotifications is of those who call subscribers.
	NeedNotifications Need = "notifications"
	// NeedNFVO is of those who ask the NFVO.
	NeedNFVO Need = "nfvo"
	// NeedPackages is of those who take or fetch packages.
	NeedPackages Need = "packages"
	// NeedVims is of those who talk to VIMs.
	NeedVims Need = "vims"
	// NeedPlans is of those who say what an operation will do, and of those who do it.
	NeedPlans    Need = "plans"
	NeedKeys     Need = "keys"
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
		slog.Any("kubernetesApt", c.Kubernetes.Apt), slog.String("kubernetesPodNetwork", c.Kubernetes.PodNetworkFile),
		slog.Any("telemetry", c.Telemetry), slog.Any("log", c.Log), slog.Duration("shutdownGrace", c.ShutdownGrace),
	)
}
