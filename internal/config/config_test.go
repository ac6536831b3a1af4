package config_test

import (
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// load parses args as a command with these needs would. The environment belongs to the whole process, so tests that set
// it are not parallel.
func load(t *testing.T, needs []config.Need, args ...string) (config.Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("windlass", pflag.ContinueOnError)
	config.AddFlags(flags, needs...)
	require.NoError(t, flags.Parse(args))
	return config.Load(flags, needs...)
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "windlass.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func problems(t *testing.T, err error) []lcm.Problem {
	t.Helper()
	e, ok := errors.AsType[*lcm.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, lcm.KindInvalid, e.Kind)
	return e.Problems
}

func TestLoad_defaultsAndExampleAgree(t *testing.T) {
	t.Setenv("WINDLASS_KEYS", "k:v")
	t.Setenv("WINDLASS_DATABASE_URL", "postgres://u:p@h/windlass")
	defaults, err := load(t, nil)
	require.NoError(t, err)
	var denied []netip.Prefix
	for _, network := range []string{
		"0.0.0.0/8", "127.0.0.0/8", "::/128", "::1/128",
		"169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fe80::/10", "64:ff9b::a9fe:0/112",
		"fd00:ec2::/96", "fd20:ce::254/128",
	} {
		denied = append(denied, netip.MustParsePrefix(network))
	}
	want := config.Config{
		Database: config.Database{URL: "postgres://u:p@h/windlass", Connections: 16},
		Temporal: config.Temporal{Address: "127.0.0.1:7233", Namespace: "windlass"},
		API: config.API{
			Listen: "127.0.0.1:9890", Endpoint: "http://127.0.0.1:9890", MaxUploadMiB: 8192,
			PageSize: 1000, Metrics: "open",
		},
		Auth: config.Auth{
			Modes:  []string{"none"},
			OAuth2: config.OAuth2{ProjectClaim: "project_id"},
			Keystone: config.Keystone{
				UserDomain: "Default", Project: "service", ProjectDomain: "Default",
				ReadRoles: []string{"reader"}, WriteRoles: []string{"member"}, AdminRoles: []string{"admin"},
			},
		},
		Page:   config.Page{OAuth2Scope: "openid windlass:write"},
		Limits: config.Limits{Burst: 100, BodyKiB: 1024, URIBytes: 16384},
		Audit:  config.Audit{KeepFor: 2160 * time.Hour},
		Notifications: config.Notifications{
			TestCallback: true, RetryFor: 24 * time.Hour, KeepFor: 720 * time.Hour, Waiting: 10_000, Subscriptions: 200,
			DeniedNetworks: denied,
		},
		NFVO: config.NFVO{
			Grants: true, Packages: config.PackagesOff, Timeout: 30 * time.Second,
			GrantTimeout: time.Hour, GrantPoll: 2 * time.Second,
		},
		Packages:   config.Packages{DeniedNetworks: denied},
		Vims:       config.Vims{DeniedNetworks: denied},
		UserData:   config.UserData{Timeout: 30 * time.Second},
		Scripts:    config.Scripts{Policy: lcm.ScriptsSkipped, Timeout: time.Hour, AnsibleLease: 5 * time.Minute, AnsibleAtOnce: 4},
		Keys:       config.Keys{Env: "WINDLASS_KEYS", Token: config.Token{PINEnv: "WINDLASS_KEYS_PIN"}},
		Worker:     config.Worker{Concurrency: 1000, Metrics: "127.0.0.1:9891", Attempts: 10, Reconnect: 3 * time.Minute},
		Kubernetes: config.Kubernetes{Apt: config.Apt{Suite: "/"}},
		Telemetry: config.Telemetry{
			Protocol: config.TelemetryGRPC, Traces: true, Metrics: true, SampleRatio: 1,
			MetricsInterval: 30 * time.Second,
		},
		Log:           config.Log{Level: slog.LevelInfo, Format: "json"},
		ShutdownGrace: 30 * time.Second,
	}
	assert.Equal(t, want, defaults)

	example, err := load(t, nil, "--config", "windlass.example.yaml")
	require.NoError(t, err)
	want.File = "windlass.example.yaml"
	assert.Equal(t, want, example)
}

func TestLoad_flagsBeforeEnvironmentBeforeFile(t *testing.T) {
	path := file(t, "temporal: {address: file:1, namespace: file}\nlog:\n  level: error\nworker:\nshutdownGrace: 1s\n")
	t.Setenv("WINDLASS_CONFIG", path)
	t.Setenv("WINDLASS_TEMPORAL_NAMESPACE", "environment")
	t.Setenv("WINDLASS_LOG_LEVEL", "warn")
	t.Setenv("WINDLASS_SHUTDOWN_GRACE", "")
	c, err := load(t, []config.Need{config.NeedTemporal}, "--log-level", "debug")
	require.NoError(t, err)
	assert.Equal(t, config.Temporal{Address: "file:1", Namespace: "environment"}, c.Temporal)
	assert.Equal(t, slog.LevelDebug, c.Log.Level)
	assert.Equal(t, time.Second, c.ShutdownGrace, "an empty variable is not set")
	assert.Equal(t, path, c.File)
}

func TestLoad_reportsAllMistakesWithTheirPlace(t *testing.T) {
	path := file(t, strings.TrimSpace(`
temporal:
  address: nowhere
  adress: typo
api: [1]
worker:
  concurrency: many
  concurrency: 7
  metrics: {a: b}
databaseUrl: "mysql://u:hunter2@h/d"
colour: red
`))
	t.Setenv("WINDLASS_API_ENDPOINT", "vnfm.example")
	t.Setenv("WINDLASS_KEYS_ENV", "k1:hunter2=")
	_, err := load(t, nil, "--config", path, "--log-format=xml", "--log-level=loud", "--shutdown-grace=soon",
		"--api-listen=:0")
	assert.Equal(t, []string{
		"windlass.yaml:3", "windlass.yaml:4", "windlass.yaml:7", "windlass.yaml:8", "windlass.yaml:10",
		"windlass.yaml:9 databaseUrl", "windlass.yaml:2 temporal.address", "--api-listen", "WINDLASS_API_ENDPOINT",
		"WINDLASS_KEYS_ENV",
		"windlass.yaml:6 worker.concurrency", "--log-level", "--log-format", "--shutdown-grace",
	}, places(t, err))
	assert.NotContains(t, err.Error(), "hunter2")
	assert.ErrorContains(t, err, "temporal.adress is no setting; there are temporal.address, temporal.namespace")
}

func TestLoad_wantsOnlyWhatTheCommandNeeds(t *testing.T) {
	_, err := load(t, []config.Need{config.NeedTemporal})
	require.NoError(t, err)
	_, err = load(t, []config.Need{config.NeedDatabase})
	require.Len(t, problems(t, err), 1)
	_, err = load(t, []config.Need{config.NeedDatabase, config.NeedKeys})
	require.Len(t, problems(t, err), 2)

	flags := pflag.NewFlagSet("migrate", pflag.ContinueOnError)
	config.AddFlags(flags, config.NeedDatabase)
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	assert.Equal(t, []string{
		"config", "database-connections", "database-url", "log-format", "log-level",
		"shutdown-grace",
	}, names)
}

func TestLoad_refusesPasswordsAmongTheArguments(t *testing.T) {
	need := []config.Need{config.NeedDatabase}
	c, err := load(t, need, "--database-url=postgres://u@h/windlass")
	require.NoError(t, err)
	assert.Equal(t, "postgres://u@h/windlass", c.Database.URL)
	for _, url := range []string{"postgres://u:hunter2@h/windlass", "postgres://u@h/windlass?password=hunter2"} {
		_, err = load(t, need, "--database-url="+url)
		require.Len(t, problems(t, err), 1)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestLoad_fileThatCannotBeUsed(t *testing.T) {
	for _, path := range []string{"absent.yaml", t.TempDir(), file(t, "a: [\n"), file(t, "text")} {
		_, err := load(t, []config.Need{config.NeedTemporal}, "--config", path)
		require.Len(t, problems(t, err), 1, path)
	}
	for _, path := range []string{file(t, ""), file(t, "# nothing\n")} {
		_, err := load(t, []config.Need{config.NeedTemporal}, "--config", path)
		require.NoError(t, err)
	}
}

func TestLoad_namesInTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"WINDLASS_API_LISTEN": "0.0.0.0:80", "WINDLASS_API_MAX_UPLOAD_MIB": "7", "WINDLASS_API_STRICT_V1": "true",
		"WINDLASS_AUTH_NONE_ANYWHERE": "true", "WINDLASS_API_TOLERANT_V2": "1", "WINDLASS_KEYS_FILE": "keys",
		"WINDLASS_WORKER_METRICS": "off", "WINDLASS_WORKER_CONCURRENCY": "3",
	} {
		t.Setenv(name, value)
	}
	c, err := load(t, []config.Need{config.NeedAPI, config.NeedKeys, config.NeedWorker})
	require.NoError(t, err)
	assert.Equal(t, config.API{
		Listen: "0.0.0.0:80", Endpoint: "http://127.0.0.1:80", MaxUploadMiB: 7, PageSize: 1000,
		StrictV1: true, TolerantV2: true, Metrics: "open",
	}, c.API)
	assert.Equal(t, config.Worker{Concurrency: 3, Attempts: 10, Reconnect: 3 * time.Minute}, c.Worker)

	c, err = load(t, []config.Need{config.NeedAPI}, "--api-strict-v1=false", "--api-tolerant-v2", "--api-max-upload-mib=9",
		"--api-endpoint=https://vnfm.example/base/")
	require.NoError(t, err)
	assert.Equal(t, config.API{
		Listen: "0.0.0.0:80", Endpoint: "https://vnfm.example/base", MaxUploadMiB: 9,
		PageSize: 1000, TolerantV2: true, Metrics: "open",
	}, c.API)
}

func TestConfig_logsSettingsWithoutThePassword(t *testing.T) {
	logged := func(c config.Config) string {
		var out strings.Builder
		slog.New(slog.NewTextHandler(&out, nil)).Info("start", slog.Any("config", c))
		return out.String()
	}
	c := config.Config{
		Database: config.Database{URL: "postgres://u:hunter2@h/d", Connections: 7},
		Limits:   config.Limits{Burst: 5}, Kubernetes: config.Kubernetes{Apt: config.Apt{Key: []byte("hunter2")}},
	}
	line := logged(c)
	assert.NotContains(t, line, "hunter2")
	assert.Contains(t, line, "postgres://u:xxxxx@h/d")
	assert.Contains(t, line, "databaseConnections=7")
	assert.Contains(t, line, "limits.burst=5")
	for _, other := range []string{
		"postgres://u@h/d?password=hunter2", "postgres://u@h/d?sslpassword=hunter2&x=%", "postgres://u:hunter2@h:port/d",
	} {
		c.Database.URL = other
		assert.NotContains(t, logged(c), "hunter2")
	}
}

// TestConfig_logsNoSecretOfAnyAddress puts an address with a password and a token into every setting that is a text.
func TestConfig_logsNoSecretOfAnyAddress(t *testing.T) {
	const address = "https://u:hunter2@h.example/p?token=hunter2"
	var c config.Config
	filled := 0
	var fill func(of reflect.Value)
	fill = func(of reflect.Value) {
		for _, field := range of.Fields() {
			switch {
			case !field.CanSet():
			case field.Kind() == reflect.String:
				field.SetString(address)
				filled++
			case field.Type() == reflect.TypeFor[[]string]():
				field.Set(reflect.ValueOf([]string{address}))
				filled++
			case field.Kind() == reflect.Struct:
				fill(field)
			}
		}
	}
	fill(reflect.ValueOf(&c).Elem())
	c.File = "windlass.yaml"
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("start", slog.Any("config", c))
	require.Greater(t, filled, 50)
	assert.NotContains(t, out.String(), "hunter2")
	assert.Contains(t, out.String(), "h.example")
}

// TestLoad_quotesNoSecret checks the settings with secrets, and those in which somebody may put a secret by mistake.
func TestLoad_quotesNoSecret(t *testing.T) {
	for flag, wrong := range map[string]string{
		"database-url": "mysql://u:hunter2@h/d", "keys-env": "k1:hunter2=", "keys-token-pin-env": "0-hunter2",
		"telemetry-endpoint": "http://u:hunter2@h", "api-endpoint": "http://u:hunter2@h",
	} {
		_, err := load(t, nil, "--"+flag+"="+wrong)
		require.Contains(t, places(t, err), "--"+flag)
		assert.NotContains(t, err.Error(), "hunter2", flag)
	}
}

func places(t *testing.T, err error) (places []string) {
	t.Helper()
	for _, p := range problems(t, err) {
		places = append(places, p.Path)
	}
	return places
}

func TestLoad_takesNamesOfHosts(t *testing.T) {
	t.Setenv("WINDLASS_API_ALLOWED_HOSTS", "Windlass, vnfm.internal.example")
	c, err := load(t, []config.Need{config.NeedAPI})
	require.NoError(t, err)
	require.Equal(t, []string{"windlass", "vnfm.internal.example"}, c.API.AllowedHosts)
	for _, wrong := range []string{"*", "vnfm.example:9890", "https://vnfm.example", "a b", ".example"} {
		t.Setenv("WINDLASS_API_ALLOWED_HOSTS", wrong)
		_, err := load(t, []config.Need{config.NeedAPI})
		require.ErrorContains(t, err, "WINDLASS_API_ALLOWED_HOSTS", wrong)
		require.ErrorContains(t, err, "not the name of a host", wrong)
	}
}

func TestLoad_takesOriginsOfWebUIs(t *testing.T) {
	t.Setenv("WINDLASS_API_CODEC_ORIGINS", "https://temporal.example:8080/, http://localhost:8233")
	c, err := load(t, []config.Need{config.NeedAPI}, "--api-codec")
	require.NoError(t, err)
	require.True(t, c.API.Codec)
	require.Equal(t, []string{"https://temporal.example:8080", "http://localhost:8233"}, c.API.CodecOrigins)
	for _, wrong := range []string{"*", "temporal.example", "https://temporal.example/ui", "https://a.example,"} {
		t.Setenv("WINDLASS_API_CODEC_ORIGINS", wrong)
		_, err := load(t, []config.Need{config.NeedAPI})
		require.Contains(t, problems(t, err)[0].Detail, "no origin", wrong)
	}
}
