package drift

import (
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

const (
	configuration = "frontend kubernetes-api\n    bind *:16443\nbackend kubernetes-api\n    server cp-1 10.0.0.1:6443\n  " +
		"  server cp-2 10.0.0.2:6443\n    server cp-3 10.0.0.3:6443\n"
	secret = "s3cr3t-of-somebody"
)

var theCA, anotherCA = certificate(), certificate()

func certificate() string {
	der := make([]byte, 32)
	_, _ = rand.Read(der)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// sound is a cluster of three control planes and two workers in which everything is as it should be.
func sound() (Expected, Seen) {
	want := Expected{HAProxy: configuration, ClusterVim: true, Capacity: []Count{{"master", 3}, {"worker", 2}}}
	have := Seen{
		Deployment: Deployment{Status: "UPDATE_COMPLETE"}, Sights: map[string]Sight{}, Cluster: &Cluster{}, RegisteredCA: theCA,
		VimRegistered: true,
	}
	for i, name := range []string{"cp-1", "cp-2", "cp-3", "worker-1", "worker-2"} {
		node := lcm.Node{Name: name, Role: lcm.Worker, ServerID: "server-" + name, Address: fmt.Sprintf("10.0.0.%d", i+1)}
		vdu, sight := "worker", Sight{CA: theCA}
		if strings.HasPrefix(name, "cp") {
			node.Role, vdu = lcm.ControlPlane, "master"
			sight = Sight{
				CA: theCA, HAProxy: configuration, HAProxyRuns: true, KeepalivedRuns: true, HoldsVirtualIP: i == 0,
				ReachesVirtualIP: true,
			}
			have.Cluster.Members = append(have.Cluster.Members,
				EtcdMember{Name: name, Address: node.Address, Started: true, Healthy: true})
		}
		want.Nodes = append(want.Nodes, node)
		want.Vnfcs = append(want.Vnfcs, lcm.VnfcResourceInfo{
			ID: "vnfc-" + name, VduID: vdu,
			ComputeResource: lcm.ResourceHandle{ResourceID: node.ServerID},
		})
		have.Deployment.Members = append(have.Deployment.Members, Member{ServerID: node.ServerID, VduID: vdu, Status: "ACTIVE"})
		have.Sights[name] = sight
		have.Cluster.Nodes = append(have.Cluster.Nodes, Node{Name: name, Ready: true})
	}
	return want, have
}

// levelled tells the levels of an OpenStack's words.
func levelled(have Seen) Seen {
	have.Deployment.Level = openstack.StackLevel(have.Deployment.Status)
	for i, m := range have.Deployment.Members {
		have.Deployment.Members[i].Level = openstack.ServerLevel(m.Status)
	}
	return have
}

// on changes what is seen on a node.
func on(have *Seen, node string, change func(*Sight)) {
	s := have.Sights[node]
	change(&s)
	have.Sights[node] = s
}

func TestCompare(t *testing.T) {
	seen := map[lcm.DriftKind]bool{}
	for name, c := range map[string]struct {
		change func(want *Expected, have *Seen)
		kinds  []lcm.DriftKind
		node   string // of the first
		says   string
	}{
		"nothing": {change: func(*Expected, *Seen) {}},
		"the VIM is away": {
			change: func(_ *Expected, have *Seen) { have.Deployment = Deployment{Unreachable: "Keystone did not answer."} },
			kinds:  []lcm.DriftKind{lcm.DriftVimUnreachable}, says: "Keystone did not answer",
		},
		"the stack is gone": {
			change: func(_ *Expected, have *Seen) { have.Deployment = Deployment{Missing: true} },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentMissing},
		},
		"a heal of the entire VNF was given up, and the stack is gone": {
			change: func(want *Expected, have *Seen) {
				want.HealGivenUp, have.Deployment = "the-heal", Deployment{Missing: true}
			},
			kinds: []lcm.DriftKind{lcm.DriftHealGivenUp}, says: "given up (the-heal)",
		},
		"a heal of the entire VNF was given up, and other servers are there": {
			change: func(want *Expected, have *Seen) {
				want.HealGivenUp = "the-heal"
				for i := range have.Deployment.Members {
					have.Deployment.Members[i].ServerID += "-new"
				}
			},
			kinds: []lcm.DriftKind{lcm.DriftHealGivenUp},
		},
		"a heal of the entire VNF was given up, and the stack is half deleted": {
			change: func(want *Expected, have *Seen) {
				want.HealGivenUp, have.Deployment.Status = "the-heal", "DELETE_FAILED"
			},
			kinds: []lcm.DriftKind{lcm.DriftHealGivenUp},
		},
		"a heal of the entire VNF was given up before it has deleted anything": {
			change: func(want *Expected, have *Seen) { want.HealGivenUp, have.VimRegistered = "the-heal", false },
			kinds:  []lcm.DriftKind{lcm.DriftClusterVimUnregistered},
		},
		"a heal of the entire VNF was given up, and the VIM is away": {
			change: func(want *Expected, have *Seen) {
				want.HealGivenUp, have.Deployment = "the-heal", Deployment{Unreachable: "Keystone did not answer."}
			},
			kinds: []lcm.DriftKind{lcm.DriftVimUnreachable},
		},
		"the stack has failed": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Status = "UPDATE_FAILED" },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentStatus}, says: "UPDATE_FAILED",
		},
		"somebody deletes the stack": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Status = "DELETE_IN_PROGRESS" },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentStatus},
		},
		"a member less": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Members = have.Deployment.Members[:4] },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentMemberMissing, lcm.DriftScaleLevel}, node: "worker-2",
		},
		"a member more": {
			change: func(_ *Expected, have *Seen) {
				have.Deployment.Members = append(have.Deployment.Members, Member{ServerID: "stranger", VduID: "worker", Status: "ACTIVE"})
			},
			kinds: []lcm.DriftKind{lcm.DriftDeploymentMemberUnknown, lcm.DriftScaleLevel}, says: "stranger",
		},
		"a server is gone": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Members[3].Status = "" },
			kinds:  []lcm.DriftKind{lcm.DriftServerMissing}, node: "worker-1", says: "worker-1 does not exist",
		},
		"a server is in error": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Members[3].Status = "ERROR" },
			kinds:  []lcm.DriftKind{lcm.DriftServerError}, node: "worker-1",
		},
		"a server is off": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Members[0].Status = "SHUTOFF" },
			kinds:  []lcm.DriftKind{lcm.DriftServerStopped}, node: "cp-1",
		},
		"a server was stopped on purpose": {
			change: func(want *Expected, have *Seen) {
				have.Deployment.Members[3].Status, have.Cluster.Nodes[3] = "SHUTOFF", Node{Name: "worker-1", Cordoned: true}
				have.Deployment.Members[1].Status, have.Cluster.Members[1].Healthy, have.Cluster.Nodes[1].Ready = "SHUTOFF", false, false
				delete(have.Sights, "cp-2")
				want.Stopped = []string{"server-worker-1", "server-cp-2"}
			},
		},
		"one that was stopped on purpose runs": {
			change: func(want *Expected, _ *Seen) { want.Stopped = []string{"server-worker-1"} },
			kinds:  []lcm.DriftKind{lcm.DriftServerStatus}, node: "worker-1", says: "although it was stopped on purpose",
		},
		"one that was stopped on purpose is gone": {
			change: func(want *Expected, have *Seen) {
				want.Stopped, have.Deployment.Members[3].Status = []string{"server-worker-1"}, ""
			},
			kinds: []lcm.DriftKind{lcm.DriftServerMissing}, node: "worker-1",
		},
		"everything was stopped on purpose": {
			change: func(want *Expected, have *Seen) {
				for i, n := range want.Nodes {
					want.Stopped = append(want.Stopped, n.ServerID)
					have.Deployment.Members[i].Status = "SHUTOFF"
				}
				have.Cluster, have.Sights = nil, nil
			},
		},
		"a server is paused": {
			change: func(_ *Expected, have *Seen) { have.Deployment.Members[0].Status = "PAUSED" },
			kinds:  []lcm.DriftKind{lcm.DriftServerStatus}, node: "cp-1", says: "PAUSED",
		},
		"a node does not let Windlass in": {
			change: func(_ *Expected, have *Seen) { have.Sights["worker-1"] = Sight{Unreachable: "Nobody answers."} },
			kinds:  []lcm.DriftKind{lcm.DriftNodeUnreachable}, node: "worker-1", says: "worker-1: Nobody answers.",
		},
		"no control plane answers": {
			change: func(_ *Expected, have *Seen) { have.Cluster = &Cluster{Unreachable: "cp-3 does not answer."} },
			kinds:  []lcm.DriftKind{lcm.DriftClusterUnreachable}, says: "cp-3 does not answer",
		},
		"no quorum": {
			change: func(_ *Expected, have *Seen) { have.Cluster = &Cluster{QuorumLost: "etcd has no quorum."} },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdQuorumLost}, says: "no quorum",
		},
		"a node object less": {
			change: func(_ *Expected, have *Seen) { have.Cluster.Nodes = have.Cluster.Nodes[:4] },
			kinds:  []lcm.DriftKind{lcm.DriftNodeObjectMissing}, node: "worker-2",
		},
		"a node object more": {
			change: func(_ *Expected, have *Seen) {
				have.Cluster.Nodes = append(have.Cluster.Nodes, Node{Name: "ghost", Ready: true})
			},
			kinds: []lcm.DriftKind{lcm.DriftNodeObjectUnknown}, node: "ghost",
		},
		"a node is not Ready": {
			change: func(_ *Expected, have *Seen) {
				have.Cluster.Nodes[3] = Node{Name: "worker-1", Reason: "Kubelet stopped"}
			},
			kinds: []lcm.DriftKind{lcm.DriftNodeNotReady}, node: "worker-1", says: "Kubelet stopped",
		},
		"a node is cordoned": {
			change: func(_ *Expected, have *Seen) { have.Cluster.Nodes[3].Cordoned = true },
			kinds:  []lcm.DriftKind{lcm.DriftNodeCordoned}, node: "worker-1",
		},
		"a member of etcd less": {
			change: func(_ *Expected, have *Seen) { have.Cluster.Members = have.Cluster.Members[:2] },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberMissing}, node: "cp-3",
		},
		"a member of etcd more": {
			change: func(_ *Expected, have *Seen) {
				have.Cluster.Members = append(have.Cluster.Members, EtcdMember{Name: "cp-old", Address: "10.0.0.9", Started: true})
			},
			kinds: []lcm.DriftKind{lcm.DriftEtcdMemberUnknown}, node: "cp-old",
		},
		"a member of etcd is down": {
			change: func(_ *Expected, have *Seen) { have.Cluster.Members[1].Healthy = false },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberUnhealthy}, node: "cp-2",
		},
		"a member of etcd has not started": {
			change: func(_ *Expected, have *Seen) { have.Cluster.Members[1] = EtcdMember{Address: "10.0.0.2"} },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberUnhealthy}, node: "cp-2", says: "not started",
		},
		"a member of etcd has no vote": {
			change: func(_ *Expected, have *Seen) { have.Cluster.Members[1].Learner = true },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberLearner}, node: "cp-2",
		},
		"HAProxy lacks a server": {
			change: func(_ *Expected, have *Seen) {
				on(have, "cp-2", func(s *Sight) {
					s.HAProxy = strings.ReplaceAll(configuration, "server cp-3 10.0.0.3:6443",
						"server x 10.0.0.3:6443 password "+secret)
				})
			},
			kinds: []lcm.DriftKind{lcm.DriftHAProxyConfiguration}, node: "cp-2", says: "cp-3",
		},
		"HAProxy has no configuration": {
			change: func(_ *Expected, have *Seen) { on(have, "cp-2", func(s *Sight) { s.HAProxy = "" }) },
			kinds:  []lcm.DriftKind{lcm.DriftHAProxyConfiguration}, node: "cp-2", says: "there is none",
		},
		"HAProxy's servers in another order": {
			change: func(_ *Expected, have *Seen) {
				on(have, "cp-2", func(s *Sight) {
					s.HAProxy = "# a note\n\nbackend kubernetes-api\nserver cp-3 10.0.0.3:6443\nserver cp-2 10.0.0.2:6443\nserver " +
						"cp-1 10.0.0.1:6443\nfrontend kubernetes-api\nbind *:16443"
				})
			},
		},
		"HAProxy does not run": {
			change: func(_ *Expected, have *Seen) { on(have, "cp-2", func(s *Sight) { s.HAProxyRuns = false }) },
			kinds:  []lcm.DriftKind{lcm.DriftHAProxyStopped}, node: "cp-2",
		},
		"keepalived does not run": {
			change: func(_ *Expected, have *Seen) { on(have, "cp-2", func(s *Sight) { s.KeepalivedRuns = false }) },
			kinds:  []lcm.DriftKind{lcm.DriftKeepalivedStopped}, node: "cp-2",
		},
		"nobody holds the virtual IP": {
			change: func(_ *Expected, have *Seen) {
				for _, node := range []string{"cp-1", "cp-2", "cp-3"} {
					on(have, node, func(s *Sight) { s.HoldsVirtualIP, s.ReachesVirtualIP = false, false })
				}
			},
			kinds: []lcm.DriftKind{lcm.DriftVirtualIPMissing},
		},
		"two hold the virtual IP": {
			change: func(_ *Expected, have *Seen) { on(have, "cp-2", func(s *Sight) { s.HoldsVirtualIP = true }) },
			kinds:  []lcm.DriftKind{lcm.DriftVirtualIPDoubled}, says: "cp-1 and cp-2",
		},
		"the virtual IP is cut off": {
			change: func(_ *Expected, have *Seen) { on(have, "cp-2", func(s *Sight) { s.ReachesVirtualIP = false }) },
			kinds:  []lcm.DriftKind{lcm.DriftVirtualIPUnreachable}, node: "cp-2",
		},
		"the one that may hold the virtual IP is not seen": {
			change: func(_ *Expected, have *Seen) { have.Sights["cp-1"] = Sight{Unreachable: "cp-1 is away."} },
			kinds:  []lcm.DriftKind{lcm.DriftNodeUnreachable}, node: "cp-1",
		},
		"a node trusts another CA": {
			change: func(_ *Expected, have *Seen) { on(have, "worker-1", func(s *Sight) { s.CA = anotherCA }) },
			kinds:  []lcm.DriftKind{lcm.DriftNodeCADiffers}, node: "worker-1",
		},
		"a node has no CA": {
			change: func(_ *Expected, have *Seen) { on(have, "cp-1", func(s *Sight) { s.CA = "" }) },
			kinds:  []lcm.DriftKind{lcm.DriftNodeCADiffers}, node: "cp-1", says: "no CA",
		},
		"another CA is registered": {
			change: func(_ *Expected, have *Seen) { have.RegisteredCA = anotherCA },
			kinds:  []lcm.DriftKind{lcm.DriftRegisteredCADiffers},
		},
		"the same CA in other clothes": {
			change: func(_ *Expected, have *Seen) {
				have.RegisteredCA = "subject=/CN=kubernetes\n" + strings.TrimSpace(theCA)
			},
		},
		"the cluster is not registered": {
			change: func(_ *Expected, have *Seen) { have.VimRegistered, have.RegisteredCA = false, "" },
			kinds:  []lcm.DriftKind{lcm.DriftClusterVimUnregistered},
		},
		"a VNF that is no cluster": {
			change: func(want *Expected, have *Seen) {
				*want = Expected{Vnfcs: want.Vnfcs}
				*have = Seen{Deployment: have.Deployment}
				have.Deployment.Members[0].Status = "SHUTOFF"
			},
			kinds: []lcm.DriftKind{lcm.DriftServerStopped}, says: "The VM vnfc-cp-1 of master",
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, have := sound()
			c.change(&want, &have)
			got := Compare(want, levelled(have))
			var kinds []lcm.DriftKind
			for _, f := range got {
				kinds = append(kinds, f.Kind)
				seen[f.Kind] = true
				rule := lcm.DriftRules[f.Kind]
				assert.Equal(t, rule, lcm.DriftRule{Remedy: f.Remedy, Automatic: f.Automatic})
				assert.NotContains(t, f.Detail, secret, "what was read on a node is not quoted")
				assert.NotContains(t, f.Detail, "%!", "a sentence")
				if f.Remedy == lcm.RemedyVnfc {
					assert.NotEmpty(t, f.VnfcInstanceID, "a VNFC to heal")
				}
			}
			require.Equal(t, c.kinds, kinds, "%v", got)
			if len(got) > 0 {
				assert.Equal(t, c.node, got[0].Node)
				assert.Contains(t, got[0].Detail, c.says)
			}
		})
	}
	for kind := range lcm.DriftRules {
		assert.True(t, seen[kind], "no case finds %s", kind)
	}
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
			action: lcm.DriftNothing, says: "not healed automatically",
		},
		"the policy is off": {
			findings: []lcm.DriftFinding{finding(lcm.DriftNodeNotReady, "worker-1", 9)},
			change:   func(s *Situation) { s.Policy.AutoHeal = false },
			action:   lcm.DriftNothing, says: "does not heal",
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
			change:   func(s *Situation) { s.Recent = 3 },
			action:   lcm.DriftRefuses, says: "3 automatic heals",
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
	have.Deployment.Members[3].Status, have.Deployment.Members[4].Status = "ERROR", "ERROR"
	findings := Compare(want, levelled(have))
	require.Len(t, findings, 2)
	assert.Equal(t, lcm.RemedyVnfc, findings[0].Remedy)
	assert.False(t, findings[0].Automatic)
	assert.True(t, findings[1].Automatic)
}
