package record

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func instantiating(params string) vnf {
	return vnf{&operations.Operation{
		OpOcc: lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpInstantiate}, Own: lcm.InstantiateRequest{}, Instance: lcm.VnfInstance{ID: "vnf"},
		Request: lcm.InstantiateRequest{
			AdditionalParams: json.RawMessage(params),
			ExtVirtualLinks:  []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a"}, {ID: "b", ResourceID: "net-b"}},
		},
		Flavour: &descriptor.Flavour{ID: "f", Vdus: []descriptor.Vdu{{ID: "node", InitialInstances: new(1)}}},
	}, allOn("vim")}
}

// allOn returns the connection of a VNF on one VIM.
func allOn(connection string) func(vdu string) string {
	return func(string) string { return connection }
}

func reconnecting(t *testing.T) vnf {
	t.Helper()
	j := instantiating(``)
	j.OpOcc = lcm.VnfLcmOpOcc{
		ID: "op", Operation: lcm.OpChangeExtConn,
		Params: json.RawMessage(`{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"cp"}]}]}`),
	}
	j.Own = lcmtest.Own(j.OpOcc)
	j.Flavour.Cps = []descriptor.VduCp{
		{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true},
	}
	j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{
		ExtVirtualLinks: []lcm.ExtVirtualLink{{
			ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "cp"}, {CpdID: "other"}},
		}},
		VnfcResources: []lcm.VnfcResourceInfo{{ID: "server", VduID: "node"}},
	}
	_, p, err := j.Planned()
	require.NoError(t, err)
	j.OpOcc.Plan, j.Request.ExtVirtualLinks = &p, p.Links
	return j
}
