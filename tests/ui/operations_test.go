package ui

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/windlass-nfv/windlass/tests/environment"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// TestOperations watches operations on a lab with fake machines to their ends. It takes a minute, and builds first.
func TestOperations(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_UI") == "" {
		t.Skip("NOT RUN: it is a part of go tool task test:ui.")
	}
	bed := testbed.New(t, environment.Fake)
	bed.Pace(t, time.Second, time.Second)
	bed.ScriptFault(t, map[string]any{
		"script": "kubeadm-init", "times": 1, "exit_code": 78, "output": "windlass: The image of etcd cannot be pulled.",
	})
	vnf, op := bed.Instantiate(t, "edge-cluster", nil)
	b := open(t, bed.URL+"/ui/#/operations/"+op[strings.LastIndex(op, "/")+1:])

	b.says(".state", "Processing")
	b.says(".timeline .run", "Prepare every node")
	b.pictureOf("operation")
	b.says(".state", "Waits for a decision")
	b.says(".failure", "The image of etcd cannot be pulled.")
	b.pictureOf("failed")
	b.press("Fail…")
	b.says("dialog", "This is final")
	b.press("Do nothing")
	b.press("Retry")
	b.says(".timeline", "attempt 2")
	b.says(".state", "Completed")
	bed.Await(t, op, patience, "COMPLETED")

	b.do(chromedp.Navigate(bed.URL + "/ui/#/instances/" + vnf))
	b.says(".topology", "Control planes")
	b.press("Check for drift")
	b.says(".topology", "Holds the virtual IP")
	b.pictureOf("instance")
	b.press("Scale…")
	b.fill(`dialog select`, "worker_instance")
	b.press("Show the plan")
	b.says("dialog .plan", "workerNode from 2 to 3")
	b.pictureOf("plan")
	b.press("Scale now")
	b.says("h1", "Scale edge-cluster")
	b.says(".state", "Completed")
	b.do(chromedp.Navigate(bed.URL + "/ui/#/instances"))
	b.says("table", "edge-cluster")
	b.pictureOf("instances")
}
