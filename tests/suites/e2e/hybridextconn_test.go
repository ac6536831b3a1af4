package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// reconnects moves the servers to another network and back. The Pods stay.
func (h hybrid) reconnects(t *testing.T, vnf string) {
	t.Helper()
	network, before := h.AddNetwork(t, "another"), h.Vnfcs(t, vnf)
	for _, to := range []string{network.ID, "net0"} {
		request := testbed.LinksTo(to)
		link := request["extVirtualLinks"].([]any)[0].(map[string]any)
		link["extCps"].([]any)[0].(map[string]any)["cpdId"] = "gateway_public"
		h.Await(t, h.Begin(t, vnf, "change_ext_conn", request), quick, "COMPLETED")
		require.Equal(t, before, h.Vnfcs(t, vnf), "nothing is made anew")
		info := h.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
		links := info["extVirtualLinkInfo"].([]any)
		require.Len(t, links, 1)
		require.Equal(t, "link-"+to, links[0].(map[string]any)["id"])
		require.Len(t, links[0].(map[string]any)["extLinkPorts"], 2, "one of each server")
		require.Empty(t, h.CheckDrift(t, vnf).Findings)
	}
	network.Remove(t)
}
