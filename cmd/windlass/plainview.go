package main

import (
	"fmt"
	"io"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// plainView writes a line for every change: for logs and pipes.
type plainView struct {
	out      io.Writer
	now      func() time.Time
	state    lcm.OperationState
	seen     map[stepKey]step
	lastNote string
}

type stepKey struct {
	index int
	phase lcm.Phase
	node  string
}

func (s step) key() stepKey { return stepKey{s.Index, s.Phase, s.Node} }

func (v *plainView) show(s snapshot) {
	v.lastNote = ""
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

func (v *plainView) tick() {}

func (v *plainView) note(text string) {
	if text != v.lastNote { // once is enough for one outage
		fmt.Fprintln(v.out, text)
	}
	v.lastNote = text
}

func (v *plainView) line(clock time.Duration, text string) {
	seconds := int(clock.Seconds())
	fmt.Fprintf(v.out, "%02d:%02d %s\n", seconds/60, seconds%60, text)
}
