package dev

import (
	"net"
	"os"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const temporalName = "temporal"

// temporal is windlass-temporal. The database's URL travels in the environment: everybody can read argv.
func (t *tree) temporal(bin string) spec {
	return spec{
		name: temporalName, title: "Temporal",
		args: []string{
			bin, "serve", "--listen", t.opts.Temporal, "--ui", t.opts.UI, "--health", t.health,
			"--namespace", namespace, "--search-attributes", strings.Join(lcm.SearchAttributes[:], ","),
		},
		env: append(os.Environ(), "WINDLASS_TEMPORAL_DATABASE_URL="+t.adminURL,
			"WINDLASS_TEMPORAL_CODEC_ENDPOINT="+t.opts.Endpoint+"/windlass/v1/codec"),
		ready: "http://" + t.health + "/readyz",
		grace: 15 * time.Second,
	}
}

func (t *tree) apiServer() spec {
	return spec{
		name: "apiserver", title: "The API server",
		args:  []string{t.opts.Executable, "apiserver"},
		env:   t.serverEnv(),
		ready: "http://" + t.opts.API + "/readyz",
		grace: 20 * time.Second,
	}
}

func (t *tree) worker() spec {
	return spec{
		name: "worker", title: "The worker",
		args:  []string{t.opts.Executable, "worker"},
		env:   t.serverEnv(),
		ready: "http://" + t.opts.WorkerMetrics + "/readyz",
		grace: 20 * time.Second,
	}
}

// webUIOrigins are how a browser may call the Web UI: by its address, or as localhost.
func (t *tree) webUIOrigins() []string {
	origins := []string{"http://" + t.opts.UI}
	if host, port, err := net.SplitHostPort(t.opts.UI); err == nil && net.ParseIP(host).IsLoopback() {
		origins = append(origins, "http://localhost:"+port)
	}
	return origins
}

// serverEnv is our environment without settings that are meant for other deployments.
func (t *tree) serverEnv() []string {
	settings := t.serverSettings()
	set := map[string]bool{}
	for _, line := range settings {
		name, _, _ := strings.Cut(line, "=")
		set[name] = true
	}
	var env []string
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); !set[name] {
			env = append(env, line)
		}
	}
	return append(env, settings...)
}

// serverSettings are the settings of the API server and the worker, as internal/config reads them.
func (t *tree) serverSettings() []string {
	settings := []string{
		"WINDLASS_DATABASE_URL=" + t.databaseURL,
		"WINDLASS_TEMPORAL_ADDRESS=" + t.opts.Temporal,
		"WINDLASS_TEMPORAL_NAMESPACE=" + namespace,
		"WINDLASS_API_LISTEN=" + t.opts.API,
		"WINDLASS_API_ENDPOINT=" + t.opts.Endpoint,
		"WINDLASS_API_CODEC=true",
		"WINDLASS_PAGE_TEMPORAL_URL=http://" + t.opts.UI,
		"WINDLASS_API_CODEC_ORIGINS=" + strings.Join(t.webUIOrigins(), ","),
		"WINDLASS_KEYS_FILE=" + t.keyFile(),
		"WINDLASS_WORKER_METRICS=" + t.opts.WorkerMetrics,
	}
	if os.Getenv("WINDLASS_SHUTDOWN_GRACE") == "" {
		// Ctrl-C should not take long; activities that have not ended go on at the next start.
		settings = append(settings, "WINDLASS_SHUTDOWN_GRACE=10s")
	}
	for _, denied := range []string{
		"WINDLASS_NOTIFICATIONS_DENIED_NETWORKS", "WINDLASS_PACKAGES_DENIED_NETWORKS", "WINDLASS_VIMS_DENIED_NETWORKS",
	} {
		if os.Getenv(denied) == "" { // here subscribers, sources of packages and VIMs live on this machine, too
			settings = append(settings, denied+"=169.254.0.0/16,fe80::/10")
		}
	}
	if t.opts.LogLevel != "" {
		settings = append(settings, "WINDLASS_LOG_LEVEL="+t.opts.LogLevel)
	}
	return append(settings, t.opts.Env...)
}
