package config

import (
	"fmt"
	"strings"
)

// databaseSettings are where records and workflows are kept.
var databaseSettings = []setting{
	{
		key: "databaseUrl", need: NeedDatabase,
		usage: "PostgreSQL `URL`; with a password in it, use the environment or the file instead",
		set: func(c *Config, v string) (err error) {
			c.DatabaseURL, err = v, checkDatabaseURL(v)
			return err
		},
	},
	{
		key: "databaseConnections", need: NeedDatabase, fallback: "16",
		usage: "largest `number` of connections of this process to PostgreSQL",
		set:   func(c *Config, v string) (err error) { c.DatabaseConnections, err = parseInt(v, 2, 1000); return err },
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
		key: "temporal.tls", need: NeedTemporal, fallback: "false",
		usage: "speak TLS to Temporal's frontend; also so if one of the files below is given",
		set:   func(c *Config, v string) (err error) { c.Temporal.TLS, err = parseBool(v); return err },
	},
	{
		key: "temporal.caFile", need: NeedTemporal,
		usage: "`file` with the CA certificates for the frontend's certificate; by default the system's",
		set:   func(c *Config, v string) error { c.Temporal.CAFile = v; return nil },
	},
	{
		key: "temporal.certFile", need: NeedTemporal, usage: "`file` with Windlass's client certificate for Temporal",
		set: func(c *Config, v string) error { c.Temporal.CertFile = v; return nil },
	},
	{
		key: "temporal.keyFile", need: NeedTemporal, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.Temporal.KeyFile = v; return nil },
	},
	{
		key: "temporal.serverName", need: NeedTemporal,
		usage: "`name` in the frontend's certificate, if it is not the host of temporal.address",
		set:   func(c *Config, v string) error { c.Temporal.ServerName = v; return nil },
	},
	{
		key: "temporal.apiKeyFile", need: NeedTemporal,
		usage: "`file` with an API key that Windlass shows to Temporal with each call, read again when it changes",
		set:   func(c *Config, v string) error { c.Temporal.APIKeyFile = v; return nil },
	},
	{
		key: "temporal.clearHistoriesUntil", need: NeedTemporal,
		usage: "`date` until which Windlass believes histories without encryption, such as 2026-12-31",
		set: func(c *Config, v string) (err error) {
			c.Temporal.ClearHistoriesUntil, err = parseDate(v)
			return err
		},
	},
}

// apiSettings are for the API server.
var apiSettings = []setting{
	{
		key: "api.listen", need: NeedAPI, fallback: "127.0.0.1:9890", usage: "`host:port` on which the API is served",
		set: func(c *Config, v string) (err error) { c.API.Listen, err = v, checkAddress(v); return err },
	},
	{
		key: "api.endpoint", need: NeedAPI,
		usage: "absolute `URL` at which clients reach the API; by default it is made from api.listen",
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
		key: "api.pageSize", need: NeedAPI, fallback: "1000",
		usage: "largest number of `items` of a list in one answer, which links to the next page; 0 is no limit",
		set:   func(c *Config, v string) (err error) { c.API.PageSize, err = parseInt(v, 0, 100_000); return err },
	},
	{
		key: "api.strictV1", need: NeedAPI, fallback: "false",
		usage: "require the Version header at /vnflcm/v1 and /vnfpkgm/v1",
		set:   func(c *Config, v string) (err error) { c.API.StrictV1, err = parseBool(v); return err },
	},
	{
		key: "api.tolerantV2", need: NeedAPI, fallback: "false", usage: "do not require the Version header at /vnflcm/v2",
		set: func(c *Config, v string) (err error) { c.API.TolerantV2, err = parseBool(v); return err },
	},
	{
		key: "api.codec", need: NeedAPI, fallback: "false",
		usage: "decrypt Temporal's payloads for the temporal command and the Web UI",
		set:   func(c *Config, v string) (err error) { c.API.Codec, err = parseBool(v); return err },
	},
	{
		key: "api.codecOrigins", need: NeedAPI,
		usage: "`origins` of the Web UIs that may use the codec, separated by commas, such as https://temporal.example",
		set:   func(c *Config, v string) (err error) { c.API.CodecOrigins, err = parseOrigins(v); return err },
	},
	{
		key: "api.allowedHosts", need: NeedAPI,
		usage: "further host `names` of the API, with commas between them; with auth.mode none the API refuses other names",
		set:   func(c *Config, v string) (err error) { c.API.AllowedHosts, err = parseHosts(v); return err },
	},
	{
		key: "api.tls.certFile", need: NeedAPI,
		usage: "`file` with the API's certificate, read again when it changes; without one the API speaks plain HTTP",
		set:   func(c *Config, v string) error { c.API.TLS.CertFile = v; return nil },
	},
	{
		key: "api.tls.keyFile", need: NeedAPI, usage: "`file` with the key of that certificate",
		set: func(c *Config, v string) error { c.API.TLS.KeyFile = v; return nil },
	},
	{
		key: "api.tls.clientCaFile", need: NeedAPI,
		usage: "`file` with the authorities of clients' certificates, for auth.mode mtls",
		set:   func(c *Config, v string) error { c.API.TLS.ClientCAFile = v; return nil },
	},
	{
		key: "api.metrics", need: NeedAPI, fallback: MetricsOpen,
		usage: "`who` may read /metrics: open (everybody), admin (clients with the scope windlass:admin) or off (nobody)",
		set: func(c *Config, v string) error {
			c.API.Metrics = v
			if v != MetricsOpen && v != MetricsAdmin && v != MetricsOff {
				return fmt.Errorf("is %q, not open, admin or off", v)
			}
			return nil
		},
	},
	{
		key: "api.trustedProxies", need: NeedAPI,
		usage: "`networks` of trusted proxies, with commas between them; their X-Forwarded-For gives the client's address",
		set:   func(c *Config, v string) (err error) { c.API.TrustedProxies, err = parseNetworks(v); return err },
	},
}

// limitSettings bound the requests of clients, and the age of audit records.
var limitSettings = []setting{
	{
		key: "limits.requestsPerSecond", need: NeedAPI, fallback: "0",
		usage: "largest `number` of requests of one client in a second, on average; 0 is no limit",
		set: func(c *Config, v string) (err error) {
			c.Limits.RequestsPerSecond, err = parseInt(v, 0, 1_000_000)
			return err
		},
	},
	{
		key: "limits.burst", need: NeedAPI, fallback: "100",
		usage: "largest `number` of requests of one client at once, if limits.requestsPerSecond is set",
		set:   func(c *Config, v string) (err error) { c.Limits.Burst, err = parseInt(v, 1, 1_000_000); return err },
	},
	{
		key: "limits.bodyKiB", need: NeedAPI, fallback: "1024",
		usage: "largest body of a request, except uploads of packages, in `KiB`",
		set:   func(c *Config, v string) (err error) { c.Limits.BodyKiB, err = parseInt(v, 1, 1<<20); return err },
	},
	{
		key: "limits.uriBytes", need: NeedAPI, fallback: "16384", usage: "longest path with its query, in `bytes`",
		set: func(c *Config, v string) (err error) { c.Limits.URIBytes, err = parseInt(v, 256, 32<<10); return err },
	},
	{
		key: "audit.keepFor", need: NeedAPI, fallback: "2160h",
		usage: "how `long` records of the audit are kept; 0 is for ever",
		set:   func(c *Config, v string) (err error) { c.Audit.KeepFor, err = parseDuration(v); return err },
	},
}
