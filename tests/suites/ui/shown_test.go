package ui

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const write = "windlass:write"

// TestShown is quick: the test writes into the database what a worker would write. The page must show it, and exactly
// the buttons of the requests that are allowed.
func TestShown(t *testing.T) {
	p := openPage(t)
	p.says("h1", "Log in to Windlass")
	p.as(write)
	p.operationsButtons()
	p.instancesButtons()
	p.missesNothing()
	p.triedAgain()
	p.comesBack()
	p.topologies()
}

// operationsButtons checks the buttons in each state of an operation.
func (p *page) operationsButtons() {
	p.Helper()
	p.instance("buttons", nil, nil)
	is := func(kind lcm.Operation, state lcm.OperationState, forwardOnly bool, cancel lcm.CancelMode, buttons ...string) {
		p.Helper()
		p.operation("op", "buttons", kind, state, forwardOnly, cancel)
		p.shows(`[document.querySelector(".state .pill").title]`, string(state))
		p.offers(buttons...)
	}
	p.operation("op", "buttons", lcm.OpScale, lcm.Starting, false, "")
	p.goTo("operations/" + idOf("op"))
	p.offers("Cancel…")
	p.reach(`[...document.querySelectorAll(".actions.top button")]`, "focus")
	is(lcm.OpScale, lcm.Processing, false, "", "Cancel…")
	p.says(".state", "Processing")
	p.shows(`[document.activeElement.innerText]`, "Cancel…") // the focus stays where it was
	p.operation("op", "buttons", lcm.OpScale, lcm.Processing, false, lcm.Graceful)
	p.says(".state", "Graceful cancel requested")
	p.press("Cancel…")
	// The operation was already cancelled gracefully.
	p.shows(`[document.querySelector("dialog input:checked").value]`, "FORCEFUL")
	p.press("Do nothing")
	is(lcm.OpScale, lcm.Processing, false, lcm.Forceful)
	is(lcm.OpScale, lcm.FailedTemp, false, "", "Retry", "Roll back…", "Fail…")
	is(lcm.OpScale, lcm.FailedTemp, true, "", "Retry", "Fail…")
	is(lcm.OpScale, lcm.RollingBack, false, "", "Cancel…")
	is(lcm.OpTerminate, lcm.FailedTemp, false, "", "Retry", "Fail…")
	for _, ended := range []lcm.OperationState{lcm.Completed, lcm.Failed, lcm.RolledBack} {
		is(lcm.OpScale, ended, false, "")
	}

	for scopes, buttons := range map[string][]string{
		"": nil, "vnflcm:v2:retry": {"Retry"}, "vnflcm:v2:rollback vnflcm:v2:fail": {"Roll back…", "Fail…"},
	} {
		p.operation("op", "buttons", lcm.OpScale, lcm.FailedTemp, false, "")
		p.as(scopes + " none")
		p.says(".state", "Waits for a decision")
		p.offers(buttons...)
	}
	p.operation("op", "buttons", lcm.OpScale, lcm.RolledBack, false, "")
	p.as(write)
}

// instancesButtons checks the buttons in each state of an instance.
func (p *page) instancesButtons() {
	p.Helper()
	p.goTo("instances/" + idOf("buttons"))
	p.says(".state", "Not instantiated")
	p.offers()
	scales := func() *lcm.InstantiatedVnfInfo {
		return &lcm.InstantiatedVnfInfo{FlavourID: "ha", VnfState: lcm.VnfStarted, ScaleStatus: []lcm.ScaleInfo{{AspectID: "workers"}}}
	}
	all := []string{"Scale…", "Heal…", "Check for drift", "Terminate…"}
	for name, of := range map[string]struct {
		info    *lcm.InstantiatedVnfInfo
		buttons []string
	}{
		"scales": {scales(), all},
		"fixed":  {&lcm.InstantiatedVnfInfo{FlavourID: "simple", VnfState: lcm.VnfStarted}, all[1:]},
		"halted": {&lcm.InstantiatedVnfInfo{FlavourID: "ha", VnfState: lcm.VnfStopped}, all[2:]},
	} {
		p.instance(name, of.info, nil)
		p.goTo("instances/" + idOf(name))
		p.says("h1", name)
		p.offers(of.buttons...)
	}
	p.goTo("instances/" + idOf("scales"))
	p.says("h1", "scales")
	p.operation("under-way", "scales", lcm.OpHeal, lcm.FailedTemp, false, "")
	p.offers("See the operation under way")
	p.operation("under-way", "scales", lcm.OpHeal, lcm.Failed, false, "")
	p.offers(all...)
	p.as("vnflcm:v2:heal vnflcm:v2:drift")
	p.offers("Heal…", "Check for drift")
	p.as("none")
	p.says("h1", "scales")
	p.offers()
	p.as(write)
}

