package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestScaleIn_takesTheHighestNumberWhereEachVnfcIsAResourceOfItsOwn checks that with StandardUserData, a scale-in
// removes the VNFC with the highest number, even if one with a lower number is younger after a heal. Otherwise the
// templates would have a gap.
func TestScaleIn_takesTheHighestNumberWhereEachVnfcIsAResourceOfItsOwn(t *testing.T) {
	f := equipped(t)
	at := map[string]string{"worker-0": "workerNode-1", "worker-1": "workerNode-0"}
	for i, v := range f.Instance.Instantiated.VnfcResources {
		if name, ok := at[v.ID]; ok {
			f.Instance.Instantiated.VnfcResources[i].Metadata = map[string]any{
				"parent_resource_name": name,
				lcm.CreationTime:       "2026-01-02T03:04:05Z",
			}
			if name == "workerNode-0" { // it was healed later
				f.Instance.Instantiated.VnfcResources[i].Metadata[lcm.CreationTime] = "2026-01-02T04:04:05Z"
			}
		}
	}
	p, err := planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_IN","aspectId":"worker_instance"}`))
	require.NoError(t, err)
	require.Len(t, p.Leaving, 1)
	require.Equal(t, "worker-0", p.Leaving[0].VnfcID)
}
