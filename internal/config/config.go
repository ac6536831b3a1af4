// Package config reads the settings of Windlass's processes: flags before environment variables before
// one YAML file before defaults. All mistakes are reported at once, each with the place it was made in.
//
// A setting has one name in three spellings: worker.metrics in the file, WINDLASS_WORKER_METRICS in the
// environment, --worker-metrics as a flag.
//
// A setting is one field of Config, or of a struct in it, with a comment and the tag `setting`:
//
//	// largest `number` of activities that run at once
//	Concurrency int `setting:"worker.concurrency; default=1000; min=1; max=10000"`
//
// The first paragraph of the comment is the usage text of --help, of the example file and of the reference page. A word
// in backquotes names the value in --help. Further paragraphs are for readers of the code. The tag has the name in the
// file, and then rules, separated by semicolons:
//
//	default=1000             the value if nobody gives one
//	example=/etc/x.pem       a value for the example file, if there is no default
//	min=1, max=9             the bounds of a number; every number has both
//	enum=a|b                 the allowed texts
//	is=address               the kind of the value, a line of kinds in values.go; by default the type decides
//	required                 commands that need the setting do not start without it
//	secret                   it may contain a password: logs show it without, and a flag must not have one
//
// The tag `need` of a field, or else of the struct that it is in, says which commands have the setting (Need).
package config

import (
	"log/slog"
	"time"
)

// Config is read once, in main, and passed down.
type Config struct {
	// File is the YAML file that was read, "" when there was none.
	File          string
	Database      Database      `need:"database"`
	Temporal      Temporal      `need:"temporal"`
	API           API           `need:"api"`
	Auth          Auth          `need:"api"`
	Page          Page          `need:"api"`
	Limits        Limits        `need:"api"`
	Audit         Audit         `need:"api"`
	Notifications Notifications `need:"notifications"`
	NFVO          NFVO          `need:"nfvo"`
	Packages      Packages      `need:"packages"`
	Vims          Vims          `need:"vims"`
	UserData      UserData      `need:"packages"`
	Scripts       Scripts       `need:"worker"`
	Keys          Keys          `need:"keys"`
	Worker        Worker        `need:"worker"`
	Kubernetes    Kubernetes    `need:"worker"`
	Telemetry     Telemetry     `need:"telemetry"`
	Log           Log
	// how `long` a shutdown waits for running work to end
	ShutdownGrace time.Duration `setting:"shutdownGrace; default=30s"`
}

// Need is a part of the settings that a command uses: only the needed parts become its flags and must be present.
type Need string

// The parts, as the tag `need` has them. Log and ShutdownGrace belong to every command.
const (
	NeedDatabase Need = "database"
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
	NeedToken  Need = "token"
	NeedWorker Need = "worker"
	// NeedTelemetry is for commands that send traces and metrics.
	NeedTelemetry Need = "telemetry"
	everyCommand  Need = ""
)

// Database is Windlass's PostgreSQL.
type Database struct {
	// PostgreSQL `URL`; with a password in it, use the environment or the file instead
	URL string `setting:"databaseUrl; required; secret; is=postgres; example=postgres://windlass@db.example/windlass"`
	// largest `number` of connections of this process to PostgreSQL
	Connections int `setting:"databaseConnections; default=16; min=2; max=1000"`
}

// Temporal says where workflows run.
type Temporal struct {
	// `host:port` of Temporal's frontend
	Address string `setting:"temporal.address; default=127.0.0.1:7233; is=address"`
	// `name` of the Temporal namespace
	Namespace string `setting:"temporal.namespace; default=windlass; is=notEmpty"`
	// speak TLS to Temporal's frontend; also so if one of the files below is given
	TLS bool `setting:"temporal.tls; default=false"`
	// `file` with the CA certificates for the frontend's certificate; by default the system's
	CAFile string `setting:"temporal.caFile; example=/etc/windlass/temporal-ca.pem"`
	// `file` with Windlass's client certificate for Temporal
	CertFile string `setting:"temporal.certFile; example=/etc/windlass/temporal.pem"`
	// `file` with the key of that certificate
	KeyFile string `setting:"temporal.keyFile; example=/etc/windlass/temporal-key.pem"`
	// `name` in the frontend's certificate, if it is not the host of temporal.address
	ServerName string `setting:"temporal.serverName; example=temporal.example"`
	// `file` with an API key that Windlass shows to Temporal with each call, read again when it changes
	APIKeyFile string `setting:"temporal.apiKeyFile; example=/etc/windlass/temporal-api-key"`
	// `date` until which Windlass believes histories without encryption, such as 2026-12-31
	//
	// The value is the end of that day, UTC.
	ClearHistoriesUntil time.Time `setting:"temporal.clearHistoriesUntil; example=2026-12-31"`
}

// Encrypted reports whether Windlass speaks TLS to Temporal.
func (t Temporal) Encrypted() bool {
	return t.TLS || t.CAFile != "" || t.CertFile != "" || t.KeyFile != "" || t.APIKeyFile != ""
}

// Keys says where the keys for secrets are.
type Keys struct {
	// `file` with the keys for secrets, readable by its owner only
	File string `setting:"keys.file; example=/etc/windlass/keys; is=notEmpty"`
	// `name` of the environment variable with the keys, when there is no file
	Env   string `setting:"keys.env; default=WINDLASS_KEYS; is=variable"`
	Token Token  `need:"token"`
}

// Token says how to reach the token that unwraps a wrapped key file.
type Token struct {
	// PKCS #11 module, a shared library as a `file`, of the token that wraps the keys in keys.file
	Module string `setting:"keys.token.module; example=/usr/lib/softhsm/libsofthsm2.so; is=notEmpty"`
	// `file` with the token's PIN, readable by its owner only
	PINFile string `setting:"keys.token.pinFile; example=/etc/windlass/token-pin; is=notEmpty"`
	// `name` of the environment variable with the token's PIN, when there is no file
	PINEnv string `setting:"keys.token.pinEnv; default=WINDLASS_KEYS_PIN; is=variable"`
}

// Log is how every process logs.
type Log struct {
	// lowest `level` that is logged: debug, info, warn or error
	Level slog.Level `setting:"log.level; default=info"`
	// `format` of the log: json or text
	Format string `setting:"log.format; default=json; enum=json|text"`
}

// The formats of logs.
const (
	FormatText = "text"
	FormatJSON = "json"
)