// missesNothing ends an operation while its page is still being loaded.
func (p *page) missesNothing() {
	p.Helper()
	p.operation("slow", "scales", lcm.OpHeal, lcm.Processing, false, "")
	p.goTo("operations")
	p.says("table", "Heal")
	p.do(chromedp.Evaluate(`{
		const real = window.fetch;
		window.fetch = async (url, options) => {
			const answer = await real(url, options);
			if (String(url).endsWith("/vnf_instances/`+idOf("scales")+`")) await new Promise((done) => { window.release = done; });
			return answer;
		};
	}`, nil))
	p.goTo("operations/" + idOf("slow"))
	p.shows(`[typeof window.release]`, "function")
	p.operation("slow", "scales", lcm.OpHeal, lcm.Completed, false, "")
	p.do(chromedp.Evaluate(`(async () => {
		const stream = await fetch("../windlass/v1/events", {headers: {"X-Auth-Token": "none"}});
		const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
		let seen = "";
		while (!/COMPLETED.*`+idOf("slow")+`/.test(seen)) seen += (await reader.read()).value;
		await reader.cancel();
		window.release();
	})()`, nil))
	p.says(".state", "Completed")
	p.do(chromedp.Reload()) // to get the page's own fetch again
	p.says(".live", "Live")
}

// triedAgain requires that the page tells attempt, last error and next try of a step under way, and in lists its step.
func (p *page) triedAgain() {
	p.Helper()
	p.instance("again", nil, nil)
	p.operation("again", "again", lcm.OpScale, lcm.Processing, false, "")
	op, at := lcm.OpOccID(idOf("again")), time.Now()
	step := func(node string, state lcm.StepState, retry *lcm.StepRetry) {
		p.Helper()
		require.NoError(p, p.store.RecordStep(p.Context(), lcm.Step{
			OpOccID: op, Index: 1, Title: "Join the new nodes", Node: node, State: state, Started: at, Retry: retry,
		}))
	}
	failed := func(attempt int, said string) *lcm.StepRetry {
		return &lcm.StepRetry{
			Attempt: attempt, Attempts: 10, Next: new(time.Now().Add(time.Hour)), Error: lcm.Errorf(lcm.KindUnavailable, "%s", said),
			Activity: "7",
		}
	}
	p.goTo("operations?search=again")
	p.says("table", "Scale")
	step("", lcm.StepRunning, nil)
	p.says("td .step", "Join the new nodes") // although the operation has not changed its state
	p.goTo("operations/" + idOf("again"))
	p.says(".timeline", "Join the new nodes")
	require.NoError(p, p.store.RecordRetry(p.Context(), lcm.StepRef{OpOccID: op, Step: 1}, "7", failed(6, "OpenStack did not answer.")))
	p.says(".timeline .pill", "Running, attempt 6 of 10")
	p.says(".last-line.warn", "Next try in ")
	p.says(".last-line.warn", "Last error: OpenStack did not answer.")
	for _, place := range []string{"operations?search=again", "instances/" + idOf("again")} {
		p.goTo(place)
		p.says("td .step", "Join the new nodes, attempt 6 of 10")
		p.says("td .again", "OpenStack did not answer.")
	}

	require.NoError(p, p.store.RecordRetry(p.Context(), lcm.StepRef{OpOccID: op, Step: 1}, "7", nil))
	step("worker-1", lcm.StepRunning, nil)
	step("worker-2", lcm.StepRunning, nil)
	p.goTo("operations/" + idOf("again"))
	p.says(".timeline", "Join the new nodes")
	step("worker-2", lcm.StepFailed, failed(3, "worker-2 does not answer."))
	p.says(".timeline .pill", "Running, attempt 3 of 10")
	p.says(".last-line.warn", "On 1 node: Next try in ")
	p.do(chromedp.Evaluate(`document.querySelector(".timeline details").open = true`, nil))
	p.says(".chip.warn", "Tried again, attempt 3 of 10")
	p.says(".chip.run", "worker-1")
	step("", lcm.StepDone, nil)
	p.shows(`[document.querySelector(".timeline .pill").innerText, document.querySelector(".last-line").innerText]`, "Done", "")
}

// comesBack requires that the page shows what it could not read, as soon as the server answers again.
func (p *page) comesBack() {
	p.Helper()
	p.do(chromedp.Evaluate(`{
		const real = window.fetch;
		window.fetch = async (url, options) => {
			if (!String(url).endsWith("/topology")) return real(url, options);
			window.fetch = real;
			throw new TypeError("Failed to fetch");
		};
	}`, nil))
	p.goTo("instances/" + idOf("scales"))
	p.says(".problem", "The server cannot be reached. The page tries again by itself.")
	p.lose()
	p.says("h1", "scales")
}
