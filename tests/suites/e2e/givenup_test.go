package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// healingGivenUp heals an entire VNF. The heals fail one after the other, each in another step, and the test gives each
// up. The next heal continues from the state that the former has left.
func healingGivenUp(t *testing.T, b *bed) {
	const name = "given-up"
	vnf, op := b.Instantiate(t, name, nil)
	b.Await(t, op, quick, "COMPLETED")
	before := b.Vnfcs(t, vnf)
	breakScript := func(script string) func() {
		return func() {
			b.ScriptFault(t, map[string]any{"script": script, "times": 1, "exit_code": 78, "output": "windlass: it broke."})
		}
	}
	for _, c := range []struct {
		step  string
		cause func()
		drift lcm.DriftKind // the finding of the next check
	}{
		{"Delete the infrastructure", func() {
			b.Fault(t, map[string]any{"service": "heat", "method": "DELETE", "status": 403, "message": "not now", "count": -1})
		}, lcm.DriftClusterVimUnregistered},
		{"Create the infrastructure", func() {
			b.Fault(t, map[string]any{
				"resource": "masterNode", "action": "CREATE", "count": 1, "message": "the hypervisor caught fire",
			})
		}, lcm.DriftHealGivenUp},
		{"Check every node", breakScript("check-node"), lcm.DriftHealGivenUp},
		{"Prepare every node", breakScript("prepare-node"), lcm.DriftHealGivenUp},
		{"Set up HAProxy and keepalived", breakScript("configure-load-balancer"), lcm.DriftHealGivenUp},
		{"Initialise the first control plane", breakScript("kubeadm-init"), lcm.DriftHealGivenUp},
		{"Join the other nodes", breakScript("kubeadm-join"), lcm.DriftHealGivenUp},
		{"Label the nodes and wait until they are Ready", breakScript("wait-for-nodes"), lcm.DriftHealGivenUp},
		{"Register the cluster as a VIM", func() { b.takeVimName(t, "cluster-"+name) }, lcm.DriftHealGivenUp},
	} {
		c.cause()
		op = b.Heal(t, vnf)
		got := b.Await(t, op, quick, "FAILED_TEMP")
		require.Equal(t, "FAILED", b.stepState(t, op, c.step), "%v", got["error"])
		require.NotContains(t, got["_links"], "rollback")
		b.ClearFaults(t)
		b.requireGivenUp(t, vnf, op, before, c.drift)
	}
	b.freeVimName(t, "cluster-"+name)

	b.Pace(t, time.Hour, 0) // now machines never answer
	op = b.Heal(t, vnf)
	b.AwaitStep(t, op, "Wait until every node answers on SSH")
	b.cancelsSoon(t, op, "FORCEFUL")
	b.Pace(t, 0, 0)
	b.requireGivenUp(t, vnf, op, before, lcm.DriftHealGivenUp)

	b.Await(t, b.Heal(t, vnf), quick, "COMPLETED")
	b.RequireConsistent(t, vnf)
	require.True(t, sound(b.CheckDriftUntil(t, vnf, sound)))
	require.NotContains(t, b.shown(t, vnf), "To do")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func (b *bed) stepState(t *testing.T, op, title string) (state string) {
	t.Helper()
	for _, s := range b.Steps(t, op) {
		if s.Title == title && s.Node == "" {
			state = s.State
		}
	}
	return state
}

// requireGivenUp gives the heal up. The VnfInstance does not change, and reports say what to do.
func (b *bed) requireGivenUp(t *testing.T, vnf, op string, before map[string]string, drift lcm.DriftKind) {
	t.Helper()
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	require.Equal(t, before, b.Vnfcs(t, vnf))
	report := b.CheckDrift(t, vnf)
	require.True(t, slices.ContainsFunc(report.Findings,
		func(f lcm.DriftFinding) bool { return f.Kind == drift && f.Remedy == lcm.RemedyVnf }), "%v", report.Findings)
	if drift == lcm.DriftHealGivenUp {
		require.Len(t, report.Findings, 1, "nothing else is of interest")
	}
	require.Contains(t, b.shown(t, vnf), "windlass vnf heal "+vnf+" --all")
}

func (b *bed) shown(t *testing.T, vnf string) string {
	t.Helper()
	out, err := b.Windlass(t.Context(), "vnf", "show", vnf).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// takeVimName registers another VIM by the name that the cluster's VIM needs.
func (b *bed) takeVimName(t *testing.T, name string) {
	t.Helper()
	body := b.Cloud.Login().Vim(name)
	body["vim"].(map[string]any)["is_default"] = false
	a := b.Call(t, http.MethodPost, "/v1.0/vims", body)
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
}

func (b *bed) freeVimName(t *testing.T, name string) {
	t.Helper()
	var list struct {
		Vims []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"vims"`
	}
	require.NoError(t, json.Unmarshal(b.Call(t, http.MethodGet, "/v1.0/vims", nil).Body, &list))
	for _, v := range list.Vims {
		if v.Name == name {
			require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, "/v1.0/vims/"+v.ID, nil).Status)
		}
	}
}
