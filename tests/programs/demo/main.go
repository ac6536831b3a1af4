// Command demo shows Windlass's main task on this machine: it starts Windlass and a cloud, and instantiates a VNF
// through the REST API. The VNF is a highly available Kubernetes cluster. Run it with
//
//	go tool task demo
//	go tool task demo -- --cnf
//	go tool task demo -- --kubespray
//	go tool task demo -- --machines fake
//	go tool task demo -- --cloud openstack
//	go tool task demo -- --exit
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/windlass-nfv/windlass/tests/support/environment"
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

// options are the values of the command line.
type options struct {
	environment.Options

	cloud          cloud
	machines, lab  string // of the lab
	flavour, level string
	jsonFile       string
	exit, keepLab  bool
	cnf            bool // continue with a VNF of containers on the cluster
	kubespray      bool // an Ansible server installs the cluster, and the demo scales it
}

func parse(args []string) (options, error) {
	o, kind := options{Options: environment.Options{Out: os.Stdout}}, ""
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.StringVar(&kind, "cloud", inLab,
		"lab: a cloud in a box; openstack: a real OpenStack with virtual machines, needs root and 12 GiB of memory")
	flags.StringVar(&o.Dir, "dir", "",
		"`directory` of everything that the demo writes (default "+defaultDir(inLab)+", of each cloud its own)")
	flags.StringVar(&o.machines, "machines", environment.NSpawn,
		"of the lab. nspawn: real Linux machines, needs root; fake: SSH servers that act, no cluster is made")
	flags.StringVar(&o.flavour, "flavour", "",
		"of the VNF: ha (control planes behind a virtual IP) or simple (one control plane); default ha, on openstack simple")
	flags.StringVar(&o.level, "level", "", "instantiation `level`; ha: 1 is 3 control planes + 2 workers, 2 is 3+10, 3 "+
		"is 3+50, 4 is 5+10, 5 is 7+50; simple: 1+1, 1+3, 1+50; with --kubespray 1+1, 1+3, 3+2; default 1, with --kubespray 3")
	flags.StringVar(&o.API, "api", "127.0.0.1:9890", "`address` of the API")
	flags.StringVar(&o.Temporal, "temporal", "127.0.0.1:7233", "`address` of Temporal")
	flags.StringVar(&o.UI, "ui", "127.0.0.1:8233", "`address` of Temporal's Web UI")
	flags.StringVar(&o.lab, "lab", "127.0.0.1:5000", "`address` of the lab's OpenStack APIs")
	flags.StringVar(&o.jsonFile, "json", "", "write the result to this `file` as JSON")
	flags.BoolVar(&o.cnf, "cnf", false, "go on with a VNF of containers on the cluster: its page, a scale, a heal, and an "+
		"image that no registry has")
	flags.BoolVar(&o.kubespray, "kubespray", false, "make the cluster by the driver for kubespray, behind an external load "+
		"balancer, and scale it out and in while clients ask it")
	flags.BoolVar(&o.exit, "exit", false, "take everything down that the demo has brought up, and remove its files")
	flags.BoolVar(&o.keepLab, "keep-lab", false,
		"with --exit: stop Windlass only; the cloud, its machines and all files stay")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.Dir = cmp.Or(o.Dir, defaultDir(kind))
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return o, err
	}
	if o, err = o.in(kind); err != nil {
		return o, err
	}
	if o.cnf && (kind != inLab || o.cloud.acting) {
		return o, errors.New("--cnf needs the real machines of the lab, whose nodes have the image of its web server")
	}
	if o.kubespray && (kind != inLab || o.cloud.acting || o.flavour != "") {
		return o, errors.New("--kubespray needs the real machines of the lab, and has no --flavour: its cluster is made by " +
			"an Ansible server, which is one of them")
	}
	o.flavour = cmp.Or(o.flavour, o.cloud.flavour)
	if o.flavour != "ha" && o.flavour != "simple" {
		return o, fmt.Errorf("--flavour must be ha or simple, not %q", o.flavour)
	}
	if o.level == "" && o.kubespray {
		o.level = "3"
	}
	o.level = cmp.Or(o.level, "1")
	if strings.Trim(o.level, "0123456789") == "" {
		o.level = "instantiation_level_" + o.level
	}
	return o, nil
}

// in returns the options for this kind of cloud.
func (o options) in(kind string) (_ options, err error) {
	o.cloud, err = cloudOf(o, kind)
	o.Cloud = o.cloud.Cloud
	return o, err
}

// defaultDir returns a directory outside of root's home: when root runs the demo, PostgreSQL runs as another account,
// which cannot enter root's home.
func defaultDir(kind string) string {
	name := "windlass-demo"
	if kind != inLab {
		name += "-" + kind
	}
	if os.Geteuid() == 0 {
		return filepath.Join("/var/lib", name)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".local", "state", name)
}

func start(ctx context.Context, o options) error {
	if o.exit {
		return takeDown(ctx, o)
	}
	if o.cloud.root && os.Geteuid() != 0 { // tools/prerequisites.sh checks this before anything is built
		return errors.New("real machines need root. Run it as root, or with machines that only act:\n  go tool task demo -- " +
			"--machines fake")
	}
	d := &demo{options: o}
	if err := d.claim(); err != nil {
		return err
	}
	return d.run(ctx)
}
