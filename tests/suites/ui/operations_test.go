package ui

import (
	"net/http"
	"os"
	"path"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// tab is a browser with the page of a bed.
type tab struct {
	*browser
	bed *testbed.Bed
}

// TestOperations presses every button in a lab with fake machines, and then looks at VNFs of every kind. It takes some
// minutes, and builds the programs first.
func TestOperations(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_UI") == "" {
		t.Skip("NOT RUN: it is a part of go tool task test:ui.")
	}
	bed := testbed.New(t, environment.Fake)
	bed.Pace(t, time.Second, 3*time.Second) // a busy machine presses buttons late
	bed.ScriptFault(t, map[string]any{
		"script": "kubeadm-init", "times": 1, "exit_code": 78, "output": "windlass: The image of etcd cannot be pulled.",
	})
	b := &tab{open(t, bed.URL+"/ui/"), bed} // before the operation, which does not wait for a browser
	vnf, op := bed.Instantiate(t, "edge-cluster", nil)
	b.goTo("operations/" + path.Base(op))

	b.cancelledAndRetried(op)
	b.healed(vnf)
	b.scaled(vnf)
	b.terminated(vnf)
	bed.Pace(t, 0, 0)
	b.others()
}

// goTo opens a place of the page.
func (b *tab) goTo(place string) {
	b.Helper()
	b.do(chromedp.Navigate(b.bed.URL + "/ui/#/" + place))
}

// is requires that the page and the API show this state of the operation, and that the page has these buttons.
func (b *tab) is(state string, buttons ...string) {
	b.Helper()
	b.shows(`[document.querySelector(".state .pill")?.title]`, state)
	b.offers(buttons...)
	var at string
	b.do(chromedp.Location(&at))
	require.Equal(b, state, b.bed.Get(b, "/vnflcm/v2/vnf_lcm_op_occs/"+path.Base(at))["operationState"])
}

var decisions = []string{"Retry", "Roll back…", "Fail…"}

// cancelledAndRetried cancels an instantiation, retries it, makes it fail, and retries it again.
func (b *tab) cancelledAndRetried(op string) {
	b.Helper()
	b.says(".state", "Processing")
	b.says(".timeline .run", "Prepare every node")
	b.pictureOf("operation")
	b.press("Cancel…")
	b.says("dialog", "It stops and then waits for your decision")
	b.press("Do nothing")
	b.is("PROCESSING", "Cancel…")
	b.press("Cancel…")
	b.click(`dialog input[value=FORCEFUL]`)
	b.press("Cancel the operation")
	b.is("FAILED_TEMP", decisions...)
	b.says(".failure", "cancel")
	b.press("Retry")
	b.press("Cancel…")
	b.shows(`[document.querySelector("dialog input:checked").value]`, "GRACEFUL")
	b.press("Cancel the operation")
	b.is("FAILED_TEMP", decisions...)
	b.says(".failure", "cancel")
	b.bed.Pace(b, time.Second, time.Second)
	b.press("Retry")

	b.says(".failure", "The image of etcd cannot be pulled.")
	b.is("FAILED_TEMP", decisions...)
	b.pictureOf("failed")
	b.press("Fail…")
	b.says("dialog", "This is final")
	b.press("Do nothing")
	b.press("Retry")
	b.says(".timeline", "attempt 2")
	b.is("COMPLETED")
	b.bed.Await(b, op, patience, "COMPLETED")
	b.do(chromedp.Evaluate(`[...document.querySelectorAll(".timeline details")].
		find((step) => step.innerText.includes("Join the other nodes")).open = true`, nil))
	b.says("details[open] .output", "joined the cluster")
}

