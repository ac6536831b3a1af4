package fake_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/scripts"
)

const (
	token          = "abcdef.0123456789abcdef"
	certificateKey = "00112233"
)

// run renders a script and runs it as the activities do.
func (l *lab) run(ctx context.Context, id string, s scripts.Script, inputs ...scripts.Input) (scripts.Results, error) {
	text, err := s.Render()
	require.NoError(l.t, err)
	result, err := l.dial(id).Run(ctx, remote.Command{
		ID: s.Name() + "-" + hex.EncodeToString(l.digest(text, inputs)), Script: text, Stdin: scripts.Stdin(inputs...),
		Sudo: true,
	})
	return scripts.ParseResults(result.Stdout), err
}

func (l *lab) digest(text string, inputs []scripts.Input) []byte {
	sum := sha256.Sum256(append([]byte(text), scripts.Stdin(inputs...)...))
	return sum[:8]
}

func (l *lab) must(id string, s scripts.Script, inputs ...scripts.Input) scripts.Results {
	l.t.Helper()
	results, err := l.run(l.t.Context(), id, s, inputs...)
	require.NoError(l.t, err)
	return results
}

func (l *lab) member(id string) scripts.Member {
	return scripts.Member{Cluster: "c1", Node: id, Address: l.address[id], ControlPlane: strings.HasPrefix(id, "cp")}
}

func (l *lab) initialise(id, endpoint string) {
	l.t.Helper()
	config, err := scripts.KubeadmInitConfig{
		Node: id, Address: l.address[id], Token: token, CertificateKey: certificateKey,
		KubernetesVersion: fake.KubernetesVersion,
		Endpoint:          endpoint, PodCIDR: "192.168.0.0/16", ServiceCIDR: "10.96.0.0/12",
	}.Render()
	require.NoError(l.t, err)
	l.must(id, scripts.KubeadmInit{Member: l.member(id), TokenID: "abcdef", Timeout: 60},
		scripts.Input{Name: "config", Value: config})
}

func (l *lab) joinScript(id, endpoint string) (scripts.Script, scripts.Input) {
	config := scripts.KubeadmJoinConfig{
		Node: id, Address: l.address[id], Endpoint: endpoint, Token: token, CACertHash: "sha256:00",
	}
	if l.member(id).ControlPlane {
		config.CertificateKey = certificateKey
	}
	text, err := config.Render()
	require.NoError(l.t, err)
	return scripts.KubeadmJoin{Member: l.member(id), Endpoint: endpoint, Timeout: 60},
		scripts.Input{Name: "config", Value: text}
}

func (l *lab) join(ctx context.Context, id, endpoint string) error {
	script, config := l.joinScript(id, endpoint)
	_, err := l.run(ctx, id, script, config)
	return err
}

func (l *lab) mint(id string) scripts.Results {
	return l.must(id, scripts.MintJoin{Member: l.member(id), Operation: "op1", TTL: 3600},
		scripts.Input{Name: "token", Value: token}, scripts.Input{Name: "certificate_key", Value: certificateKey})
}

func (l *lab) cluster() fake.Cluster {
	all := l.hypervisor.Clusters()
	require.Len(l.t, all, 1)
	return all[0]
}

