package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/temporalproto"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

var record = flag.Bool("record", false,
	"store the histories of the scenarios for the replay test, as those of this release")

// record stores the history of an operation for workflows/replay_test.go. The payloads are not encrypted: they contain
// only ids, names and addresses.
func (b *bed) record(t *testing.T, op, name string) {
	t.Helper()
	b.recordWorkflow(t, lcm.WorkflowID(lcm.OpOccID(filepath.Base(op))), name)
}

// recordWorkflow stores the history of the newest run of a workflow.
func (b *bed) recordWorkflow(t *testing.T, id, name string) {
	t.Helper()
	if !*record {
		return
	}
	data, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(b.history(t, id))
	require.NoError(t, err)
	file := filepath.Join(b.Root, "workflows/testdata/histories", name+".json")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, data, 0o644))
}

// history returns the history of the newest run of a workflow, with decrypted payloads.
func (b *bed) history(t *testing.T, id string) *history.History {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	keys, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: info.KeyFile})
	require.NoError(t, err)
	codec := secrets.NewCodec(keys)
	var all history.History
	events := b.temporal(t).GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		require.NoError(t, proxy.VisitPayloads(t.Context(), event, proxy.VisitPayloadsOptions{
			SkipSearchAttributes: true,
			Visitor: func(_ *proxy.VisitPayloadsContext, sealed []*common.Payload) ([]*common.Payload, error) {
				return codec.Decode(sealed)
			},
		}))
		all.Events = append(all.Events, event)
	}
	return &all
}