// healed kills a worker, sees this on the page and heals the worker there.
func (b *tab) healed(vnf string) {
	b.Helper()
	b.goTo("instances/" + vnf)
	b.says(".topology", "Control planes")
	b.press("Check for drift")
	b.says(".topology", "Holds the virtual IP")
	b.says(".facts", "In order")
	b.pictureOf("instance")

	worker := b.bed.VnfcOf(b, vnf, "workerNode")
	require.Less(b, b.bed.Lab(b, http.MethodPost, "/machines/"+worker+"/kill", nil).Status, 300)
	b.press("Check for drift")
	b.says(".part.drifted .finding", "Server stopped")
	b.press("Heal…")
	b.says("dialog", "Which VNFCs?")
	b.shows(`[...document.querySelectorAll("dialog input[name=vnfc]:checked")].map((e) => String(e.value.endsWith("`+worker+`")))`, "true")
	b.press("Show the plan")
	b.says("dialog .plan", "Windlass removes:")
	b.press("Do nothing")
	require.Contains(b, b.bed.Vnfcs(b, vnf), worker)
	b.press("Heal…")
	b.press("Show the plan")
	b.press("Heal now")
	b.says("h1", "Heal edge-cluster")
	b.is("COMPLETED")
	require.NotContains(b, b.bed.Vnfcs(b, vnf), worker)
	b.goTo("instances/" + vnf)
	b.offers("Scale…", "Heal…", "Check for drift", "Terminate…")
	b.press("Check for drift")
	b.says(".facts", "In order")
}

// scaled scales out, rolls one scaling back, and makes another one FAILED.
func (b *tab) scaled(vnf string) {
	b.Helper()
	level := b.bed.ScaleLevel(b, vnf, "worker_instance")
	scale := func() {
		b.Helper()
		b.goTo("instances/" + vnf)
		b.press("Scale…")
		b.fill(`dialog select`, "worker_instance")
		b.press("Show the plan")
		b.says("dialog .plan", "workerNode from ")
	}
	fails := func() {
		b.Helper()
		b.bed.ScriptFault(b, map[string]any{"script": "kubeadm-join", "times": 1, "exit_code": 78, "output": "windlass: It cannot join."})
		scale()
		b.press("Scale now")
		b.says("h1", "Scale edge-cluster")
		b.is("FAILED_TEMP", decisions...)
		b.says(".failure", "It cannot join.")
	}
	scale()
	b.says("dialog .plan", "workerNode from 2 to 3")
	b.pictureOf("plan")
	b.press("Scale now")
	b.says("h1", "Scale edge-cluster")
	b.is("COMPLETED")
	require.Equal(b, level+1, b.bed.ScaleLevel(b, vnf, "worker_instance"))
	b.goTo("instances")
	b.says("table", "edge-cluster")
	b.pictureOf("instances")

	fails()
	b.press("Roll back…")
	b.says("dialog", "Windlass undoes everything that the operation has done")
	b.press("Do nothing")
	b.is("FAILED_TEMP", decisions...)
	b.press("Roll back…")
	b.press("Roll back")
	b.is("ROLLED_BACK")
	b.says(".failure", "It was rolled back because")
	require.Equal(b, level+1, b.bed.ScaleLevel(b, vnf, "worker_instance"))

	fails()
	b.goTo("instances/" + vnf)
	b.offers("See the operation under way")
	b.click(`.actions.top a`)
	b.says("h1", "Scale edge-cluster")
	b.press("Fail…")
	b.says("dialog", "This is final")
	b.press("Fail it permanently")
	b.is("FAILED")
	b.says(".failure", "What went wrong")
}

// terminated terminates the VNF.
func (b *tab) terminated(vnf string) {
	b.Helper()
	b.goTo("instances/" + vnf)
	b.press("Terminate…")
	b.says("dialog", "This is final")
	b.press("Do nothing")
	require.Equal(b, "INSTANTIATED", b.bed.Get(b, "/vnflcm/v2/vnf_instances/"+vnf)["instantiationState"])
	b.press("Terminate…")
	b.press("Terminate it")
	b.says("h1", "Terminate edge-cluster")
	b.is("COMPLETED")
	b.goTo("instances/" + vnf)
	b.says(".state", "Not instantiated")
	b.offers()
	require.Equal(b, "NOT_INSTANTIATED", b.bed.Get(b, "/vnflcm/v2/vnf_instances/"+vnf)["instantiationState"])
	b.bed.RequireNothingLeft(b)
}