func TestScripts_makeAHighlyAvailableCluster(t *testing.T) {
	l := newLab(t, fake.Options{Dir: t.TempDir()})
	const vip = "127.78.99.9"
	nodes := []string{"cp-1", "cp-2", "cp-3", "worker-1"}
	for _, id := range nodes {
		l.boot(id, vip)
		checked := l.must(id, scripts.CheckNode{Node: id, Address: l.address[id], MinCPUs: 1, MinMemoryMiB: 1, MinDiskMiB: 1})
		require.Empty(t, checked.Texts("problem"))
		require.NotEmpty(t, checked.Get("clock"))
		prepared := l.must(id, scripts.PrepareNode{Node: id, Hosts: []string{l.address[id] + " " + id}, LockFor: 1})
		require.Equal(t, fake.KubernetesVersion, prepared.Get("kubeadm"))
	}
	for i, id := range nodes[:3] {
		keepalived, err := scripts.KeepalivedConf{
			Node: id, Master: i == 0, Priority: 103 - i, VirtualRouterID: 7, Interface: "eth0", Prefix: "24",
			Address: l.address[id], Peers: []string{"127.0.0.1"}, VirtualIP: vip, Password: "x", Port: 16443,
		}.Render()
		require.NoError(t, err)
		l.must(id, scripts.ConfigureLoadBalancer{Node: id, Port: 16443, Timeout: 1},
			scripts.Input{Name: "haproxy", Value: "global\n"}, scripts.Input{Name: "keepalived", Value: keepalived})
	}
	found := l.must("cp-2", scripts.FindVirtualIP{VirtualIP: vip, Port: 16443, Timeout: 1})
	require.Equal(t, "no", found.Get("held"))
	require.Equal(t, "yes", found.Get("answers"))
	require.Equal(t, map[string]string{vip: "cp-1"}, l.hypervisor.VirtualIPs())

	endpoint := vip + ":16443"
	l.initialise("cp-1", endpoint)
	block, _ := pem.Decode([]byte(l.mint("cp-1").Text("ca")))
	require.NotNil(t, block)
	for _, id := range nodes[1:3] {
		l.must("cp-1", scripts.AdmitMember{Member: l.member("cp-1"), Joining: id, PeerURL: "https://" + l.address[id] +
			":2380", Timeout: 1})
		require.NoError(t, l.join(t.Context(), id, endpoint))
	}
	require.NoError(t, l.join(t.Context(), "worker-1", endpoint))
	l.must("cp-1", scripts.RevokeJoin{Member: l.member("cp-1"), Operation: "op1"})
	l.must("cp-1", scripts.ApplyManifest{Member: l.member("cp-1"), Manifest: "cni.yaml"},
		scripts.Input{Name: "manifest", Value: "kind: List"})
	l.must("cp-1", scripts.LabelNodes{Member: l.member("cp-1"), Labels: []string{"worker-1 CIS-node=host1"}, Timeout: 1})
	l.must("cp-2", scripts.WaitForNodes{Member: l.member("cp-2"), Nodes: nodes, Timeout: 5})
	l.must("cp-1", scripts.CreateVimAccount{Member: l.member("cp-1"), TokenFile: "/run/token", Timeout: 1})
	got, err := l.dial("cp-1").Get(t.Context(), "/run/token", 1000)
	require.NoError(t, err)
	require.NotEmpty(t, got)
	l.must("cp-1", scripts.RemoveFile{File: "/run/token"})

	c := l.cluster()
	require.Empty(t, c.Violations)
	require.Empty(t, c.Tokens)
	require.False(t, c.CertificatesShared)
	require.Len(t, c.EtcdMembers, 3)
	require.Len(t, c.Members, 4)
	for _, m := range c.Members {
		require.Equal(t, 1, m.Joins, m.Node)
		require.True(t, m.Ready, m.Node)
	}
	require.Equal(t, "host1", c.Members[3].Labels["CIS-node"])

	l.restart()
	require.Equal(t, c, l.cluster(), "the cluster survives a restart of the lab")
	require.Equal(t, "member", l.must("cp-1", scripts.CheckMember{Member: l.member("cp-1"), Timeout: 1}).Get("state"))

	require.NoError(t, l.hypervisor.Kill(t.Context(), "cp-1"))
	require.Equal(t, map[string]string{vip: "cp-2"}, l.hypervisor.VirtualIPs(), "the next priority takes over")
}

func TestScripts_needTheVirtualIPToBeAllowedOnThePort(t *testing.T) {
	l := newLab(t, fake.Options{})
	const vip = "127.78.99.10"
	l.boot("cp-1")
	l.boot("worker-1")
	keepalived, err := scripts.KeepalivedConf{
		Node: "cp-1", Priority: 103, VirtualIP: vip, Prefix: "24", Interface: "eth0", Address: "127.78.99.1", Password: "secret",
	}.Render()
	require.NoError(t, err)
	l.must("cp-1", scripts.ConfigureLoadBalancer{Node: "cp-1", Port: 16443, Timeout: 1},
		scripts.Input{Name: "haproxy", Value: "global\n"}, scripts.Input{Name: "keepalived", Value: keepalived})
	find := scripts.FindVirtualIP{VirtualIP: vip, Port: 16443, Timeout: 1}
	require.Equal(t, "yes", l.must("cp-1", find).Get("held"))
	require.Equal(t, "no", l.must("worker-1", find).Get("answers"))
	l.initialise("cp-1", vip+":16443")
	l.mint("cp-1")
	err = l.join(t.Context(), "worker-1", vip+":16443")
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))

	require.NoError(t, l.hypervisor.UpdatePort(t.Context(), "cp-1", machine.Port{
		ID: "cp-1-port", FixedIPs: []string{l.address["cp-1"]}, AllowedAddresses: []string{vip + "/32"},
	}))
	require.NoError(t, l.join(t.Context(), "worker-1", vip+":16443"))
}

