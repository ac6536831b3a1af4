// Command demo shows Windlass's main job on this machine: it brings up Windlass and the lab's cloud, and
// instantiates through the REST API a VNF that is a highly available Kubernetes cluster. Run it with
//
//	go tool task demo
//	go tool task demo -- --machines fake
//	go tool task demo -- --exit
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/windlass-nfv/windlass/tests/environment"
)

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		err = start(ctx, o)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nThe demo has not succeeded: %v\n", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	environment.Options

	flavour, level string
	jsonFile       string
	exit, keepLab  bool
}

// The kinds of machines.
const (
	nspawn = "nspawn"
	fake   = "fake"
)

func parse(args []string) (options, error) {
	o := options{Options: environment.Options{Out: os.Stdout}}
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.StringVar(&o.Dir, "dir", defaultDir(), "`directory` of everything that the demo writes")
	flags.StringVar(&o.Machines, "machines", nspawn, "nspawn: real Linux machines, needs root; fake: SSH servers that act, no cluster is made")
	flags.StringVar(&o.flavour, "flavour", "ha", "of the VNF: ha (control planes behind a virtual IP) or simple (one control plane)")
	flags.StringVar(&o.level, "level", "1", "instantiation `level`; ha: 1 is 3 control planes + 2 workers, 2 is 3+10, 3 is 3+50, 4 is 5+10, 5 is 7+50")
	flags.StringVar(&o.API, "api", "127.0.0.1:9890", "`address` of the API")
	flags.StringVar(&o.Temporal, "temporal", "127.0.0.1:7233", "`address` of Temporal")
	flags.StringVar(&o.UI, "ui", "127.0.0.1:8233", "`address` of Temporal's Web UI")
	flags.StringVar(&o.Lab, "lab", "127.0.0.1:5000", "`address` of the lab's OpenStack APIs")
	flags.StringVar(&o.jsonFile, "json", "", "write the result to this `file` as JSON")
	flags.BoolVar(&o.exit, "exit", false, "take everything down that the demo has brought up, and remove its files")
	flags.BoolVar(&o.keepLab, "keep-lab", false, "with --exit: stop Windlass only; the lab, its machines and all files stay")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.Machines != nspawn && o.Machines != fake {
		return o, fmt.Errorf("--machines must be nspawn or fake, not %q", o.Machines)
	}
	if o.flavour != "ha" && o.flavour != "simple" {
		return o, fmt.Errorf("--flavour must be ha or simple, not %q", o.flavour)
	}
	if strings.Trim(o.level, "0123456789") == "" {
		o.level = "instantiation_level_" + o.level
	}
	var err error
	o.Dir, err = filepath.Abs(o.Dir)
	return o, err
}

// defaultDir is outside of root's home: PostgreSQL runs as another account then, which cannot enter that.
func defaultDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/windlass-demo"
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".local", "state", "windlass-demo")
}

func start(ctx context.Context, o options) error {
	if o.exit {
		return takeDown(ctx, o)
	}
	if err := checkHost(ctx, o); err != nil {
		return err
	}
	d := &demo{options: o}
	if err := d.claim(); err != nil {
		return err
	}
	return d.run(ctx)
}
