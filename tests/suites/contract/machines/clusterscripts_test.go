package machines

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"os"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/podnetwork"
	"github.com/windlass-nfv/windlass/scripts"
)

const (
	joinToken      = "abcdef.0123456789abcdef"
	certificateKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	balancerPort   = 16443
	// nowhere is an address for documentation (RFC 5737): no machine has it.
	nowhere = "192.0.2.1"
)

var nodesOfStage = []string{"cp-1", "cp-2", "worker-1"}

// missing returns the outcome of every script that does not get that input.
func missing(input string) outcome {
	return outcome{kind: lcm.KindInvalid, says: "the input " + input + " is missing"}
}

func results(lines ...string) outcome { return outcome{results: lines} }

func input(name, value string) scripts.Input { return scripts.Input{Name: name, Value: value} }

func (s *stage) hostEntries(names ...string) (entries []string) {
	for _, name := range names {
		entries = append(entries, s.address[name]+" "+name)
	}
	return entries
}

func (s *stage) checkAndPrepare() {
	const unplugged = "no interface has the address " + nowhere
	s.play(
		turn{on: "cp-1", script: scripts.CheckNode{Node: "cp-1", Address: nowhere}, want: results("clock=now",
			"problem="+unplugged+"; the image must configure the port that nic_cp_name names")},
		turn{on: "cp-1", script: scripts.FindInterface{Address: s.address["cp-1"]}, want: results("interface=eth0", "prefix=24")},
		turn{on: "cp-1", script: scripts.FindInterface{Address: nowhere}, want: outcome{kind: lcm.KindBroken, says: unplugged}},
		turn{on: "storage-1", script: scripts.CheckStorageServer{Node: "storage-1", Address: s.address["storage-1"]}},
		turn{on: "storage-1", script: scripts.CheckStorageServer{Node: "storage-1", Address: nowhere}, want: results(
			"problem=" + unplugged + "; the image must configure the port that nic_cp_name names")},
	)
	var all []func()
	for _, node := range nodesOfStage {
		all = append(all, func() { s.prepare(node) })
	}
	s.together(all...)
}

func (s *stage) prepare(node string) {
	const gone = nowhere + " node-of-before"
	s.play(
		turn{on: node, script: scripts.CheckNode{Node: node, Address: s.address[node]}, want: results("clock=now")},
		turn{
			on: node, script: scripts.PrepareNode{Node: node, Hosts: s.hostEntries("cp-1", node), LockFor: 60},
			want: results("kubeadm=" + fake.KubernetesVersion),
		},
		turn{on: node, script: scripts.TellHosts{Node: node, Hosts: append(s.hostEntries(nodesOfStage...), gone)}},
		turn{on: node, script: scripts.TellHosts{Node: node, Hosts: s.hostEntries(nodesOfStage...)}},
		turn{
			on: node, script: scripts.CheckMember{Member: s.member(node), Timeout: 60},
			want: results("state=new", "kubeadm="+fake.KubernetesVersion),
		},
	)
	hosts := s.file(node, "/etc/hosts")
	for _, entry := range s.hostEntries(nodesOfStage...) {
		assert.Contains(s.t, hosts, entry+"\n", node)
	}
	assert.NotContains(s.t, hosts, gone, node)
}

// buildCluster builds a cluster of two control planes behind a virtual IP, and a worker.
func (s *stage) buildCluster() {
	s.play(turn{
		on: "cp-1", script: scripts.FindVirtualIP{VirtualIP: s.vip, Port: balancerPort, Timeout: 1},
		want: results("held=no", "answers=no"),
	})
	s.balance("cp-1", "cp-2")
	holds := turn{on: "cp-1", script: s.findVirtualIP(), want: results("held=yes", "answers=yes")}
	s.await(holds)
	s.play(
		holds,
		turn{on: "cp-2", script: s.findVirtualIP(), want: results("held=no", "answers=yes")},
	)
	s.together(s.initialise, func() {
		s.play(turn{ // it takes half a minute on a real machine
			on: "worker-1", script: scripts.LabelNodes{Member: s.member("worker-1"), Labels: []string{"cp-1 a=b"}, Timeout: 1},
			want: outcome{kind: lcm.KindUnavailable, says: "the API server of this control plane is not ready"},
		})
	})
	s.join()
}

func (s *stage) findVirtualIP() scripts.Script {
	return scripts.FindVirtualIP{VirtualIP: s.vip, Port: balancerPort, Timeout: 30}
}