func TestKubeadmJoin_thatIsInterruptedLeavesAStaleMemberUntilItIsRunAgain(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("cp-1")
	l.boot("cp-2")
	endpoint := l.address["cp-1"] + ":6443"
	l.initialise("cp-1", endpoint)
	l.mint("cp-1")
	l.hypervisor.SetPace(0, func(string) time.Duration { return time.Hour })
	ctx, cancel := context.WithCancel(t.Context())
	joined := make(chan error, 1)
	go func() { joined <- l.join(ctx, "cp-2", endpoint) }()
	require.Eventually(t, func() bool { return len(l.cluster().EtcdMembers) == 2 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-joined, context.Canceled)
	require.Contains(t, l.cluster().EtcdMembers, fake.EtcdMember{
		PeerURL: "https://" + l.address["cp-2"] + ":2380", Node: "cp-2", Started: false,
	})

	l.hypervisor.SetPace(0, nil)
	require.Equal(t, "half", l.must("cp-2", scripts.CheckMember{Member: l.member("cp-2"), Timeout: 1}).Get("state"))
	require.NoError(t, l.join(t.Context(), "cp-2", endpoint))
	require.Equal(t, "member", l.must("cp-2", scripts.CheckMember{Member: l.member("cp-2"), Timeout: 2}).Get("state"))
	require.Empty(t, l.cluster().Violations)
}

func TestClusters_showDoubledEffects(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("cp-1")
	l.boot("worker-1")
	endpoint := l.address["cp-1"] + ":6443"
	l.initialise("cp-1", endpoint)
	l.mint("cp-1")
	require.NoError(t, l.join(t.Context(), "worker-1", endpoint))
	// A new machine has the name of a node that is still in the cluster.
	require.NoError(t, l.hypervisor.Delete(t.Context(), "worker-1"))
	l.boot("worker-1")
	l.dialer = remotetest.Dialer() // it has another host key
	require.NoError(t, l.join(t.Context(), "worker-1", endpoint))
	require.Equal(t, []string{"worker-1 was deleted without having been drained", "worker-1 joined 2 times"},
		l.cluster().Violations)

	require.NoError(t, l.hypervisor.Delete(t.Context(), "cp-1"))
	require.NoError(t, l.hypervisor.Delete(t.Context(), "worker-1"))
	require.Empty(t, l.hypervisor.Clusters(), "a cluster ends with its last machine")
}

func TestInject_failsAScriptOnOneMachineSomeTimes(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("m1")
	l.boot("m2")
	l.hypervisor.Inject(fake.Fault{
		Machine: "m1", Script: "find-interface", Times: 2, ExitCode: 75, Output: "windlass: the lock is taken",
	})
	find := func(id string) error {
		_, err := l.run(t.Context(), id, scripts.FindInterface{Address: l.address[id]})
		return err
	}
	require.NoError(t, find("m2"))
	for range 2 {
		err := find("m1")
		require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
		require.EqualError(t, err, "m1: the lock is taken")
	}
	require.NoError(t, find("m1"))
}

func TestScripts_thatAreNotKnownSaySo(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("m1")
	_, err := l.dial("m1").Run(t.Context(), remote.Command{ID: "x", Sudo: true, Script: "#!/bin/bash\necho hello\n"})
	require.EqualError(t, err, `m1: this fake machine does not know the script ""`)
}

func TestScripts_areAllKnown(t *testing.T) {
	bodies, err := filepath.Glob("../../../../scripts/sh/*.sh")
	require.NoError(t, err)
	require.NotEmpty(t, bodies)
	known := fake.New(fake.Options{}).Scripts()
	for _, body := range bodies {
		if name := strings.TrimSuffix(filepath.Base(body), ".sh"); !strings.HasPrefix(name, "lib-") {
			require.Contains(t, known, name)
		}
	}
}
