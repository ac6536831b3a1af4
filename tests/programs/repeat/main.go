// Command repeat runs the suites that start processes again and again beside a busy processor, to find tests that fail by
// chance. It keeps its counts in a file and goes on where it stopped, also on another day:
//
//	repeat                             20 runs of each suite, the suite with the fewest runs first
//	repeat -suites e2e,machines -for 2h
//	repeat -at-once 3 -busy 0          three suites beside each other: each keeps the processors busy for the others
//	repeat -passed ci.log              count the suites of a run of all tests that has passed, by its output
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
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// allSuites are tasks of Taskfile.yml without "test:", which all take arguments of go test.
var allSuites = []string{
	"unit", "integration", "hostile", "e2e", "machines", "scripts", "kubernetes:sample", "tackerclient", "faults:sample",
	"sequences:sample", "ui:quick",
}

type options struct {
	suites  []string
	times   int
	atOnce  int
	busy    int
	limit   time.Duration
	results string
	logs    string
}

func main() {
	o, table := options{}, false
	names := flag.String("suites", strings.Join(allSuites, ","), "`names` of the suites, with commas between them")
	passed := flag.String("passed", "", "`file` with the output of a run of all tests at this commit: count it, and run nothing")
	flag.IntVar(&o.times, "times", 20, "runs of each suite, those of earlier days included")
	flag.IntVar(&o.atOnce, "at-once", 1, "suites that run beside each other")
	flag.IntVar(&o.busy, "busy", 1, "processors that are kept busy meanwhile")
	flag.DurationVar(&o.limit, "for", 0, "begin no run after this `time`; 0: until all runs are done")
	flag.StringVar(&o.results, "results", "tests/programs/repeat/results.json", "`file` with the counts")
	flag.StringVar(&o.logs, "logs", ".build/repeat-logs", "`directory` for the output of runs that failed")
	flag.BoolVar(&table, "table", false, "print what was found so far, and run nothing")
	flag.Parse()
	o.suites = strings.Split(*names, ",")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := o.check()
	switch {
	case err != nil:
	case *passed != "":
		err = o.countPassed(*passed)
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
		if !slices.Contains(allSuites, name) {
			return fmt.Errorf("there is no suite %q; the suites are %s", name, strings.Join(allSuites, ", "))
		}
	}
	if o.atOnce < 1 {
		return fmt.Errorf("-at-once %d: at least one suite must run", o.atOnce)
	}
	return os.MkdirAll(o.logs, 0o755)
}

// repeat runs suites until each has its runs, or the time is over.
func (o options) repeat(ctx context.Context) error {
	rounds := &rounds{options: o, began: time.Now(), running: map[string]bool{}}
	group, ctx := errgroup.WithContext(ctx)
	for range o.atOnce {
		group.Go(func() error {
			for ctx.Err() == nil {
				if again, err := rounds.one(ctx); err != nil || !again {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return o.table(os.Stdout)
}

// rounds are what the runners beside each other share.
type rounds struct {
	options
	began   time.Time
	mutex   sync.Mutex // guards the file of results, and running
	running map[string]bool
}

// one runs one suite, and says whether there may be another one for this runner.
func (r *rounds) one(ctx context.Context) (again bool, err error) {
	name, err := r.take()
	if err != nil || name == "" {
		return false, err
	}
	run, err := r.run(ctx, name)
	if ctx.Err() != nil { // a run that was interrupted does not count
		err = nil
	} else if err == nil {
		err = r.count(name, run)
	}
	return err == nil && ctx.Err() == nil, err
}

// take chooses the next suite that does not run yet; "" if there is none.
func (r *rounds) take() (string, error) {
	if r.limit != 0 && time.Since(r.began) >= r.limit {
		return "", nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	results, err := read(r.results)
	if err != nil {
		return "", err
	}
	free := slices.DeleteFunc(slices.Clone(r.suites), func(name string) bool { return r.running[name] })
	name := results.next(free, r.times)
	if name != "" {
		r.running[name] = true
		fmt.Printf("%s  %s, run %d of %d\n", time.Now().Format(time.TimeOnly), name, results.Suites[name].Runs+1, r.times)
	}
	return name, nil
}

// count adds a run to the file of results.
func (r *rounds) count(name string, one run) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.running, name)
	fmt.Printf("%s  %s  %s\n", time.Now().Format(time.TimeOnly), name, one)
	results, err := read(r.results)
	if err != nil {
		return err
	}
	results.add(name, one)
	return results.write(r.results)
}

// countPassed adds the suites of a run of all tests.
func (o options) countPassed(file string) error {
	out, err := os.Open(file)
	if err != nil {
		return err
	}
	defer out.Close()
	suites, err := passedIn(out)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	r, err := read(o.results)
	if err != nil {
		return err
	}
	for _, name := range suites {
		r.add(name, run{seconds: float64(r.Suites[name].Seconds)}) // the output does not say how long it took
	}
	if err := r.write(o.results); err != nil {
		return err
	}
	return o.table(os.Stdout)
}

// log returns the file for the output of a run.
func (o options) log(suite, commit string) string {
	name := fmt.Sprintf("%s-%s-%s.log", strings.ReplaceAll(suite, ":", "-"), commit, time.Now().Format("0102-150405"))
	return filepath.Join(o.logs, name)
}
