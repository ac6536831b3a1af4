// Command bench measures Windlass on this machine: against a plain script that makes the same cluster on the same lab
// (real) or heals one (heal), what Windlass itself costs per operation (overhead), how an instantiation grows with the
// number of nodes (growth) and a scaling with that of the new ones (scale-out), what a thousand operations at once need
// (in-flight), how soon a FORCEFUL cancel works beside them (cancel), how fast the API answers when it has 10,000 VNFs (northbound), what memory an upload of 2 GiB needs
// (upload), how soon an operation goes on when its worker is killed (recovery), what Windlass adds to the time of a
// real OpenStack's Heat (openstack), containerised VNFs against kubectl (cnf) and against Helm (cnf-chart), and a
// hundred of them at once (cnf-many). Run it with
//
//	go tool task bench
//	go tool task bench -- --only overhead --quick
//
// A slow result is never a failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	b := &bench{}
	if err := b.parse(os.Args[1:]); err != nil {
		os.Exit(2) // the flag package has printed the reason
	}
	err := b.run(ctx)
	b.print(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "The benchmark is not complete:", err)
		os.Exit(1)
	}
}

// parts are the values of --only.
var parts = []string{
	"overhead", "growth", "scale-out", "in-flight", "cancel", "northbound", "upload", "recovery", "openstack", "cnf",
	"cnf-chart", "cnf-many", "real", "heal",
}

// bench is one run of the benchmark.
type bench struct {
	only  string
	quick bool
	runs  int

	figures []figure
	notes   []string
}

func (b *bench) parse(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.only, "only", "", "measure this `part` only: "+strings.Join(parts, ", ")+"; several with commas")
	flags.BoolVar(&b.quick, "quick", false, "fewer repetitions and nodes")
	flags.IntVar(&b.runs, "runs", 0,
		"how `often` Windlass and the script each make or heal the real cluster; 0 is 1 cluster, 3 healings")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for name := range strings.SplitSeq(b.only, ",") {
		if b.only != "" && !slices.Contains(parts, name) {
			err := fmt.Errorf("--only must be of %s, not %q", strings.Join(parts, ", "), name)
			fmt.Fprintln(os.Stderr, err)
			return err
		}
	}
	return nil
}

func (b *bench) wants(part string) bool {
	return b.only == "" || slices.Contains(strings.Split(b.only, ","), part)
}

func (b *bench) run(ctx context.Context) error {
	measure := map[string]func(context.Context) error{
		"overhead": b.overhead, "growth": b.growth, "scale-out": b.scaleOut, "in-flight": b.inFlight, "cancel": b.cancels,
		"northbound": b.northbound, "upload": b.upload, "recovery": b.recovery, "openstack": b.openstack,
		"real": b.real, "heal": b.heal, "cnf": b.cnf, "cnf-chart": b.cnfChart, "cnf-many": b.cnfMany,
	}
	for _, name := range parts {
		if !b.wants(name) {
			continue
		}
		if err := measure[name](ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
