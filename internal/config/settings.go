package config

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"
)

// setting is one line of the table below.
type setting struct {
	key      string // as in the file
	need     Need
	fallback string
	usage    string // a word in backquotes names the value in --help
	set      func(c *Config, value string) error
}

// fileFlag names the file; it is no setting of the file itself.
const (
	fileFlag = "config"
	fileEnv  = "WINDLASS_CONFIG"
)

// Services at these addresses trust whoever reaches them.
const (
	// metadata are links of this host, and the addresses at which clouds give their servers credentials: most at
	// 169.254.169.254, which some networks translate to IPv6, others elsewhere.
	metadata = "169.254.0.0/16,100.100.100.200/32,168.63.129.16/32,192.0.0.192/32,fe80::/10,64:ff9b::a9fe:0/112,fd00:ec2::/96,fd20:ce::254/128"
	// deniedByDefault are this host, too.
	deniedByDefault = "0.0.0.0/8,127.0.0.0/8,::/128,::1/128," + metadata
)

// settings are all there are, in the order of --help and of the example file.
var settings = [...]setting{
	{
		key: "databaseUrl", need: NeedDatabase,
		usage: "PostgreSQL `URL`; with a password in it, use the environment or the file instead",
		set: func(c *Config, v string) (err error) {
			c.DatabaseURL, err = v, checkDatabaseURL(v)
			return err
		},
	},
	{
		key: "databaseConnections", need: NeedDatabase, fallback: "16", usage: "largest `number` of connections of this process to PostgreSQL",
		set: func(c *Config, v string) (err error) { c.DatabaseConnections, err = parseInt(v, 2, 1000); return err },
	},
	{
		key: "temporal.address", need: NeedTemporal, fallback: "127.0.0.1:7233", usage: "`host:port` of Temporal's frontend",
		set: func(c *Config, v string) (err error) { c.Temporal.Address, err = v, checkAddress(v); return err },
	},
	{
		key: "temporal.namespace", need: NeedTemporal, fallback: "windlass", usage: "`name` of the Temporal namespace",
		set: func(c *Config, v string) error { c.Temporal.Namespace = v; return checkNotEmpty(v) },
	},
	{
		key: "api.listen", need: NeedAPI, fallback: "127.0.0.1:9890", usage: "`host:port` on which the API is served",
		set: func(c *Config, v string) (err error) { c.API.Listen, err = v, checkAddress(v); return err },
	},
	{
		key: "api.endpoint", need: NeedAPI, usage: "absolute `URL` under which clients reach the API; made of api.listen when not given",
		set: func(c *Config, v string) (err error) {
			c.API.Endpoint, err = strings.TrimRight(v, "/"), checkEndpoint(v)
			return err
		},
	},
	{
		key: "api.maxUploadMiB", need: NeedAPI, fallback: "8192", usage: "largest VNF package, in `MiB`",
		set: func(c *Config, v string) (err error) { c.API.MaxUploadMiB, err = parseInt(v, 1, 1<<20); return err },
	},
	{
		key: "api.pageSize", need: NeedAPI, fallback: "1000", usage: "most `items` of a list in one answer, which has a link to the next page; 0 is no bound",
		set: func(c *Config, v string) (err error) { c.API.PageSize, err = parseInt(v, 0, 100_000); return err },
	},
	{
		key: "api.strictV1", need: NeedAPI, fallback: "false", usage: "want the Version header at /vnflcm/v1 and /vnfpkgm/v1",
		set: func(c *Config, v string) (err error) { c.API.StrictV1, err = parseBool(v); return err },
	},
	{
		key: "api.tolerantV2", need: NeedAPI, fallback: "false", usage: "do without the Version header at /vnflcm/v2",
		set: func(c *Config, v string) (err error) { c.API.TolerantV2, err = parseBool(v); return err },
	},
	{
		key: "api.codec", need: NeedAPI, fallback: "false", usage: "decrypt Temporal's payloads for the temporal command and the Web UI",
		set: func(c *Config, v string) (err error) { c.API.Codec, err = parseBool(v); return err },
	},
	{
		key: "api.codecOrigins", need: NeedAPI, usage: "`origins` of the Web UIs that may use the codec, separated by commas, such as https://temporal.example",
		set: func(c *Config, v string) (err error) { c.API.CodecOrigins, err = parseOrigins(v); return err },
	},
	{
		key: "api.allowedHosts", need: NeedAPI, usage: "further `names` of the API's host, with commas between them; auth.mode none answers to no other name",
		set: func(c *Config, v string) (err error) { c.API.AllowedHosts, err = parseHosts(v); return err },
	},
	{
		key: "api.tls.certFile", need: NeedAPI, usage: "`file` with the API's certificate, read again when it changes; without one the API speaks plain HTTP",
		set: func(c *Config, v string) error { c.API.TLS.CertFile = v; return nil },
	},
	{
		key: "api.tls.keyFile", need: NeedAPI, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.API.TLS.KeyFile = v; return nil },
	},
	{
		key: "api.tls.clientCaFile", need: NeedAPI, usage: "`file` with the authorities of clients' certificates, for auth.mode mtls",
		set: func(c *Config, v string) error { c.API.TLS.ClientCAFile = v; return nil },
	},
	{
		key: "api.metrics", need: NeedAPI, fallback: MetricsOpen, usage: "`who` may read /metrics: open (everybody), admin (who has that scope) or off (nobody)",
		set: func(c *Config, v string) error {
			c.API.Metrics = v
			if v != MetricsOpen && v != MetricsAdmin && v != MetricsOff {
				return fmt.Errorf("is %q, none of open, admin, off", v)
			}
			return nil
		},
	},
	{
		key: "api.trustedProxies", need: NeedAPI, usage: "`networks` of proxies whose X-Forwarded-For tells who the client is, with commas between them",
		set: func(c *Config, v string) (err error) { c.API.TrustedProxies, err = parseNetworks(v); return err },
	},
	{
		key: "auth.mode", need: NeedAPI, fallback: AuthNone, usage: "`how` clients are told apart: none, or oauth2, keystone, mtls with commas between them",
		set: func(c *Config, v string) (err error) { c.Auth.Modes, err = parseModes(v); return err },
	},
	{
		key: "auth.noneAnywhere", need: NeedAPI, fallback: "false", usage: "let auth.mode none serve other hosts; something else must keep strangers away",
		set: func(c *Config, v string) (err error) { c.Auth.NoneAnywhere, err = parseBool(v); return err },
	},
	{
		key: "auth.mtls.clients", need: NeedAPI, usage: "`clients` by the names in their certificates: name=project/role with commas between them; a role is read, write or admin",
		set: func(c *Config, v string) error { c.Auth.MTLS.Clients = v; return nil },
	},
	{
		key: "auth.oauth2.issuer", need: NeedAPI, usage: "`URL` of the issuer whose bearer tokens are taken",
		set: func(c *Config, v string) error { c.Auth.OAuth2.Issuer = v; return checkEndpoint(v) },
	},
	{
		key: "auth.oauth2.audience", need: NeedAPI, usage: "`audience` that bearer tokens must have",
		set: func(c *Config, v string) error { c.Auth.OAuth2.Audience = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.oauth2.jwksUrl", need: NeedAPI, usage: "`URL` of the issuer's keys; its metadata tells when not given",
		set: func(c *Config, v string) error { c.Auth.OAuth2.JWKSURL = v; return checkEndpoint(v) },
	},
	{
		key: "auth.oauth2.caFile", need: NeedAPI, usage: "`file` with the authorities of the issuer's certificate; those of the system when not given",
		set: func(c *Config, v string) error { c.Auth.OAuth2.CAFile = v; return nil },
	},
	{
		key: "auth.oauth2.projectClaim", need: NeedAPI, fallback: "project_id", usage: "`claim` of a token that names the client's project",
		set: func(c *Config, v string) error { c.Auth.OAuth2.ProjectClaim = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.oauth2.project", need: NeedAPI, usage: "`project` of tokens without that claim; they are refused when not given",
		set: func(c *Config, v string) error { c.Auth.OAuth2.Project = v; return nil },
	},
	{
		key: "auth.keystone.url", need: NeedAPI, usage: "`URL` of the Keystone that validates tokens, such as https://keystone.example/v3",
		set: func(c *Config, v string) error { c.Auth.Keystone.URL = v; return checkEndpoint(v) },
	},
	{
		key: "auth.keystone.username", need: NeedAPI, usage: "`user` that may validate the tokens of others",
		set: func(c *Config, v string) error { c.Auth.Keystone.Username = v; return nil },
	},
	{
		key: "auth.keystone.passwordFile", need: NeedAPI, usage: "`file` with that user's password",
		set: func(c *Config, v string) error { c.Auth.Keystone.PasswordFile = v; return nil },
	},
	{
		key: "auth.keystone.userDomain", need: NeedAPI, fallback: "Default", usage: "`domain` of that user",
		set: func(c *Config, v string) error { c.Auth.Keystone.UserDomain = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.keystone.project", need: NeedAPI, fallback: "service", usage: "`project` of that user",
		set: func(c *Config, v string) error { c.Auth.Keystone.Project = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.keystone.projectDomain", need: NeedAPI, fallback: "Default", usage: "`domain` of that project",
		set: func(c *Config, v string) error { c.Auth.Keystone.ProjectDomain = v; return checkNotEmpty(v) },
	},
	{
		key: "auth.keystone.caFile", need: NeedAPI, usage: "`file` with the authorities of Keystone's certificate; those of the system when not given",
		set: func(c *Config, v string) error { c.Auth.Keystone.CAFile = v; return nil },
	},
	{
		key: "auth.keystone.readRoles", need: NeedAPI, fallback: "reader", usage: "`roles` that let a user read, with commas between them",
		set: func(c *Config, v string) error { c.Auth.Keystone.ReadRoles = parseList(v); return nil },
	},
	{
		key: "auth.keystone.writeRoles", need: NeedAPI, fallback: "member", usage: "`roles` that let a user change what is of their project",
		set: func(c *Config, v string) error { c.Auth.Keystone.WriteRoles = parseList(v); return nil },
	},
	{
		key: "auth.keystone.adminRoles", need: NeedAPI, fallback: "admin", usage: "`roles` that let a user do everything in every project",
		set: func(c *Config, v string) error { c.Auth.Keystone.AdminRoles = parseList(v); return nil },
	},
	{
		key: "limits.requestsPerSecond", need: NeedAPI, fallback: "0", usage: "largest `number` of requests of one client in a second, on average; 0 is no limit",
		set: func(c *Config, v string) (err error) {
			c.Limits.RequestsPerSecond, err = parseInt(v, 0, 1_000_000)
			return err
		},
	},
	{
		key: "limits.burst", need: NeedAPI, fallback: "100", usage: "largest `number` of requests of one client at once, where requests are limited",
		set: func(c *Config, v string) (err error) { c.Limits.Burst, err = parseInt(v, 1, 1_000_000); return err },
	},
	{
		key: "limits.bodyKiB", need: NeedAPI, fallback: "1024", usage: "largest body of a request that uploads no package, in `KiB`",
		set: func(c *Config, v string) (err error) { c.Limits.BodyKiB, err = parseInt(v, 1, 1<<20); return err },
	},
	{
		key: "limits.uriBytes", need: NeedAPI, fallback: "16384", usage: "longest path with its query, in `bytes`",
		set: func(c *Config, v string) (err error) { c.Limits.URIBytes, err = parseInt(v, 256, 32<<10); return err },
	},
	{
		key: "audit.keepFor", need: NeedAPI, fallback: "2160h", usage: "how `long` it is kept who did what; 0 is for ever",
		set: func(c *Config, v string) (err error) { c.Audit.KeepFor, err = parseDuration(v); return err },
	},
	{
		key: "notifications.testCallback", need: NeedNotifications, fallback: "true", usage: "call a subscriber before its subscription is taken",
		set: func(c *Config, v string) (err error) { c.Notifications.TestCallback, err = parseBool(v); return err },
	},
	{
		key: "notifications.duplicates", need: NeedNotifications, fallback: "false", usage: "make another subscription of the same URI and filter, instead of a 303",
		set: func(c *Config, v string) (err error) { c.Notifications.Duplicates, err = parseBool(v); return err },
	},
	{
		key: "notifications.retryFor", need: NeedNotifications, fallback: "24h", usage: "how `long` a subscriber may be away before a notification is given up",
		set: func(c *Config, v string) (err error) { c.Notifications.RetryFor, err = parseDuration(v); return err },
	},
	{
		key: "notifications.deniedNetworks", need: NeedNotifications, fallback: deniedByDefault,
		usage: "`networks` to which no notification goes, with commas between them; \"none\" denies nothing",
		set: func(c *Config, v string) (err error) {
			c.Notifications.DeniedNetworks, err = parseNetworks(v)
			return err
		},
	},
	{
		key: "notifications.httpsOnly", need: NeedNotifications, fallback: "false", usage: "refuse callback URIs without TLS",
		set: func(c *Config, v string) (err error) { c.Notifications.HTTPSOnly, err = parseBool(v); return err },
	},
	{
		key: "notifications.caFile", need: NeedNotifications, usage: "`file` with the authorities of subscribers' certificates; those of the system when not given",
		set: func(c *Config, v string) error { c.Notifications.CAFile = v; return nil },
	},
	{
		key: "notifications.certFile", need: NeedNotifications, usage: "`file` with the certificate that is shown to subscribers",
		set: func(c *Config, v string) error { c.Notifications.CertFile = v; return nil },
	},
	{
		key: "notifications.keyFile", need: NeedNotifications, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.Notifications.KeyFile = v; return nil },
	},
	{
		key: "nfvo.endpoint", need: NeedNFVO, usage: "absolute `URL` of the NFVO that grants operations and has packages; without it Windlass does both itself",
		set: func(c *Config, v string) error {
			c.NFVO.Endpoint = strings.TrimRight(v, "/")
			return checkEndpoint(v)
		},
	},
	{
		key: "nfvo.grants", need: NeedNFVO, fallback: "true", usage: "have operations granted by the NFVO, where there is one",
		set: func(c *Config, v string) (err error) { c.NFVO.Grants, err = parseBool(v); return err },
	},
	{
		key: "nfvo.packages", need: NeedNFVO, fallback: PackagesOff, usage: "`version` of the NFVO's package management from which packages come that are not on board here: v1, v2 or off",
		set: func(c *Config, v string) error {
			c.NFVO.Packages = v
			if v != PackagesOff && v != "v1" && v != "v2" {
				return fmt.Errorf("is %q, none of v1, v2 and off", v)
			}
			return nil
		},
	},
	{
		key: "nfvo.clientId", need: NeedNFVO, usage: "`name` with which Windlass authenticates to the NFVO",
		set: func(c *Config, v string) error { c.NFVO.ClientID = v; return checkNotEmpty(v) },
	},
	{
		key: "nfvo.secretFile", need: NeedNFVO, usage: "`file` with the password of that name",
		set: func(c *Config, v string) error { c.NFVO.SecretFile = v; return nil },
	},
	{
		key: "nfvo.tokenEndpoint", need: NeedNFVO, usage: "`URL` of OAuth 2.0 tokens for that name (client credentials); BASIC when not given",
		set: func(c *Config, v string) error { c.NFVO.TokenEndpoint = v; return checkEndpoint(v) },
	},
	{
		key: "nfvo.caFile", need: NeedNFVO, usage: "`file` with the authorities of the NFVO's certificate; those of the system when not given",
		set: func(c *Config, v string) error { c.NFVO.CAFile = v; return nil },
	},
	{
		key: "nfvo.certFile", need: NeedNFVO, usage: "`file` with the certificate that is shown to the NFVO",
		set: func(c *Config, v string) error { c.NFVO.CertFile = v; return nil },
	},
	{
		key: "nfvo.keyFile", need: NeedNFVO, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.NFVO.KeyFile = v; return nil },
	},
	{
		key: "nfvo.timeout", need: NeedNFVO, fallback: "30s", usage: "how `long` one request to the NFVO may take",
		set: func(c *Config, v string) (err error) { c.NFVO.Timeout, err = parsePositive(v); return err },
	},
	{
		key: "nfvo.grantTimeout", need: NeedNFVO, fallback: "1h", usage: "how `long` the NFVO may take to grant an operation, or be away",
		set: func(c *Config, v string) (err error) { c.NFVO.GrantTimeout, err = parsePositive(v); return err },
	},
	{
		key: "nfvo.grantPoll", need: NeedNFVO, fallback: "2s", usage: "how `often` an NFVO is asked that has not decided",
		set: func(c *Config, v string) (err error) { c.NFVO.GrantPoll, err = parsePositive(v); return err },
	},
	{
		key: "packages.deniedNetworks", need: NeedPackages, fallback: deniedByDefault,
		usage: "`networks` from which no package is fetched, with commas between them; \"none\" denies nothing",
		set: func(c *Config, v string) (err error) {
			c.Packages.DeniedNetworks, err = parseNetworks(v)
			return err
		},
	},
	{
		key: "packages.httpsOnly", need: NeedPackages, fallback: "false", usage: "fetch no package without TLS",
		set: func(c *Config, v string) (err error) { c.Packages.HTTPSOnly, err = parseBool(v); return err },
	},
	{
		key: "packages.caFile", need: NeedPackages, usage: "`file` with the authorities of the certificates of packages' sources; those of the system when not given",
		set: func(c *Config, v string) error { c.Packages.CAFile = v; return nil },
	},
	{
		key: "packages.trustFile", need: NeedPackages, usage: "`file` with the authorities of those who sign packages; without it no signature is checked",
		set: func(c *Config, v string) error { c.Packages.TrustFile = v; return nil },
	},
	{
		key: "packages.signatureRequired", need: NeedPackages, fallback: "false", usage: "take packages only whose signature holds",
		set: func(c *Config, v string) (err error) { c.Packages.SignatureRequired, err = parseBool(v); return err },
	},
	{
		key: "vims.deniedNetworks", need: NeedVims, fallback: metadata,
		usage: "`networks` in which no VIM and no node may be, with commas between them; \"none\" denies nothing",
		set:   func(c *Config, v string) (err error) { c.Vims.DeniedNetworks, err = parseNetworks(v); return err },
	},
	{
		key: "userData.python", need: NeedPackages, usage: "`path` of the Python 3 that runs user data classes of packages, confined; without it none are run",
		set: func(c *Config, v string) error { c.UserData.Python = v; return nil },
	},
	{
		key: "userData.timeout", need: NeedPackages, fallback: "30s", usage: "how `long` a user data class may run",
		set: func(c *Config, v string) (err error) { c.UserData.Timeout, err = parsePositive(v); return err },
	},
	{
		key: "keys.file", need: NeedKeys, usage: "`file` with the keys for secrets, readable by its owner only",
		set: func(c *Config, v string) error { c.Keys.File = v; return checkNotEmpty(v) },
	},
	{
		key: "keys.env", need: NeedKeys, fallback: "WINDLASS_KEYS", usage: "`name` of the environment variable with the keys, when there is no file",
		set: func(c *Config, v string) error {
			// Not quoted and not kept when wrong: somebody may have put the keys themselves here.
			if !variable.MatchString(v) {
				return errors.New("is not the name of an environment variable")
			}
			c.Keys.Env = v
			return nil
		},
	},
	{
		key: "worker.concurrency", need: NeedWorker, fallback: "1000", usage: "largest `number` of activities that run at once",
		set: func(c *Config, v string) (err error) { c.Worker.Concurrency, err = parseInt(v, 1, 10_000); return err },
	},
	{
		key: "worker.attempts", need: NeedWorker, fallback: "10", usage: "`number` of tries, some two minutes for 10, while a node or another service does not answer",
		set: func(c *Config, v string) (err error) { c.Worker.Attempts, err = parseInt(v, 1, 10); return err },
	},
	{
		key: "worker.reconnect", need: NeedWorker, fallback: "3m", usage: "how `long` a node that is lost during a command is waited for, in each try",
		set: func(c *Config, v string) (err error) { c.Worker.Reconnect, err = parseDuration(v); return err },
	},
	{
		key: "worker.metrics", need: NeedWorker, fallback: "127.0.0.1:9891", usage: "`host:port` of /metrics, /healthz and /readyz; \"off\" serves none",
		set: func(c *Config, v string) (err error) {
			if v == "off" {
				c.Worker.Metrics = ""
				return nil
			}
			c.Worker.Metrics, err = v, checkAddress(v)
			return err
		},
	},
	{
		key: "kubernetes.apt.url", need: NeedWorker,
		usage: "`URL` of an apt repository for Kubernetes packages, for images and requests without any",
		set:   func(c *Config, v string) error { c.Kubernetes.Apt.URL = v; return nil },
	},
	{
		key: "kubernetes.apt.suite", need: NeedWorker, fallback: "/", usage: "`suite` of that repository; \"/\" is one without suites",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.Suite = v; return nil },
	},
	{
		key: "kubernetes.apt.component", need: NeedWorker, usage: "`component` of that suite",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.Component = v; return nil },
	},
	{
		key: "kubernetes.apt.version", need: NeedWorker, usage: "`version` of the packages, such as 1.34.4-1.1; the request's kubernetes_version or else the newest when not given",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.Version = v; return nil },
	},
	{
		key: "kubernetes.apt.keyFile", need: NeedWorker, usage: "`file` with the armored key of that repository",
		set: func(c *Config, v string) error { c.Kubernetes.Apt.KeyFile = v; return nil },
	},
	{
		key: "kubernetes.apt.trusted", need: NeedWorker, fallback: "false", usage: "take that repository without a key; for mirrors inside the cloud",
		set: func(c *Config, v string) (err error) { c.Kubernetes.Apt.Trusted, err = parseBool(v); return err },
	},
	{
		key: "kubernetes.podNetwork", need: NeedWorker, usage: "`file` with the manifest of the pod network, for requests that name none",
		set: func(c *Config, v string) error { c.Kubernetes.PodNetworkFile = v; return nil },
	},
	{
		key: "telemetry.endpoint", need: NeedTelemetry, usage: "`URL` of the collector that takes traces and metrics by OTLP; without one nothing is sent",
		set: func(c *Config, v string) error { c.Telemetry.Endpoint = v; return checkCollector(v) },
	},
	{
		key: "telemetry.protocol", need: NeedTelemetry, fallback: TelemetryGRPC, usage: "`how` OTLP is spoken: grpc, or http (with protobuf)",
		set: func(c *Config, v string) (err error) { c.Telemetry.Protocol, err = parseProtocol(v); return err },
	},
	{
		key: "telemetry.caFile", need: NeedTelemetry, usage: "`file` with the authorities of the collector's certificate; those of the system when not given",
		set: func(c *Config, v string) error { c.Telemetry.CAFile = v; return nil },
	},
	{
		key: "telemetry.traces", need: NeedTelemetry, fallback: "true", usage: "send traces, where there is a collector",
		set: func(c *Config, v string) (err error) { c.Telemetry.Traces, err = parseBool(v); return err },
	},
	{
		key: "telemetry.metrics", need: NeedTelemetry, fallback: "true", usage: "send metrics, where there is a collector",
		set: func(c *Config, v string) (err error) { c.Telemetry.Metrics, err = parseBool(v); return err },
	},
	{
		key: "telemetry.sampleRatio", need: NeedTelemetry, fallback: "1", usage: "`share` of traces that are kept, from 0 to 1, of those that a client has not decided about",
		set: func(c *Config, v string) (err error) { c.Telemetry.SampleRatio, err = parseRatio(v); return err },
	},
	{
		key: "telemetry.metricsInterval", need: NeedTelemetry, fallback: "30s", usage: "how `often` metrics are sent",
		set: func(c *Config, v string) (err error) { c.Telemetry.MetricsInterval, err = parsePositive(v); return err },
	},
	{
		key: "log.level", fallback: "info", usage: "least `level` that is logged: debug, info, warn or error",
		set: func(c *Config, v string) error {
			if c.Log.Level.UnmarshalText([]byte(v)) != nil {
				c.Log.Level = slog.LevelInfo
				return errors.New("is none of debug, info, warn, error")
			}
			return nil
		},
	},
	{
		key: "log.format", fallback: FormatJSON, usage: "`format` of the log: json or text",
		set: func(c *Config, v string) error {
			c.Log.Format = v
			if v != FormatText && v != FormatJSON {
				return errors.New("is neither json nor text")
			}
			return nil
		},
	},
	{
		key: "shutdownGrace", fallback: "30s", usage: "how `long` work under way may take to end at a shutdown",
		set: func(c *Config, v string) (err error) { c.ShutdownGrace, err = parseDuration(v); return err },
	},
}

// words of api.maxUploadMiB are api, max, Upload, MiB.
func (s setting) words() []string {
	var words []string
	for part := range strings.SplitSeq(s.key, ".") {
		start := 0
		for i, r := range part {
			if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(part[i-1])) && part[i:] != "B" {
				words = append(words, part[start:i])
				start = i
			}
		}
		words = append(words, part[start:])
	}
	return words
}

func (s setting) flag() string { return strings.ToLower(strings.Join(s.words(), "-")) }
func (s setting) env() string  { return "WINDLASS_" + strings.ToUpper(strings.Join(s.words(), "_")) }

func (s setting) neededBy(needs []Need) bool {
	return s.need == everyCommand || len(needs) == 0 || slices.Contains(needs, s.need)
}