// balance makes control planes the load balancers of each other. The first one gets the virtual IP.
func (s *stage) balance(nodes ...string) {
	conf := scripts.HAProxyConf{Port: balancerPort}
	for _, node := range nodes {
		conf.Backends = append(conf.Backends, scripts.Backend{Name: node, Address: s.address[node]})
	}
	haproxy, err := conf.Render()
	assert.NoError(s.t, err)
	s.haproxy = haproxy
	for i, node := range nodes {
		peers := slices.DeleteFunc(slices.Clone(nodes), func(peer string) bool { return peer == node })
		for n, peer := range peers {
			peers[n] = s.address[peer]
		}
		keepalived, err := scripts.KeepalivedConf{
			Node: node, Master: i == 0, Priority: 103 - i, VirtualRouterID: 51, Interface: "eth0", Prefix: "24",
			Address: s.address[node], Peers: peers, VirtualIP: s.vip, Password: "turns", Port: balancerPort,
		}.Render()
		assert.NoError(s.t, err)
		script := scripts.ConfigureLoadBalancer{Node: node, Port: balancerPort, Timeout: 30}
		s.play(
			turn{on: node, script: script, want: missing("haproxy")},
			turn{on: node, script: script, inputs: []scripts.Input{input("haproxy", haproxy)}, want: missing("keepalived")},
			turn{on: node, script: script, inputs: []scripts.Input{input("haproxy", haproxy), input("keepalived", keepalived)}},
		)
	}
}

func (s *stage) sample(name string) string {
	content, err := os.ReadFile("../../../../vnfpkg/samples/k8s-ha/Files/kubernetes/" + name)
	assert.NoError(s.t, err)
	return string(content)
}

// podNetwork is the sample's manifest as Windlass applies it.
func (s *stage) podNetwork() string {
	return strings.ReplaceAll(s.sample("flannel.yaml"), podnetwork.PodCIDRName, "10.244.0.0/16")
}

func (s *stage) endpoint() string { return s.vip + ":16443" }

func (s *stage) initialise() {
	config, err := scripts.KubeadmInitConfig{
		Node: "cp-1", Address: s.address["cp-1"], Token: joinToken, CertificateKey: certificateKey,
		KubernetesVersion: fake.KubernetesVersion, Endpoint: s.endpoint(), PodCIDR: "10.244.0.0/16",
		ServiceCIDR: "10.96.0.0/16", CertSANs: []string{s.vip, s.address["cp-1"], s.address["cp-2"]},
		IgnorePreflightErrors: []string{"SystemVerification"}, Extra: []byte(s.sample("kubeadm-lab.yaml")),
	}.Render()
	assert.NoError(s.t, err)
	token, _, _ := strings.Cut(joinToken, ".")
	start := scripts.KubeadmInit{Member: s.member("cp-1"), TokenID: token, Timeout: 300}
	apply := scripts.ApplyManifest{Member: s.member("cp-1"), Manifest: "Files/kubernetes/flannel.yaml"}
	s.play(
		turn{on: "cp-1", script: start, want: missing("config")},
		turn{on: "cp-1", script: start, inputs: []scripts.Input{input("config", config)}},
		turn{
			on: "cp-1", script: scripts.CheckMember{Member: s.member("cp-1"), Timeout: 60},
			want: results("state=member", "kubeadm="+fake.KubernetesVersion),
		},
		turn{on: "cp-1", script: apply, want: missing("manifest")},
		turn{on: "cp-1", script: apply, inputs: []scripts.Input{input("manifest", s.podNetwork())}},
	)
}

