package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// gatherFor is how long the failure of a node waits for those of other nodes. Nodes that fail for one cause do so within
// a moment.
const gatherFor = 2 * time.Second

// failure is the failed attempt of a node.
type failure struct {
	step
	since time.Time
}

// hold keeps the failure of a node, so that one line tells those of all nodes.
func (v *plainView) hold(st step) {
	if v.failures == nil {
		v.failures = map[stepKey][]failure{}
	}
	v.failures[st.whole()] = append(v.failures[st.whole()], failure{st, v.now()})
}

// tellFailures writes the failures that nobody needs to wait for: no node of the step is at work, or they are old.
func (v *plainView) tellFailures(all bool) {
	busy := map[stepKey]bool{}
	for _, s := range v.last.steps {
		busy[s.whole()] = busy[s.whole()] || s.Node != "" && s.State == lcm.StepRunning
	}
	for _, s := range v.last.steps { // in their order, which a map has not
		held := v.failures[s.whole()]
		if len(held) > 0 && (all || !busy[s.whole()] || v.now().Sub(held[0].since) >= gatherFor) {
			v.tellFailuresOf(s.whole())
		}
	}
}

// tellFailuresOf writes a line for each attempt and cause.
func (v *plainView) tellFailuresOf(whole stepKey) {
	clock := v.last.op.elapsed(v.now())
	for _, same := range grouped(v.failures[whole]) {
		v.line(clock, v.lineOf(same))
	}
	delete(v.failures, whole)
}

// lineOf is the line of failures that have their attempt and their cause in common.
func (v *plainView) lineOf(same []failure) string {
	first := same[0]
	if len(same) == 1 {
		if first.Retry == nil {
			return nodePrefix(first.step) + first.name() + ": " + change(first.step)
		}
		return nodePrefix(first.step) + first.name() + ": " + first.Retry.line(v.now(), "", first.Retry.Error.Detail)
	}
	on, cause := fmt.Sprintf(" on %d of %d nodes", len(same), v.nodesOf(first.whole())), first.cause()
	if first.Retry != nil {
		return first.name() + ": " + first.Retry.line(v.now(), on, cause)
	}
	return fmt.Sprintf("%s: failed%s: %s", first.name(), on, cause)
}

func (v *plainView) nodesOf(whole stepKey) (n int) {
	for _, s := range v.last.steps {
		if s.Node != "" && s.whole() == whole {
			n++
		}
	}
	return n
}

// grouped puts failures with the same attempt and cause together, in their order.
func grouped(failures []failure) (groups [][]failure) {
	for _, f := range failures {
		i := slices.IndexFunc(groups, func(g []failure) bool {
			return g[0].Retry.failed() == f.Retry.failed() && g[0].cause() == f.cause()
		})
		if i < 0 {
			groups = append(groups, []failure{f})
		} else {
			groups[i] = append(groups[i], f)
		}
	}
	return groups
}

// address is a node's address in brackets, as errors have it.
var address = regexp.MustCompile(` \([0-9a-fA-F.:\[\]]*[.:][0-9a-fA-F.:\[\]]*\)`)

// cause is the error without the node's name and address, which differ among nodes that fail for the same cause.
func (f failure) cause() string {
	e := f.Error
	if f.Retry != nil {
		e = f.Retry.Error
	}
	if e == nil {
		return cmp.Or(f.LastLine, "no error is known")
	}
	detail := strings.TrimPrefix(strings.TrimPrefix(e.Detail, f.Node+": "), f.Node+" ")
	return address.ReplaceAllString(strings.ReplaceAll(detail, f.Node, "the node"), "")
}
