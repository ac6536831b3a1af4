package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// results are the content of the file with the counts. It is in the repository, so that any machine goes on.
type results struct {
	Suites   map[string]count `json:"suites"`
	Failures []failure        `json:"failures"`
}

// count are the runs of a suite.
type count struct {
	Runs   int `json:"runs"`
	Passed int `json:"passed"`
	// Since counts the runs since the last one that failed.
	Since int `json:"passed_since_last_failure"`
	// Seconds is how long the last run took.
	Seconds int `json:"seconds"`
}

// failure is a failed test in a run. People add the cause and the commit that mends it.
type failure struct {
	Suite  string `json:"suite"`
	Test   string `json:"test"`
	Commit string `json:"commit"`
	Day    string `json:"day"`
	Output string `json:"output"`
	Cause  string `json:"cause"`
	Mended string `json:"mended"`
}

func read(file string) (results, error) {
	r := results{Suites: map[string]count{}}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%s is not a file of results: %w", file, err)
	}
	return r, nil
}

func (r results) write(file string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// next returns the suite with the fewest runs, or "" if each has its runs.
func (r results) next(suites []string, times int) string {
	if len(suites) == 0 {
		return ""
	}
	name := slices.MinFunc(suites, func(a, b string) int { return r.Suites[a].Runs - r.Suites[b].Runs })
	if r.Suites[name].Runs >= times {
		return ""
	}
	return name
}

func (r *results) add(suite string, one run) {
	c := r.Suites[suite]
	c.Runs++
	c.Seconds = int(one.seconds)
	if len(one.failed) == 0 {
		c.Passed++
		c.Since++
	} else {
		c.Since = 0
	}
	r.Suites[suite] = c
	for _, f := range one.failed {
		r.Failures = append(r.Failures, failure{
			Suite: suite, Test: f.name, Commit: one.commit, Day: time.Now().Format(time.DateOnly), Output: f.output,
		})
	}
}

// table prints the counts, and each failed test with its cause.
func (o options) table(w io.Writer) error {
	r, err := read(o.results)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| suite | runs | passed | passed since the last failure | seconds |\n|---|---|---|---|---|")
	for _, name := range allSuites {
		c := r.Suites[name]
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", name, c.Runs, c.Passed, c.Since, c.Seconds)
	}
	if len(r.Failures) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\n| suite | test | at commit | cause | mended by |\n|---|---|---|---|---|")
	for _, f := range r.Failures {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", f.Suite, strings.ReplaceAll(f.Test, "|", "/"), f.Commit, f.Cause, f.Mended)
	}
	return nil
}