func (s *stage) join() {
	mint := scripts.MintJoin{Member: s.member("cp-1"), Operation: "turns", TTL: 900, Timeout: 60}
	secrets := []scripts.Input{input("token", joinToken), input("certificate_key", certificateKey)}
	s.play(
		turn{on: "cp-1", script: mint, want: missing("token")},
		turn{on: "cp-1", script: mint, inputs: secrets, want: results("ca=a certificate")},
		turn{on: "cp-1", script: scripts.AdmitMember{
			Member: s.member("cp-1"), Joining: "cp-2", PeerURL: "https://" + s.address["cp-2"] + ":2380", Timeout: 60,
		}},
	)
	if s.broken.Load() {
		return
	}
	hash := s.hashOf(s.look("cp-1", mint, secrets...).Text("ca"))
	for _, node := range nodesOfStage[1:] {
		config := scripts.KubeadmJoinConfig{
			Node: node, Address: s.address[node], Endpoint: s.endpoint(), Token: joinToken, CACertHash: hash,
			IgnorePreflightErrors: []string{"SystemVerification"}, Extra: []byte(s.sample("kubeadm-lab.yaml")),
		}
		if s.member(node).ControlPlane {
			config.CertificateKey = certificateKey
		}
		text, err := config.Render()
		assert.NoError(s.t, err)
		script := scripts.KubeadmJoin{Member: s.member(node), Endpoint: s.endpoint(), Timeout: 300}
		s.play(
			turn{on: node, script: script, want: missing("config")},
			turn{on: node, script: script, inputs: []scripts.Input{input("config", text)}},
			turn{
				on: node, script: scripts.CheckMember{Member: s.member(node), Timeout: 60},
				want: results("state=member", "kubeadm="+fake.KubernetesVersion),
			},
		)
	}
	s.play(turn{on: "cp-1", script: scripts.RevokeJoin{Member: s.member("cp-1"), Operation: "turns"}})
}

