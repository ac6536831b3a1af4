package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// hybrid runs the operations of a VNF whose servers are real machines of the cloud. Its Pods are on a cluster of other
// machines of the same cloud.
func (r *realContainers) hybrid(t *testing.T) {
	r.Onboard(t, hybridPackage)
	h := hybrid{r.bed, &kubetest.ControlPlane{Client: r.c}, r.vim["id"].(string)}
	before := h.inCloud(t)
	vnf := h.instantiate(t, nil)
	page := "web-address-" + vnf[:8]
	r.requireText(t, page, "80", "This page was in a request.")
	h.requireEachOnItsVim(t, vnf)
	require.Empty(t, h.CheckDrift(t, vnf).Findings)

	h.scales(t, vnf)
	h.heals(t, vnf)
	r.requireText(t, page, "80", "This page was in a request.")
	r.change(t, vnf, map[string]any{"vnfdId": hybridVnfdID, "additionalParams": map[string]any{
		"page": "This page was in a change.", "upgrade_type": "RollingUpdate",
		"vdu_params": []any{map[string]any{"vdu_id": "web"}},
	}})
	r.requireText(t, page, "80", "This page was in a change.")
	r.requireRunning(t, vnf)
	r.terminate(t, vnf)
	requireNoPods(t, r.c)
	require.Empty(t, h.deployments(t))
	require.Equal(t, before, h.inCloud(t), "the cloud is as it was: only the cluster is left")
}

// requireRunning checks that the machine of each server of the VNF runs.
func (r *realContainers) requireRunning(t *testing.T, vnf string) {
	t.Helper()
	var all struct {
		Machines []struct{ ID, Machine string }
	}
	r.LabInto(t, "/machines", &all)
	states := map[string]string{}
	for _, m := range all.Machines {
		states[m.ID] = m.Machine
	}
	for id, vdu := range r.Vnfcs(t, vnf) {
		if vdu == "gateway" {
			require.Equal(t, "RUNNING", states[id], "the machine of %s", id)
		}
	}
}

// inCloud returns everything that the lab has, except its initial content.
func (h hybrid) inCloud(t *testing.T) (all map[string][]any) {
	t.Helper()
	h.LabInto(t, "/resources", &all)
	return all
}
