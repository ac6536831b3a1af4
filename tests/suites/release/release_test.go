// Package release checks that this release carries on what a former one has begun. Its data are the databases and the
// lab of a former release, with operations of every kind in FAILED_TEMP. The keys are with them: they seal the passwords of
// this lab and of its fake machines, and nothing else.
package release

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

var record = flag.String("record", "", "`directory` for what the present release leaves; the test then checks this")

// begun is an operation that the former release has begun.
type begun struct {
	// Name is that of the VNF instance.
	Name string `json:"name"`
	// Op is the path of the VnfLcmOpOcc.
	Op        string `json:"op"`
	Operation string `json:"operation"`
	// Decision is what this release is asked for: retry or rollback.
	Decision string `json:"decision"`
}

const (
	archive  = "environment.tar.gz"
	begunOps = "operations.json"
	limit    = 4 * time.Minute // for an operation on fake machines
)

// TestRelease_endsWhatAFormerOneHasBegun decides on each operation.
func TestRelease_endsWhatAFormerOneHasBegun(t *testing.T) {
	if *record != "" {
		keep(t, *record)
	}
	dirs, err := filepath.Glob("testdata/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { ends(t, dir) })
	}
}

func ends(t *testing.T, dir string) {
	b := testbed.Restore(t, filepath.Join(dir, archive))
	moveCluster(t, b, dir)
	var ops []begun
	text, err := os.ReadFile(filepath.Join(dir, begunOps))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &ops))
	require.NotEmpty(t, ops)
	for _, op := range ops {
		t.Run(op.Name, func(t *testing.T) {
			was := b.Get(t, op.Op)
			require.Equal(t, op.Operation, was["operation"])
			require.Equal(t, "FAILED_TEMP", was["operationState"])
			require.NotEmpty(t, was["error"].(map[string]any)["detail"])
			require.NotEmpty(t, b.Steps(t, op.Op))
			a := b.Act(t, op.Op, op.Decision, nil)
			require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
			b.Await(t, op.Op, limit, map[string]string{"retry": "COMPLETED", "rollback": "ROLLED_BACK"}[op.Decision])
		})
	}
	for _, op := range ops {
		t.Run("terminate "+op.Name, func(t *testing.T) { terminate(t, b, b.Get(t, op.Op)["vnfInstanceId"].(string)) })
	}
	b.RemoveNetworks(t, "reconnect-retry", "reconnect-rollback")
	b.RequireNothingLeft(t)
}

// terminate removes a VNF that is still there, by this release.
func terminate(t *testing.T, b *testbed.Bed, vnf string) {
	t.Helper()
	path := "/vnflcm/v1/vnf_instances/" + vnf
	if b.Get(t, path)["instantiationState"] == "INSTANTIATED" {
		b.Await(t, b.Terminate(t, vnf), limit, "COMPLETED")
	}
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, path, nil).Status)
}
