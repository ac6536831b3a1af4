// Package faults is the matrix of everything that may happen to an operation: every operation, every step, every fault.
// docs/faults.md explains it.
package faults

import (
	"flag"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

var (
	all = flag.Bool("all", false,
		"run the whole matrix, hours of it, or what the other flags leave of it; else only the sample runs")
	onlyOps   = flag.String("operations", "", "rows, with commas between them; all unless given")
	onlyKinds = flag.String("faults", "", "columns, with commas between them; all unless given")
	onlySteps = flag.String("steps", "", "parts of the titles of steps, with commas between them; all unless given")
	siteCount = flag.Int("sites", 1, "so many Windlasses, each with a lab, share the cells")
	resultsIn = flag.String("results", "",
		"file for the results: cells that have passed according to it are not run again")
	tableIn  = flag.String("table", "", "file for the table, in Markdown")
	machines = flag.String("machines", environment.Fake,
		"fake, or nspawn for real machines: then all of it takes days, and the other flags choose")
	until = flag.Duration("for", 0, "begin no further cell after that time; 0 runs all")
)

// settings shorten the waits of Windlass: a lab needs no minutes. They also enable the packages with scripts.
var settings = map[string]string{
	"WINDLASS_WORKER_ATTEMPTS": "3", "WINDLASS_WORKER_RECONNECT": "5s",
	// for the rows of packages with scripts
	"WINDLASS_SCRIPTS_POLICY": "run", "WINDLASS_USER_DATA_PYTHON": "/usr/bin/python3",
}

var counter struct {
	sync.Mutex
	n int
}

// unique returns a number that makes the name of a VNF unique.
func (s *site) unique() string {
	counter.Lock()
	defer counter.Unlock()
	counter.n++
	return strconv.Itoa(counter.n)
}

func newSite(t testing.TB) *site {
	t.Helper()
	for name, value := range settings {
		t.Setenv(name, value)
	}
	lab := &environment.Lab{Machines: *machines, Listen: "127.0.0.1:0", Args: []string{"--image-alias", "tiny"}}
	s := &site{bed: testbed.NewWith(t, lab, map[string]any{
		"call_timeout":    int(callTimeout.Seconds()),
		"outage_patience": 20,
	})}
	s.startRegistries(t)
	return s
}

// onRealMachines says whether the test must check a cluster's members themselves, because the lab does not simulate
// them.
func onRealMachines() bool { return *machines != environment.Fake }

// learn runs an operation without a fault, and returns the titles of its steps.
func learn(t testing.TB, s *site, o operation) []string {
	t.Helper()
	c := &cell{operation: o, site: s}
	s.prepare(t, o.before)
	c.op = o.begin(t, s)
	s.await(t, c.op)
	list := titles(s.bed.Steps(t, c.op))
	c.finish(t, "")
	return list
}

// TestMatrix runs the entire matrix, or the part that the flags choose.
func TestMatrix(t *testing.T) {
	if !*all && *onlyOps == "" && *onlyKinds == "" && *onlySteps == "" {
		t.Skip("Hours of it: go tool task test:faults. The sample has run.")
	}
	results := readResults(t, *resultsIn)
	defer func() { results.show(t, *tableIn) }()
	var sites []*site
	for range *siteCount {
		sites = append(sites, newSite(t))
		sites[len(sites)-1].startCluster(t)
	}
	begun := time.Now()
	work := make(chan []*cell)
	var running sync.WaitGroup
	for _, s := range sites {
		running.Go(func() {
			for chain := range work {
				for _, c := range chain {
					if *until == 0 || time.Since(begun) < *until {
						s = runCell(t, s, c, results)
					}
				}
			}
		})
	}
	for _, chain := range chosen(t, sites[0], results) {
		work <- chain
	}
	close(work)
	running.Wait()
}

// chosen returns the cells to run. The titles of the steps come from operations without a fault. In each round, every
// operation meets every fault in one step, and in the next round in another step. So a run that ends early has covered
// something of everything. A chain is one fault for one operation after the other. Each operation leaves the VNF nearly
// in the state that the next one needs.
func chosen(t *testing.T, s *site, results *results) (chains [][]*cell) {
	t.Helper()
	type row struct {
		operation operation
		steps     []string
	}
	var rows []row
	for _, o := range s.rows() {
		if wanted(*onlyOps, o.name, true) {
			rows = append(rows, row{o, learn(t, s, o)})
		}
	}
	count, longest := 0, 0
	for _, r := range rows {
		longest = max(longest, len(r.steps))
	}
	for round := range longest {
		for column, f := range faults {
			var chain []*cell
			for i, r := range rows {
				at := (round + column + i) % len(r.steps)
				c := &cell{
					operation: r.operation, step: r.steps[at], fault: f,
					decision: []string{"retry", "rollback"}[(at+column)%2],
				}
				if round < len(r.steps) && wanted(*onlyKinds, f.name, true) && wanted(*onlySteps, c.step, false) &&
					!results.passed(c) {
					chain = append(chain, c)
				}
			}
			if count += len(chain); len(chain) > 0 {
				chains = append(chains, chain)
			}
		}
	}
	t.Logf("%d cells are to run, %d were run before.", count, len(results.Cells))
	return chains
}

// wanted says whether a comma-separated list contains a name, exactly or as a part. An empty list contains all names.
func wanted(list, name string, exactly bool) bool {
	return list == "" || slices.ContainsFunc(strings.Split(list, ","), func(one string) bool {
		return one == name || !exactly && strings.Contains(name, one)
	})
}

// runCell runs one cell and stores its result. It returns the site for the next cell. This is a new site if the VNF of
// this cell cannot be removed.
func runCell(t *testing.T, s *site, c *cell, results *results) *site {
	t.Helper()
	c.site = s
	begun := time.Now()
	r := result{Operation: c.operation.name, Step: c.step, Fault: c.fault.name, Outcome: failed}
	if results.unmet(c) {
		r.Outcome = untouched
		results.add(t, r)
		return s
	}
	if t.Run(c.operation.name+"/"+c.step+"/"+c.fault.name, func(t *testing.T) {
		defer func() { r.Operated = c.op }()
		r.Outcome, r.Late = c.run(t)
	}) {
		r.Seconds = time.Since(begun).Seconds()
		results.add(t, r)
		return s
	}
	r.Outcome, r.Seconds = failed, time.Since(begun).Seconds()
	results.add(t, r)
	t.Logf("The logs are in %s, the operation is %s.", logs(s.bed), c.op)
	if t.Run("clear away", func(t *testing.T) { c.clearAway(t) }) {
		return s
	}
	other := newSite(t)
	if s.cluster != nil {
		other.startCluster(t)
	}
	return other
}

// clearAway removes what a failed cell has left.
func (c *cell) clearAway(t testing.TB) {
	c.speedUp(t)
	if c.fault.mend != nil {
		c.fault.mend(t, c)
	}
	if c.op != "" && !c.stopped(t) {
		c.site.bed.Act(t, c.op, "cancel", map[string]any{"cancelMode": "FORCEFUL"})
		require.Eventually(t, func() bool { return c.stopped(t) }, 2*time.Minute, time.Second)
	}
	if c.op != "" && c.state(t) == "FAILED_TEMP" {
		c.site.bed.Act(t, c.op, "fail", nil)
	}
	if c.site.vnf != "" {
		c.site.bed.Remove(t, c.site.vnf)
	}
	c.site.removeNetwork(t)
	c.site.removeAnsible(t)
	c.site.bed.RequireNothingLeft(t)
	c.site.requireNoContainers(t)
	c.site.vnf, c.site.now = "", none
}

// TestSample runs a part of the matrix in CI: each fault once, in one of four operations, always the same cells.
func TestSample(t *testing.T) {
	if *all || *onlyOps != "" || *onlyKinds != "" || *onlySteps != "" {
		t.Skip("The matrix runs.")
	}
	s, results := newSite(t), &results{}
	defer func() { results.show(t, *tableIn) }()
	steps := map[string][]string{}
	for i, f := range faults {
		if f.containers || f.elsewhere {
			continue // TestSample_ofContainers has them
		}
		o := sampled[i%len(sampled)]
		if steps[o.name] == nil {
			steps[o.name] = learn(t, s, o)
		}
		list := steps[o.name]
		met := false
		for try := 0; !met && try < len(list); try++ { // until a step meets the fault
			c := &cell{
				operation: o, step: list[(first[i%len(first)]+try)%len(list)], fault: f,
				decision: []string{"retry", "rollback"}[i%2],
			}
			s = runCell(t, s, c, results)
			require.False(t, t.Failed(), "The cells after this one were not run.")
			met = results.last().Outcome != untouched
		}
		require.True(t, met, "no step of %q meets %q", o.name, f.name)
	}
}

// first are the numbers of the steps at which the sample begins to look for a step that meets its fault. For faults of
// Heat and Nova these are steps of the infrastructure.
var first = []int{0, 6, 8, 0, 8, 4, 4, 4, 3, 3, 8, 7, 5}

// sampled are the operations of the sample. Each leaves the VNF nearly in the state that the next one needs.
var sampled = []operation{operations[1], operations[2], operations[3], operations[4]}
