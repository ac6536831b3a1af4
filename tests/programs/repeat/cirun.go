package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// heads are the lines with which the tasks of a suite begin in the output of all tests. All suites run beside each other
// there.
var heads = map[string][]string{
	"unit": {"== unit"}, "integration": {"== integration"}, "hostile": {"== hostile peers"},
	"e2e":      {"== e2e, the life of one Windlass", "== e2e, all others"},
	"machines": {"== real machines"}, "scripts": {"== scripts on fake machines and on real ones"},
	"kubernetes:sample": {"== a sample of the connector for Kubernetes on control planes"},
	"tackerclient":      {"== Tacker's client"}, "faults:sample": {"== sample of the fault matrix"},
	"sequences:sample": {"== random sequences, and the model of the states"},
	"ui:quick":         {"== the web page in a browser, if one is installed"},
}

// passedIn returns the suites that ran and passed in a run of all tests, by its output. A suite of which Go has taken a
// result from its cache did not run.
func passedIn(out io.Reader) (suites []string, err error) {
	lines, cached, done := map[string]bool{}, false, false
	for text := bufio.NewScanner(out); text.Scan(); {
		// What people put before a line, such as the time, does not matter.
		_, line, found := strings.Cut(text.Text(), "== ")
		switch {
		case found:
			lines["== "+line] = true
		case strings.HasSuffix(text.Text(), "(cached)"):
			cached = true
		}
		done = done || found && line == "done"
	}
	if !done {
		return nil, fmt.Errorf("this run of all tests did not pass: its output has no line \"== done\"")
	}
	for _, suite := range allSuites {
		ran := suite != "unit" || !cached
		for _, head := range heads[suite] {
			ran = ran && lines[head]
		}
		if ran {
			suites = append(suites, suite)
		}
	}
	return suites, nil
}
