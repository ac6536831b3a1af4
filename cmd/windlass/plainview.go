package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// stillEvery is the longest time without a line while a step runs.
const stillEvery = 9 * time.Second

// plainView writes a line for every change, and one that says what still runs when nothing changes: for logs and pipes.
type plainView struct {
	out      io.Writer
	now      func() time.Time
	state    lcm.OperationState
	seen     map[stepKey]step
	lastNote string
	lastLine time.Time
	last     snapshot
	// failures of nodes wait here for those of other nodes.
	failures map[stepKey][]failure
}

// newPlainView makes the view of a watch. It does not repeat what was known before a decision.
func newPlainView(out io.Writer, now func() time.Time, w *watcher) *plainView {
	v := &plainView{out: out, now: now, state: w.after.State, seen: map[stepKey]step{}}
	for _, st := range w.past {
		v.seen[st.key()] = st
	}
	return v
}

type stepKey struct {
	index int
	phase lcm.Phase
	node  string
}

func (s step) key() stepKey { return stepKey{s.Index, s.Phase, s.Node} }

// whole is the key of the step that s is, or is a part of.
func (s step) whole() stepKey { return stepKey{index: s.Index, phase: s.Phase} }

// ended tells whether the step, or the attempt of a node, has ended.
func (s step) ended() bool { return s.State != lcm.StepPending && s.State != lcm.StepRunning }

func (v *plainView) show(s snapshot) {
	v.lastNote, v.last = "", s
	clock := s.op.elapsed(v.now())
	tell := func() {
		if s.op.State != v.state {
			v.line(clock, fmt.Sprintf("%s %s", s.op.Operation, s.op.State))
			v.state = s.op.State
		}
	}
	if !s.op.over() {
		tell()
	}
	defer tell() // an end is told after the steps that led to it
	if v.seen == nil {
		v.seen = map[stepKey]step{}
	}
	for _, st := range partsFirst(s.steps) {
		before := v.seen[st.key()]
		v.seen[st.key()] = st
		v.tell(clock, before, st)
	}
	v.tellFailures(s.op.over())
}

// partsFirst has a step that has ended after its nodes: it ends with the last of them.
func partsFirst(steps []step) []step {
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b step) int {
		if a.whole() != b.whole() || a.Node != "" && b.Node != "" {
			return 0
		}
		if a.Node == "" == a.ended() {
			return 1
		}
		return -1
	})
	return steps
}

// tell writes a line if a step has changed. Failures of nodes wait for those of other nodes.
func (v *plainView) tell(clock time.Duration, before, st step) {
	again := st.Retry != nil && st.Retry.Error != nil && st.Retry.failed() != before.Retry.failed()
	changed := st.State != before.State || st.Attempt != before.Attempt
	switch {
	case again && st.Node == "":
		v.line(clock, st.name()+": "+st.Retry.line(v.now(), "", st.Retry.Error.Detail))
	case again, changed && st.Node != "" && st.State == lcm.StepFailed && st.Retry == nil:
		v.hold(st)
	case st.Retry != nil || !changed || st.State == lcm.StepPending:
	default:
		if st.Node == "" && st.ended() {
			v.tellFailuresOf(st.whole())
		}
		v.line(clock, nodePrefix(st)+st.name()+": "+change(st))
	}
}

// change says how it stands with a step.
func change(s step) string {
	again := ""
	if s.Attempt > 1 {
		again = fmt.Sprintf(", attempt %d", s.Attempt)
	}
	switch s.State {
	case lcm.StepDone:
		return "done in " + duration(s.elapsed(time.Time{})) + again
	case lcm.StepFailed:
		return "failed" + again + ": " + s.remark()
	case lcm.StepCancelled:
		return "cancelled" + again
	default:
		return "running" + again
	}
}

func nodePrefix(s step) string {
	if s.Node == "" {
		return ""
	}
	return s.Node + ": "
}

// tick says what still runs, and what is left.
func (v *plainView) tick() {
	v.tellFailures(false)
	now := v.now()
	if v.lastLine.IsZero() || now.Sub(v.lastLine) < stillEvery {
		return
	}
	for _, s := range v.last.steps {
		if s.Node == "" && s.State == lcm.StepRunning {
			v.line(v.last.op.elapsed(now), s.name()+": still running after "+duration(s.elapsed(now))+v.again(s)+v.left(s))
		}
	}
}

// again is the attempt of a step's work that is tried again.
func (v *plainView) again(of step) string {
	if r := of.tried(v.last.steps); r != nil {
		return ", attempt " + r.count()
	}
	return ""
}

// left says how many nodes of a step are done, and how many steps come after it.
func (v *plainView) left(of step) string {
	nodes, done, steps := 0, 0, 0
	for _, s := range v.last.steps {
		switch {
		case s.Phase != of.Phase:
		case s.Node == "" && s.State == lcm.StepPending:
			steps++
		case s.Node != "" && s.Index == of.Index:
			nodes++
			if s.State == lcm.StepDone {
				done++
			}
		}
	}
	text := fmt.Sprintf("; steps left: %d", steps)
	if nodes > 0 {
		text = fmt.Sprintf(", %d of %d nodes done", done, nodes) + text
	}
	return text
}

func (v *plainView) note(text string) {
	if text != v.lastNote { // once is enough for one outage
		fmt.Fprintln(v.out, text)
	}
	v.lastNote = text
}

func (v *plainView) line(clock time.Duration, text string) {
	v.lastLine = v.now()
	seconds := int(clock.Seconds())
	fmt.Fprintf(v.out, "%02d:%02d %s\n", seconds/60, seconds%60, text)
}
