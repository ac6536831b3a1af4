package main

import (
	"fmt"
	"io"
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
}

type stepKey struct {
	index int
	phase lcm.Phase
	node  string
}

func (s step) key() stepKey { return stepKey{s.Index, s.Phase, s.Node} }

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
	for _, st := range s.steps {
		before := v.seen[st.key()]
		v.seen[st.key()] = st
		if st.State == before.State && st.Attempt == before.Attempt || st.State == lcm.StepPending {
			continue
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
	now := v.now()
	if v.lastLine.IsZero() || now.Sub(v.lastLine) < stillEvery {
		return
	}
	for _, s := range v.last.steps {
		if s.Node == "" && s.State == lcm.StepRunning {
			v.line(v.last.op.elapsed(now), s.name()+": still running after "+duration(s.elapsed(now))+v.left(s))
		}
	}
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
