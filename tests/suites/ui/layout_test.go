package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestLayout measures what a picture would show.
func TestLayout(t *testing.T) {
	p := openPage(t)
	p.as(write)
	p.namesStayWhole()
	p.barsLeaveTheWaitOut()
	p.noticesCoverNoState()
}

// measure waits for an expression that gives a number which a condition accepts.
func (p *page) measure(expression string, good func(float64) bool) {
	p.Helper()
	var got float64
	require.Eventually(p, func() bool {
		p.look(expression, &got)
		return good(got)
	}, patience, time.Millisecond, "%s", expression)
}

// namesStayWhole has names that could be broken at their hyphens, beside wide columns.
func (p *page) namesStayWhole() {
	p.Helper()
	for i := range 3 {
		name := fmt.Sprintf("site-of-the-far-north-%05d", i)
		p.instance(name, nil, nil)
		p.operation(name+"-op", name, lcm.OpInstantiate, lcm.FailedTemp, false, "")
	}
	p.goTo("instances?search=site-of")
	p.says("table", "site-of-the-far-north-00002")
	p.measure(`Math.max(...[...document.querySelectorAll("td a.name")].map((e) => e.getBoundingClientRect().height))`,
		func(height float64) bool { return height > 10 && height < 30 })
}

// barsLeaveTheWaitOut has an operation whose steps took 20 s, and which then waited an hour for its rollback.
func (p *page) barsLeaveTheWaitOut() {
	p.Helper()
	p.instance("waited", nil, nil)
	p.operation("waited", "waited", lcm.OpScale, lcm.Processing, false, "")
	begin := time.Now().Add(-time.Hour)
	step := func(index int, phase lcm.Phase, title string, state lcm.StepState, from, to time.Duration) {
		p.Helper()
		require.NoError(p, p.store.RecordStep(p.Context(), lcm.Step{
			OpOccID: lcm.OpOccID(idOf("waited")), Index: index, Phase: phase, Title: title, State: state,
			Started: begin.Add(from), Ended: begin.Add(to),
		}))
	}
	require.NoError(p, p.store.RecordPlan(p.Context(), lcm.OpOccID(idOf("waited")), []lcm.Step{
		{Index: 0, Title: "Look"}, {Index: 1, Title: "Join"}, {Index: 2, Title: "Wait"},
	}))
	step(0, lcm.PhaseForward, "Look", lcm.StepDone, 0, 10*time.Second)
	step(1, lcm.PhaseForward, "Join", lcm.StepFailed, 10*time.Second, 15*time.Second)
	p.goTo("operations/" + idOf("waited"))
	p.says(".timeline", "To do")
	step(1, lcm.PhaseCompensation, "Undo: Join", lcm.StepDone, 50*time.Minute, 50*time.Minute+5*time.Second)
	p.operation("waited", "waited", lcm.OpScale, lcm.RolledBack, false, "")
	p.says(".state", "Rolled back")
	p.says(".timeline", "Not run")
	p.shows(`[...document.querySelectorAll(".scale span")].map((e) => e.innerText)`, "0", "20 s")
	p.says("section", "The bars leave out 49 min 45 s in which no step ran.")
	bars := `[...document.querySelectorAll(".track .span:not([hidden])")].map((e) => e.getBoundingClientRect().width)`
	p.measure(bars+`[0]`, func(width float64) bool { return width > 95 && width < 105 }) // half of 200
	p.measure(bars+`[2]`, func(width float64) bool { return width > 45 && width < 55 })
}

// noticesCoverNoState tells something on a page that is full of states, and then goes to another page.
func (p *page) noticesCoverNoState() {
	p.Helper()
	p.instance("full", nil, nil)
	p.operation("full", "full", lcm.OpScale, lcm.FailedTemp, false, "")
	var steps []lcm.Step
	for i := range 40 {
		steps = append(steps, lcm.Step{Index: i, Title: "Look at the infrastructure"})
	}
	require.NoError(p, p.store.RecordPlan(p.Context(), lcm.OpOccID(idOf("full")), steps))
	p.goTo("operations/" + idOf("full"))
	p.says(".timeline", "Look at the infrastructure")
	p.press("Retry") // nobody does it: there is no Temporal
	p.says(".notice", ".")
	p.shows(`(() => {
		const over = document.querySelector(".notice").getBoundingClientRect();
		return [...document.querySelectorAll(".pill")].map((e) => e.getBoundingClientRect())
			.filter((r) => r.right > over.left && r.left < over.right && r.bottom > over.top && r.top < over.bottom).map(String);
	})()`)
	p.do(chromedp.Evaluate(`window.scrollTo(0, document.body.scrollHeight)`, nil))
	p.goTo("operations")
	p.says("table", "Scale")
	p.shows(`[...document.querySelectorAll(".notice")].map(String)`)
}
