package drift

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// sound returns a cluster of three control planes and two workers without any finding.
func sound() (Expected, Seen) {
	want := Expected{Capacity: []Count{{"master", 3}, {"worker", 2}}}
	have := Seen{Deployment: Deployment{Level: vim.Running, Status: "UPDATE_COMPLETE"}}
	for _, name := range []string{"cp-1", "cp-2", "cp-3", "worker-1", "worker-2"} {
		node, vdu := lcm.Node{Name: name, Role: lcm.Worker, ServerID: "server-" + name}, "worker"
		if strings.HasPrefix(name, "cp") {
			node.Role, vdu = lcm.ControlPlane, "master"
		}
		want.Nodes = append(want.Nodes, node)
		want.Vnfcs = append(want.Vnfcs, lcm.VnfcResourceInfo{
			ID: "vnfc-" + name, VduID: vdu, ComputeResource: lcm.ResourceHandle{ResourceID: node.ServerID},
		})
		have.Deployment.Members = append(have.Deployment.Members,
			Member{ServerID: node.ServerID, VduID: vdu, Level: vim.Running, Status: "ACTIVE"})
	}
	return want, have
}

// TestCompare_asksDriversForTheirFindings requires that drivers add their findings to those about the VIM, unless the
// deployment is missing or all servers are stopped.
func TestCompare_asksDriversForTheirFindings(t *testing.T) {
	said := func(c *Comparison) { c.About(c.Running()[0], lcm.DriftNodeCordoned, "is cordoned.") }
	want, have := sound()
	have.Unreachable = map[string]string{"cp-1": "Nobody answers."}
	findings := Compare(want, have, said)
	require.Len(t, findings, 2)
	assert.Equal(t, lcm.DriftNodeUnreachable, findings[0].Kind)
	assert.Equal(t, "cp-1 is cordoned.", findings[1].Detail)
	assert.Equal(t, "vnfc-cp-1", findings[1].VnfcInstanceID)

	want.HealGivenUp, have.Deployment.Missing = "the-heal", true
	require.Len(t, Compare(want, have, said), 1)
	want, have = sound()
	for i, n := range want.Nodes {
		want.Stopped, have.Deployment.Members[i].Level = append(want.Stopped, n.ServerID), vim.Stopped
	}
	require.Empty(t, Compare(want, have, said))
}

func finding(kind lcm.DriftKind, node string, checks int) lcm.DriftFinding {
	rule := lcm.DriftRules[kind]
	return lcm.DriftFinding{
		Kind: kind, Node: node, VnfcInstanceID: "vnfc-" + node, Remedy: rule.Remedy,
		Automatic: rule.Automatic, Checks: checks,
	}
}

func TestDecide(t *testing.T) {
	want, _ := sound()
	policy := lcm.DefaultDriftPolicy()
	policy.AutoHeal = true
	for name, c := range map[string]struct {
		findings []lcm.DriftFinding
		change   func(*Situation)
		action   lcm.DriftAction
		heals    []string
		says     string
	}{
		"nothing": {action: lcm.DriftNothing, says: "as it should be"},
		"what people must look at": {
			findings: []lcm.DriftFinding{
				finding(lcm.DriftHAProxyConfiguration, "cp-1", 9),
				finding(lcm.DriftNodeUnreachable, "cp-1", 9),
			},
			action: lcm.DriftNothing, says: "Windlass heals none of these differences",
		},
		"the policy is off": {
			findings: []lcm.DriftFinding{finding(lcm.DriftNodeNotReady, "worker-1", 9)},
			change:   func(s *Situation) { s.Policy.AutoHeal = false },
			action:   lcm.DriftNothing, says: "allows no automatic heals",
		},
		"too early": {
			findings: []lcm.DriftFinding{finding(lcm.DriftNodeNotReady, "worker-1", 1)}, action: lcm.DriftWaits,
			says: "2 checks",
		},
		"a worker, told twice": {
			findings: []lcm.DriftFinding{
				finding(lcm.DriftServerStopped, "worker-1", 2),
				finding(lcm.DriftNodeNotReady, "worker-1", 1), finding(lcm.DriftNodeNotReady, "worker-2", 1),
			},
			action: lcm.DriftHeals, heals: []string{"vnfc-worker-1"},
		},
		"workers first": {
			findings: []lcm.DriftFinding{
				finding(lcm.DriftServerStopped, "cp-1", 2),
				finding(lcm.DriftNodeNotReady, "worker-1", 2),
			},
			action: lcm.DriftHeals, heals: []string{"vnfc-worker-1", "vnfc-cp-1"},
		},
		"as many as quorum allows": {
			findings: []lcm.DriftFinding{
				finding(lcm.DriftServerStopped, "cp-1", 2), finding(lcm.DriftServerStopped, "cp-2", 2),
				finding(lcm.DriftNodeNotReady, "worker-1", 2),
			},
			change: func(s *Situation) {
				s.Refusal = func(ids []string) string {
					if slices.Contains(ids, "vnfc-cp-2") {
						return "etcd would lose its quorum."
					}
					return ""
				}
			},
			action: lcm.DriftHeals, heals: []string{"vnfc-worker-1", "vnfc-cp-1"}, says: "lose its quorum",
		},
		"never without quorum": {
			findings: []lcm.DriftFinding{finding(lcm.DriftServerStopped, "cp-1", 2)},
			change:   func(s *Situation) { s.Refusal = func([]string) string { return "etcd has no quorum." } },
			action:   lcm.DriftRefuses, says: "no quorum",
		},
		"too often": {
			findings: []lcm.DriftFinding{finding(lcm.DriftNodeNotReady, "worker-1", 2)},
			change:   func(s *Situation) { s.Recent = 3 }, action: lcm.DriftRefuses, says: "3 automatic heals",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Situation{Policy: policy, Nodes: want.Nodes, Refusal: func([]string) string { return "" }}
			if c.change != nil {
				c.change(&s)
			}
			got := Decide(c.findings, s)
			require.Equal(t, c.action, got.Action, got.Reason)
			assert.Equal(t, c.heals, got.VnfcInstanceIDs)
			assert.Contains(t, got.Reason, c.says)
		})
	}
}

func TestRules_healAutomaticallyOnlyWhatAHealOfAVnfcMends(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(lcm.DriftRules)) {
		rule := lcm.DriftRules[kind]
		assert.False(t, rule.Automatic && rule.Remedy != lcm.RemedyVnfc, kind)
	}
}

func TestCompare_leavesSomeVnfcsToPeople(t *testing.T) {
	want, have := sound()
	want.Manual = []string{"vnfc-worker-1"}
	have.Deployment.Members[3].Level, have.Deployment.Members[4].Level = vim.Failed, vim.Failed
	findings := Compare(want, have)
	require.Len(t, findings, 2)
	assert.Equal(t, lcm.RemedyVnfc, findings[0].Remedy)
	assert.False(t, findings[0].Automatic)
	assert.True(t, findings[1].Automatic)
}
