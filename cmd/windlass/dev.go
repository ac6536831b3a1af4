package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/deployments/dev"
)

func newDev(con *console) *cobra.Command {
	opts := dev.Options{Out: con.out}
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine: PostgreSQL, Temporal with its Web UI, API server, worker",
		Long: `Run everything on this machine as one process tree: PostgreSQL, Temporal with its Web UI, the API server
and the worker. It restarts a process that ends by itself. Ctrl-C stops everything in order. It asks nobody for a
password, so it listens only on the loopback interface.

PostgreSQL must be installed (Debian's package is enough, no running server), or name a server with --database-url.
Its role must be allowed to create databases. windlass-temporal lies beside this binary. In a checkout the command
builds it.

The file dev.json in the state directory has addresses, process ids and the database's URL.`,
		Example: `  windlass dev
  windlass dev --state-dir /tmp/wl --api 127.0.0.1:0 --temporal 127.0.0.1:0 --ui 127.0.0.1:0
  windlass dev --no-worker        # and the worker in a debugger, with the environment of dev.env`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return dev.Run(cmd.Context(), opts) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.StateDir, "state-dir", "",
		"`directory` for databases, keys and logs; default: "+dev.DefaultStateDir())
	flags.StringVar(&opts.API, "api", "127.0.0.1:9890", "`address` of the API; port 0 takes any free one, here and below")
	flags.StringVar(&opts.Endpoint, "endpoint", "", "`URL` of the API in its answers; default: http:// and the address")
	flags.StringVar(&opts.Temporal, "temporal", "127.0.0.1:7233", "`address` of Temporal")
	flags.StringVar(&opts.UI, "ui", "127.0.0.1:8233", "`address` of Temporal's Web UI")
	flags.StringVar(&opts.WorkerMetrics, "worker-metrics", "127.0.0.1:0", "`address` of the worker's health and metrics")
	flags.StringVar(&opts.DatabaseURL, "database-url", os.Getenv("WINDLASS_DATABASE_URL"),
		"`URL` of a PostgreSQL to use instead of an own one; WINDLASS_DATABASE_URL sets it too")
	flags.Lookup("database-url").DefValue = "" // help must not show a password
	flags.StringVar(&opts.PostgresBin, "postgres-bin", "",
		"`directory` of PostgreSQL's programs; default: Debian's newest")
	flags.StringVar(&opts.TemporalBin, "temporal-bin", "", "windlass-temporal; default: beside this binary")
	flags.BoolVar(&opts.NoAPIServer, "no-apiserver", false, "leave the API server out")
	flags.BoolVar(&opts.NoWorker, "no-worker", false, "leave the worker out")
	flags.StringVar(&opts.LogLevel, "log-level", "", "level of the logs of API server and worker: debug, info, warn or error")
	return cmd
}
