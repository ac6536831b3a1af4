package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestSlow has an operation that hangs: the page finds it, and says how long its step takes otherwise.
func TestSlow(t *testing.T) {
	p := openPage(t)
	p.as(write)
	p.instance("quiet", nil, nil)
	p.instance("hangs", nil, nil)
	p.operation("hanging", "hangs", lcm.OpScale, lcm.Processing, false, "")
	op := lcm.OpOccID(idOf("hanging"))
	began := time.Now().Add(-6 * time.Minute)
	require.NoError(t, p.store.RecordPlan(t.Context(), op, []lcm.Step{{Index: 0, ID: "join-nodes", Title: "Join the new nodes"}}))
	require.NoError(t, p.store.RecordStep(t.Context(), lcm.Step{OpOccID: op, Index: 0, State: lcm.StepRunning, Started: began}))
	p.exec(t, `insert into step_time values ('SCALE', 'join-nodes', 'FORWARD', 'of-another', '{40, 41, 42}')`)

	p.goTo("operations?sort=-startTime")
	p.says("td .again", "Slow: 6 min")
	p.says("td .again", "usually 41 s.")
	p.goTo("operations/" + string(op))
	p.says(".last-line.warn", "usually 41 s.")
	p.goTo("instances?attention=true")
	p.shows(`[...document.querySelectorAll("td a.name")].map((e) => e.innerText)`, "hangs")
}
