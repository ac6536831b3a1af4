package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestPlainView_saysEveryTenSecondsWhatStillRuns(t *testing.T) {
	var out bytes.Buffer
	now := noon
	v := &plainView{out: &out, now: func() time.Time { return now }}
	began := noon.Add(-2 * time.Second)
	v.show(snapshot{op: opOcc{Operation: lcm.OpInstantiate, State: lcm.Processing, Start: began}, steps: []step{
		{Index: 0, Title: "Join the other nodes", State: lcm.StepRunning, Started: &began},
		{Index: 0, Title: "Join the other nodes", Node: "cp-2", State: lcm.StepDone, Started: &began, Ended: &noon},
		{Index: 0, Title: "Join the other nodes", Node: "cp-3", State: lcm.StepRunning, Started: &began},
		{Index: 1, Title: "Label the nodes", State: lcm.StepPending},
	}})
	out.Reset()
	for range 24 { // half a second each
		now = now.Add(redrawEvery)
		v.tick()
	}
	assert.Equal(t, "00:11 Join the other nodes: still running after 11s, 1 of 2 nodes done; steps left: 1\n", out.String())
}
