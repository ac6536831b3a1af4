// Command repeat runs the suites that start processes again and again beside a busy processor, to find tests that fail by
// chance. It keeps its counts in a file and goes on where it stopped, also on another day:
//
//	repeat                             20 runs of each suite, the suite with the fewest runs first
//	repeat -suites e2e,machines -for 2h
//	repeat -table                      print what was found so far, and run nothing
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// suites are tasks of Taskfile.yml without "test:", which all take arguments of go test.
var suites = []string{
	"unit", "integration", "hostile", "e2e", "machines", "scripts", "kubernetes:sample", "tackerclient", "faults:sample",
	"sequences:sample", "ui:quick",
}

type options struct {
	suites  []string
	times   int
	busy    int
	limit   time.Duration
	results string
	logs    string
}

func main() {
	o, table := options{}, false
	names := flag.String("suites", strings.Join(suites, ","), "`names` of the suites, with commas between them")
	flag.IntVar(&o.times, "times", 20, "runs of each suite, those of earlier days included")
	flag.IntVar(&o.busy, "busy", 1, "processors that are kept busy meanwhile")
	flag.DurationVar(&o.limit, "for", 0, "begin no run after this `time`; 0: until all runs are done")
	flag.StringVar(&o.results, "results", "tests/repeat/results.json", "`file` with the counts")
	flag.StringVar(&o.logs, "logs", ".build/repeat-logs", "`directory` for the output of runs that failed")
	flag.BoolVar(&table, "table", false, "print what was found so far, and run nothing")
	flag.Parse()
	o.suites = strings.Split(*names, ",")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := o.check()
	switch {
	case err != nil:
	case table:
		err = o.table(os.Stdout)
	default:
		err = o.repeat(ctx)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o options) check() error {
	for _, name := range o.suites {
		if !slices.Contains(suites, name) {
			return fmt.Errorf("there is no suite %q; the suites are %s", name, strings.Join(suites, ", "))
		}
	}
	return os.MkdirAll(o.logs, 0o755)
}

// repeat runs suites until each has its runs, or the time is over.
func (o options) repeat(ctx context.Context) error {
	began := time.Now()
	for o.limit == 0 || time.Since(began) < o.limit {
		r, err := read(o.results)
		if err != nil {
			return err
		}
		name := r.next(o.suites, o.times)
		if name == "" {
			break
		}
		fmt.Printf("%s  %s, run %d of %d\n", time.Now().Format(time.TimeOnly), name, r.Suites[name].Runs+1, o.times)
		run, err := o.run(ctx, name)
		if ctx.Err() != nil {
			break // a run that was interrupted does not count
		}
		if err != nil {
			return err
		}
		fmt.Printf("%s  %s\n", time.Now().Format(time.TimeOnly), run)
		r.add(name, run)
		if err := r.write(o.results); err != nil {
			return err
		}
	}
	return o.table(os.Stdout)
}

// log returns the file for the output of a run.
func (o options) log(suite, commit string) string {
	name := fmt.Sprintf("%s-%s-%s.log", strings.ReplaceAll(suite, ":", "-"), commit, time.Now().Format("0102-150405"))
	return filepath.Join(o.logs, name)
}