// hashOf returns the hash by which a joining node verifies the cluster's CA.
func (s *stage) hashOf(ca string) string {
	block, _ := pem.Decode([]byte(ca))
	if !assert.NotNil(s.t, block, "%s", ca) {
		s.broken.Store(true)
		return ""
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	assert.NoError(s.t, err)
	sum := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// health returns the results of cluster-health for a cluster without failures.
func (s *stage) health(cordoned string, nodes ...string) outcome {
	var lines []string
	for _, node := range nodes {
		state := "no"
		if node == cordoned {
			state = "yes"
		}
		lines = append(lines, "node="+node+"|True|"+state)
		if s.member(node).ControlPlane {
			lines = append(lines, "member="+node+"|https://<"+node+">:2380|yes|no|yes")
		}
	}
	return results(lines...)
}

func (s *stage) lookAtCluster() {
	first, account := s.member("cp-1"), "/var/lib/windlass/turns-token"
	wait := scripts.WaitForNodes{Member: first, Nodes: []string{"cp-1", "ghost"}, Timeout: 1}
	ready := scripts.WaitForNodes{Member: first, Nodes: nodesOfStage, Timeout: 120}
	s.play(
		turn{on: "cp-1", script: ready},
		turn{on: "cp-1", script: wait, want: outcome{
			kind: lcm.KindBroken, says: "after 1 s 1 of 2 nodes are ready; waiting for ghost: the cluster does not know it; " +
				"look at 'journalctl -u kubelet' there",
		}},
		turn{on: "cp-1", script: scripts.LabelNodes{
			Member: first, Labels: []string{"worker-1 turns/a=b turns/c=d", "cp-1 turns/a=b"}, Timeout: 10,
		}},
		turn{
			on: "cp-1", script: scripts.LabelNodes{Member: first, Labels: []string{"ghost turns/a=b"}, Timeout: 1},
			want: outcome{kind: lcm.KindUnavailable, says: "the cluster does not know the node ghost yet"},
		},
		// Nothing of this cluster names a control plane that is gone: tests/suites/kubespray has clusters where something
		// does.
		turn{on: "cp-1", script: scripts.PointToSelf{
			Member: first, Gone: []string{"192.0.2.77"}, GoneNodes: []string{"ghost"},
		}},
		turn{
			on: "cp-1", script: scripts.CreateVimAccount{Member: first, TokenFile: account, Timeout: 30},
			want: results("ca=a certificate"),
		},
	)
	if !s.broken.Load() {
		assert.NotEmpty(s.t, s.file("cp-1", account))
	}
	s.play(
		turn{on: "cp-1", script: scripts.RemoveFile{File: account}},
		turn{on: "cp-1", script: s.clusterHealth(), want: s.health("", nodesOfStage...)},
		turn{on: "cp-1", script: s.lookAt("cp-1"), want: s.balancer("a certificate", "yes", "yes", "yes")},
		turn{on: "cp-2", script: s.lookAt("cp-2"), want: s.balancer("a certificate", "yes", "yes", "no")},
		turn{on: "worker-1", script: scripts.LookAtNode{Node: "worker-1"}, want: results("ca=a certificate")},
		turn{on: "worker-1", script: scripts.LookForRemains{}, want: results("remains=yes")},
	)
	assert.Empty(s.t, s.file("cp-1", account))
}

func (s *stage) clusterHealth() scripts.Script {
	return scripts.ClusterHealth{Member: s.member("cp-1"), Timeout: 30}
}

func (s *stage) lookAt(node string) scripts.Script {
	return scripts.LookAtNode{Node: node, VirtualIP: s.vip, Port: balancerPort}
}

// balancer returns the results of look-at-node for a control plane.
func (s *stage) balancer(ca, haproxy, keepalived, held string) outcome {
	return results("ca="+ca, "haproxy=as configured", "haproxy_runs="+haproxy, "keepalived_runs="+keepalived, "held="+held,
		"answers=yes")
}

func (s *stage) drain(node string, limit int) scripts.Script {
	return scripts.DrainNode{Member: s.member("cp-1"), Leaving: node, DrainFor: limit, DetachFor: 10}
}

func (s *stage) uncordon(node string) scripts.Script {
	return scripts.UncordonNode{Member: s.member("cp-1"), Leaving: node, Timeout: 10}
}

// drainWorker drains the worker. Then it checks that a PodDisruptionBudget prevents a second drain.
func (s *stage) drainWorker() {
	s.play(
		turn{on: "cp-1", script: s.drain("ghost", 5), want: results("absent=yes")},
		turn{on: "cp-1", script: s.drain("worker-1", 60)},
		turn{on: "cp-1", script: s.clusterHealth(), want: s.health("worker-1", nodesOfStage...)},
		turn{on: "cp-1", script: s.uncordon("ghost")},
		turn{on: "cp-1", script: s.uncordon("worker-1")},
	)
	if s.broken.Load() {
		return
	}
	s.hold(s, "worker-1")
	s.play(turn{on: "cp-1", script: s.drain("worker-1", 3), want: outcome{
		kind: lcm.KindBroken, says: "after 3 s these pods are still on worker-1: default/web (the PodDisruptionBudget web " +
			"lets no pod go). Make room for them or ease the budgets, then retry; or set drain_policy to force",
	}})
	s.free(s)
	s.play(
		turn{on: "cp-1", script: s.uncordon("worker-1")},
		turn{on: "cp-1", script: s.clusterHealth(), want: s.health("", nodesOfStage...)},
	)
}

func (s *stage) leavingEtcd(names ...string) (all []scripts.LeavingMember) {
	for _, name := range names {
		all = append(all, scripts.LeavingMember{Name: name, PeerURL: "https://" + s.address[name] + ":2380"})
	}
	return all
}

// loseControlPlane removes the second control plane from the cluster, as heal and scale-in do.
func (s *stage) loseControlPlane() {
	first := s.member("cp-1")
	remove := func(names ...string) scripts.Script {
		return scripts.RemoveMembers{Member: first, Leaving: s.leavingEtcd(names...), Timeout: 30}
	}
	s.play(
		turn{on: "cp-1", script: remove("cp-1", "cp-2"), want: outcome{
			kind: lcm.KindInvalid, says: "... is the last member of etcd: the cluster would end with it",
		}},
	)
	s.play(
		turn{on: "cp-1", script: s.drain("cp-2", 60)},
		turn{on: "cp-2", script: scripts.RetireNode{Member: s.member("cp-2"), OnlyVirtualIP: true}},
		turn{on: "cp-2", script: s.lookAt("cp-2"), want: s.balancer("a certificate", "yes", "no", "no")},
		turn{on: "cp-1", script: remove("cp-2"), want: results("down=none")},
		turn{on: "cp-1", script: scripts.DeleteNode{Member: first, Leaving: "cp-2", Timeout: 30}},
		turn{on: "cp-1", script: scripts.DeleteNode{Member: first, Leaving: "ghost", Timeout: 30}},
		turn{on: "cp-2", script: scripts.RetireNode{Member: s.member("cp-2")}},
		turn{
			on: "cp-2", script: scripts.CheckMember{Member: s.member("cp-2"), Timeout: 10},
			want: results("state=new", "kubeadm="+fake.KubernetesVersion),
		},
		turn{on: "cp-2", script: s.lookAt("cp-2"), want: s.balancer("", "no", "no", "no")},
		turn{on: "cp-1", script: s.clusterHealth(), want: s.health("", "cp-1", "worker-1")},
		turn{on: "cp-1", script: s.findVirtualIP(), want: results("held=yes", "answers=yes")},
	)
}
