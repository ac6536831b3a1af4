package kubeadm

import (
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
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

// expected is the expected state of a cluster in one value; seen is the observed state.
type expected struct {
	drift.Expected
	HAProxy    string
	ClusterVim bool
}

type seen struct {
	Deployment    drift.Deployment
	Sights        map[string]sight
	Cluster       *cluster.Told
	RegisteredCA  string
	VimRegistered bool
}

type sight struct {
	Unreachable, CA string
	Balancer
}

// compare compares the two as LookForDrift does after it has looked at the nodes.
func compare(want expected, have seen) []lcm.DriftFinding {
	balancers := Balancers{HAProxy: want.HAProxy, Seen: map[string]Balancer{}}
	trust := cluster.Trust{
		CAs: map[string]string{}, Registers: want.ClusterVim, Registered: have.VimRegistered, RegisteredCA: have.RegisteredCA,
	}
	unreachable := map[string]string{}
	for name, s := range have.Sights {
		if s.Unreachable != "" {
			unreachable[name] = s.Unreachable
			continue
		}
		trust.CAs[name], balancers.Seen[name] = s.CA, s.Balancer
	}
	return drift.Compare(want.Expected, drift.Seen{Deployment: have.Deployment, Unreachable: unreachable},
		have.Cluster.Compare, balancers.Compare, trust.Compare)
}

// sound returns a cluster of three control planes and two workers without any finding.
func sound() (expected, seen) {
	want := expected{HAProxy: configuration, ClusterVim: true}
	want.Capacity = []drift.Count{{VduID: "master", VMs: 3}, {VduID: "worker", VMs: 2}}
	have := seen{
		Deployment: drift.Deployment{Status: "UPDATE_COMPLETE"}, Sights: map[string]sight{}, Cluster: &cluster.Told{}, RegisteredCA: theCA,
		VimRegistered: true,
	}
	for i, name := range []string{"cp-1", "cp-2", "cp-3", "worker-1", "worker-2"} {
		node := lcm.Node{Name: name, Role: lcm.Worker, ServerID: "server-" + name, Address: fmt.Sprintf("10.0.0.%d", i+1)}
		vdu, look := "worker", sight{CA: theCA}
		if strings.HasPrefix(name, "cp") {
			node.Role, vdu = lcm.ControlPlane, "master"
			look.Balancer = Balancer{
				HAProxy: configuration, HAProxyRuns: true, KeepalivedRuns: true, HoldsVirtualIP: i == 0, ReachesVirtualIP: true,
			}
			have.Cluster.Members = append(have.Cluster.Members,
				cluster.EtcdMember{Name: name, Address: node.Address, Started: true, Healthy: true})
		}
		want.Nodes = append(want.Nodes, node)
		want.Vnfcs = append(want.Vnfcs, lcm.VnfcResourceInfo{
			ID: "vnfc-" + name, VduID: vdu, ComputeResource: lcm.ResourceHandle{ResourceID: node.ServerID},
		})
		have.Deployment.Members = append(have.Deployment.Members, drift.Member{ServerID: node.ServerID, VduID: vdu, Status: "ACTIVE"})
		have.Sights[name] = look
		have.Cluster.Nodes = append(have.Cluster.Nodes, cluster.NodeObject{Name: name, Ready: true})
	}
	return want, have
}

// levelled sets the levels that belong to OpenStack's words for states.
func levelled(have seen) seen {
	have.Deployment.Level = openstack.StackLevel(have.Deployment.Status)
	for i, m := range have.Deployment.Members {
		have.Deployment.Members[i].Level = openstack.ServerLevel(m.Status)
	}
	return have
}

// on changes what was observed on a node.
func on(have *seen, node string, change func(*sight)) {
	s := have.Sights[node]
	change(&s)
	have.Sights[node] = s
}

func TestCompare(t *testing.T) {
	found := map[lcm.DriftKind]bool{}
	for name, c := range map[string]struct {
		change func(want *expected, have *seen)
		kinds  []lcm.DriftKind
		node   string // the node of the first finding
		says   string
	}{
		"nothing": {change: func(*expected, *seen) {}},
		"the VIM is away": {
			change: func(_ *expected, have *seen) {
				have.Deployment = drift.Deployment{Unreachable: "Keystone did not answer."}
			},
			kinds: []lcm.DriftKind{lcm.DriftVimUnreachable}, says: "Keystone did not answer",
		},
		"the stack is gone": {
			change: func(_ *expected, have *seen) { have.Deployment = drift.Deployment{Missing: true} },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentMissing},
		},
		"a heal of the entire VNF was given up, and the stack is gone": {
			change: func(want *expected, have *seen) {
				want.HealGivenUp, have.Deployment = "the-heal", drift.Deployment{Missing: true}
			},
			kinds: []lcm.DriftKind{lcm.DriftHealGivenUp}, says: "given up (the-heal)",
		},
		"a heal of the entire VNF was given up, and other servers are there": {
			change: func(want *expected, have *seen) {
				want.HealGivenUp = "the-heal"
				for i := range have.Deployment.Members {
					have.Deployment.Members[i].ServerID += "-new"
				}
			},
			kinds: []lcm.DriftKind{lcm.DriftHealGivenUp},
		},
		"a heal of the entire VNF was given up, and the stack is half deleted": {
			change: func(want *expected, have *seen) {
				want.HealGivenUp, have.Deployment.Status = "the-heal", "DELETE_FAILED"
			},
			kinds: []lcm.DriftKind{lcm.DriftHealGivenUp},
		},
		"a heal of the entire VNF was given up before it has deleted anything": {
			change: func(want *expected, have *seen) { want.HealGivenUp, have.VimRegistered = "the-heal", false },
			kinds:  []lcm.DriftKind{lcm.DriftClusterVimUnregistered},
		},
		"a heal of the entire VNF was given up, and the VIM is away": {
			change: func(want *expected, have *seen) {
				want.HealGivenUp, have.Deployment = "the-heal", drift.Deployment{Unreachable: "Keystone did not answer."}
			},
			kinds: []lcm.DriftKind{lcm.DriftVimUnreachable},
		},
		"the stack has failed": {
			change: func(_ *expected, have *seen) { have.Deployment.Status = "UPDATE_FAILED" },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentStatus}, says: "UPDATE_FAILED",
		},
		"somebody deletes the stack": {
			change: func(_ *expected, have *seen) { have.Deployment.Status = "DELETE_IN_PROGRESS" },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentStatus},
		},
		"a member less": {
			change: func(_ *expected, have *seen) { have.Deployment.Members = have.Deployment.Members[:4] },
			kinds:  []lcm.DriftKind{lcm.DriftDeploymentMemberMissing, lcm.DriftScaleLevel}, node: "worker-2",
		},
		"a member more": {
			change: func(_ *expected, have *seen) {
				have.Deployment.Members = append(have.Deployment.Members, drift.Member{ServerID: "stranger", VduID: "worker", Status: "ACTIVE"})
			},
			kinds: []lcm.DriftKind{lcm.DriftDeploymentMemberUnknown, lcm.DriftScaleLevel}, says: "stranger",
		},
		"the cloud has no load balancer any more": {
			change: func(_ *expected, have *seen) {
				have.Deployment.Balancer = &drift.Balancer{Name: "vnf-1", Level: vim.Removed}
			},
			kinds: []lcm.DriftKind{lcm.DriftBalancerMissing}, says: "vnf-1 does not exist",
		},
		"the cloud's load balancer has failed": {
			change: func(_ *expected, have *seen) {
				have.Deployment.Balancer = &drift.Balancer{Name: "vnf-1", Level: vim.Failed, Status: "ERROR"}
			},
			kinds: []lcm.DriftKind{lcm.DriftBalancerStatus}, says: "is in ERROR",
		},
		"the cloud's load balancer changes": {
			change: func(_ *expected, have *seen) {
				have.Deployment.Balancer = &drift.Balancer{Name: "vnf-1", Level: vim.Changing, Status: "PENDING_UPDATE"}
			},
			kinds: []lcm.DriftKind{lcm.DriftBalancerStatus}, says: "is PENDING_UPDATE",
		},
		"the cloud does not tell of its load balancer": {
			change: func(_ *expected, have *seen) {
				have.Deployment.Balancer = &drift.Balancer{Name: "vnf-1", Unreachable: "Octavia does not answer."}
			},
			kinds: []lcm.DriftKind{lcm.DriftBalancerStatus}, says: "Octavia does not answer.",
		},
		"the cloud's load balancer works": {
			change: func(_ *expected, have *seen) {
				have.Deployment.Balancer = &drift.Balancer{Name: "vnf-1", Level: vim.Running, Status: "ACTIVE"}
			},
		},
		"a server is gone": {
			change: func(_ *expected, have *seen) { have.Deployment.Members[3].Status = "" },
			kinds:  []lcm.DriftKind{lcm.DriftServerMissing}, node: "worker-1", says: "worker-1 does not exist",
		},
		"a server is in error": {
			change: func(_ *expected, have *seen) { have.Deployment.Members[3].Status = "ERROR" },
			kinds:  []lcm.DriftKind{lcm.DriftServerError}, node: "worker-1",
		},
		"a server is off": {
			change: func(_ *expected, have *seen) { have.Deployment.Members[0].Status = "SHUTOFF" },
			kinds:  []lcm.DriftKind{lcm.DriftServerStopped}, node: "cp-1",
		},
		"a server was stopped on purpose": {
			change: func(want *expected, have *seen) {
				have.Deployment.Members[3].Status, have.Cluster.Nodes[3] = "SHUTOFF", cluster.NodeObject{Name: "worker-1", Cordoned: true}
				have.Deployment.Members[1].Status, have.Cluster.Members[1].Healthy, have.Cluster.Nodes[1].Ready = "SHUTOFF", false, false
				delete(have.Sights, "cp-2")
				want.Stopped = []string{"server-worker-1", "server-cp-2"}
			},
		},
		"one that was stopped on purpose runs": {
			change: func(want *expected, _ *seen) { want.Stopped = []string{"server-worker-1"} },
			kinds:  []lcm.DriftKind{lcm.DriftServerStatus}, node: "worker-1", says: "although it was stopped on purpose",
		},
		"one that was stopped on purpose is gone": {
			change: func(want *expected, have *seen) {
				want.Stopped, have.Deployment.Members[3].Status = []string{"server-worker-1"}, ""
			},
			kinds: []lcm.DriftKind{lcm.DriftServerMissing}, node: "worker-1",
		},
		"everything was stopped on purpose": {
			change: func(want *expected, have *seen) {
				for i, n := range want.Nodes {
					want.Stopped = append(want.Stopped, n.ServerID)
					have.Deployment.Members[i].Status = "SHUTOFF"
				}
				have.Cluster, have.Sights = nil, nil
			},
		},
		"a server is paused": {
			change: func(_ *expected, have *seen) { have.Deployment.Members[0].Status = "PAUSED" },
			kinds:  []lcm.DriftKind{lcm.DriftServerStatus}, node: "cp-1", says: "PAUSED",
		},
		"a node does not let Windlass in": {
			change: func(_ *expected, have *seen) { have.Sights["worker-1"] = sight{Unreachable: "Nobody answers."} },
			kinds:  []lcm.DriftKind{lcm.DriftNodeUnreachable}, node: "worker-1", says: "worker-1: Nobody answers.",
		},
		"no control plane answers": {
			change: func(_ *expected, have *seen) { have.Cluster = &cluster.Told{Unreachable: "cp-3 does not answer."} },
			kinds:  []lcm.DriftKind{lcm.DriftClusterUnreachable}, says: "cp-3 does not answer",
		},
		"no quorum": {
			change: func(_ *expected, have *seen) { have.Cluster = &cluster.Told{QuorumLost: "etcd has no quorum."} },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdQuorumLost}, says: "no quorum",
		},
		"a node object less": {
			change: func(_ *expected, have *seen) { have.Cluster.Nodes = have.Cluster.Nodes[:4] },
			kinds:  []lcm.DriftKind{lcm.DriftNodeObjectMissing}, node: "worker-2",
		},
		"a node object more": {
			change: func(_ *expected, have *seen) {
				have.Cluster.Nodes = append(have.Cluster.Nodes, cluster.NodeObject{Name: "ghost", Ready: true})
			},
			kinds: []lcm.DriftKind{lcm.DriftNodeObjectUnknown}, node: "ghost",
		},
		"a node is not Ready": {
			change: func(_ *expected, have *seen) {
				have.Cluster.Nodes[3] = cluster.NodeObject{Name: "worker-1", Reason: "Kubelet stopped"}
			},
			kinds: []lcm.DriftKind{lcm.DriftNodeNotReady}, node: "worker-1", says: "Kubelet stopped",
		},
		"a node is cordoned": {
			change: func(_ *expected, have *seen) { have.Cluster.Nodes[3].Cordoned = true },
			kinds:  []lcm.DriftKind{lcm.DriftNodeCordoned}, node: "worker-1",
		},
		"a member of etcd less": {
			change: func(_ *expected, have *seen) { have.Cluster.Members = have.Cluster.Members[:2] },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberMissing}, node: "cp-3",
		},
		"a member of etcd more": {
			change: func(_ *expected, have *seen) {
				have.Cluster.Members = append(have.Cluster.Members, cluster.EtcdMember{Name: "cp-old", Address: "10.0.0.9", Started: true})
			},
			kinds: []lcm.DriftKind{lcm.DriftEtcdMemberUnknown}, node: "cp-old",
		},
		"a member of etcd is down": {
			change: func(_ *expected, have *seen) { have.Cluster.Members[1].Healthy = false },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberUnhealthy}, node: "cp-2",
		},
		"a member of etcd has not started": {
			change: func(_ *expected, have *seen) { have.Cluster.Members[1] = cluster.EtcdMember{Address: "10.0.0.2"} },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberUnhealthy}, node: "cp-2", says: "not started",
		},
		"a member of etcd has no vote": {
			change: func(_ *expected, have *seen) { have.Cluster.Members[1].Learner = true },
			kinds:  []lcm.DriftKind{lcm.DriftEtcdMemberLearner}, node: "cp-2",
		},
		"HAProxy lacks a server": {
			change: func(_ *expected, have *seen) {
				on(have, "cp-2", func(s *sight) {
					s.HAProxy = strings.ReplaceAll(configuration, "server cp-3 10.0.0.3:6443",
						"server x 10.0.0.3:6443 password "+secret)
				})
			},
			kinds: []lcm.DriftKind{lcm.DriftHAProxyConfiguration}, node: "cp-2", says: "cp-3",
		},
		"HAProxy has no configuration": {
			change: func(_ *expected, have *seen) { on(have, "cp-2", func(s *sight) { s.HAProxy = "" }) },
			kinds:  []lcm.DriftKind{lcm.DriftHAProxyConfiguration}, node: "cp-2", says: "there is none",
		},
		"HAProxy's servers in another order": {
			change: func(_ *expected, have *seen) {
				on(have, "cp-2", func(s *sight) {
					s.HAProxy = "# a note\n\nbackend kubernetes-api\nserver cp-3 10.0.0.3:6443\nserver cp-2 10.0.0.2:6443\nserver " +
						"cp-1 10.0.0.1:6443\nfrontend kubernetes-api\nbind *:16443"
				})
			},
		},
		"HAProxy does not run": {
			change: func(_ *expected, have *seen) { on(have, "cp-2", func(s *sight) { s.HAProxyRuns = false }) },
			kinds:  []lcm.DriftKind{lcm.DriftHAProxyStopped}, node: "cp-2",
		},
		"keepalived does not run": {
			change: func(_ *expected, have *seen) { on(have, "cp-2", func(s *sight) { s.KeepalivedRuns = false }) },
			kinds:  []lcm.DriftKind{lcm.DriftKeepalivedStopped}, node: "cp-2",
		},
		"nobody holds the virtual IP": {
			change: func(_ *expected, have *seen) {
				for _, node := range []string{"cp-1", "cp-2", "cp-3"} {
					on(have, node, func(s *sight) { s.HoldsVirtualIP, s.ReachesVirtualIP = false, false })
				}
			},
			kinds: []lcm.DriftKind{lcm.DriftVirtualIPMissing},
		},
		"two hold the virtual IP": {
			change: func(_ *expected, have *seen) { on(have, "cp-2", func(s *sight) { s.HoldsVirtualIP = true }) },
			kinds:  []lcm.DriftKind{lcm.DriftVirtualIPDoubled}, says: "cp-1 and cp-2",
		},
		"the virtual IP is cut off": {
			change: func(_ *expected, have *seen) { on(have, "cp-2", func(s *sight) { s.ReachesVirtualIP = false }) },
			kinds:  []lcm.DriftKind{lcm.DriftVirtualIPUnreachable}, node: "cp-2",
		},
		"the one that may hold the virtual IP is not seen": {
			change: func(_ *expected, have *seen) { have.Sights["cp-1"] = sight{Unreachable: "cp-1 is away."} },
			kinds:  []lcm.DriftKind{lcm.DriftNodeUnreachable}, node: "cp-1",
		},
		"a node trusts another CA": {
			change: func(_ *expected, have *seen) { on(have, "worker-1", func(s *sight) { s.CA = anotherCA }) },
			kinds:  []lcm.DriftKind{lcm.DriftNodeCADiffers}, node: "worker-1",
		},
		"a node has no CA": {
			change: func(_ *expected, have *seen) { on(have, "cp-1", func(s *sight) { s.CA = "" }) },
			kinds:  []lcm.DriftKind{lcm.DriftNodeCADiffers}, node: "cp-1", says: "no CA",
		},
		"another CA is registered": {
			change: func(_ *expected, have *seen) { have.RegisteredCA = anotherCA },
			kinds:  []lcm.DriftKind{lcm.DriftRegisteredCADiffers},
		},
		"the same CA in other clothes": {
			change: func(_ *expected, have *seen) {
				have.RegisteredCA = "subject=/CN=kubernetes\n" + strings.TrimSpace(theCA)
			},
		},
		"the cluster is not registered": {
			change: func(_ *expected, have *seen) { have.VimRegistered, have.RegisteredCA = false, "" },
			kinds:  []lcm.DriftKind{lcm.DriftClusterVimUnregistered},
		},
		"a VNF that is no cluster": {
			change: func(want *expected, have *seen) {
				*want = expected{Expected: drift.Expected{Vnfcs: want.Vnfcs}}
				*have = seen{Deployment: have.Deployment}
				have.Deployment.Members[0].Status = "SHUTOFF"
			},
			kinds: []lcm.DriftKind{lcm.DriftServerStopped}, says: "The VM vnfc-cp-1 of master",
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, have := sound()
			c.change(&want, &have)
			got := compare(want, levelled(have))
			var kinds []lcm.DriftKind
			for _, f := range got {
				kinds = append(kinds, f.Kind)
				found[f.Kind] = true
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
		assert.True(t, found[kind], "no case finds %s", kind)
	}
}
