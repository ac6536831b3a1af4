package activities_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// newSite returns fake nodes and a cluster's parameters; change changes these.
func newSite(
	t *testing.T, controlPlanes, workers int, change func(*k8s.Params),
) (site, *fakeSite, *memorySecrets, *logOutput) {
	t.Helper()
	made, secrets, output := activitytest.NewSite(controlPlanes, workers, change)
	fake := newFakeSite(t, made.Nodes)
	made.Reach.Hosts = fake
	return site{made}, fake, secrets, output
}

func TestCluster_builtTwiceIsBuiltOnce(t *testing.T) {
	s, fake, secrets, output := newSite(t, 3, 2, nil)
	account := activitytest.BuildCluster(t, s.Site)
	assert.Equal(t, account, activitytest.BuildCluster(t, s.Site))

	effects := fake.effects
	assert.Equal(t, []string{
		"init cp-0000000b", "admit cp-0000000c by cp-0000000b", "join cp-0000000c", "admit cp-0000000d by cp-0000000b",
		"join cp-0000000d",
	}, effects[:5])
	assert.ElementsMatch(t, []string{"join worker-00000015", "join worker-00000016"}, effects[5:])
	assert.Empty(t, fake.tokens, "no token is left")
	assert.False(t, fake.shared)
	assert.Equal(t, "https://10.0.0.10:16443", account.ServerURL)
	assert.Equal(t, fake.ca, account.CACert)
	assert.Equal(t, []string{"header.payload.signature"}, secrets.Ending("bearer_token"))
	for _, node := range fake.nodes {
		assert.Empty(t, node.files, "no token file is left")
	}
	assert.Contains(t, fake.notes["labels"], "cp-0000000b CIS-node=compute-1 kubernetes.io/zone=az-1")
	assertNoSecret(t, fake, secrets, output)
}

// assertNoSecret checks that no secret is in the process lists of nodes or in Windlass's step log.
func assertNoSecret(t *testing.T, fake *fakeSite, secrets *memorySecrets, output *logOutput) {
	t.Helper()
	for ref, secret := range secrets.Values {
		assert.NotContains(t, strings.Join(output.Shown, "\n"), secret, ref)
		for _, cmd := range fake.ran {
			assert.NotContains(t, cmd.Script, secret, ref)
			assert.NotContains(t, cmd.ID, secret, ref)
			if strings.Contains(string(cmd.Stdin), secret) {
				assert.Contains(t, cmd.Mask, secret)
			}
		}
	}
	assert.NotContains(t, strings.Join(output.Shown, "\n"), "windlass-result")
}

func TestCluster_ofOneControlPlaneHasNoVirtualIP(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 1, nil)
	account := activitytest.BuildCluster(t, s.Site)
	assert.Equal(t, "https://10.0.0.11:6443", account.ServerURL)
	assert.Contains(t, fake.notes["init"], `controlPlaneEndpoint: "10.0.0.11:6443"`)
	assert.NotContains(t, fake.notes["join worker-00000015"], "controlPlane:")
}

func TestConfigureLoadBalancer_givesOneMasterAndFallingPriorities(t *testing.T) {
	s, fake, secrets, _ := newSite(t, 3, 0, nil)
	activitytest.BuildCluster(t, s.Site)
	for i, name := range []string{"cp-0000000b", "cp-0000000c", "cp-0000000d"} {
		conf := fake.notes[name+" keepalived"]
		assert.Contains(t, conf, []string{"priority 103", "priority 102", "priority 101"}[i])
		assert.Equal(t, i == 0, strings.Contains(conf, "state MASTER"))
		assert.Contains(t, conf, secrets.Ending("vrrp_password")[0])
		assert.Equal(t, fake.notes["cp-0000000b haproxy"], fake.notes[name+" haproxy"])
	}
	assert.Len(t, secrets.Ending("vrrp_password")[0], 8)
}

func TestInitControlPlane_certifiesEveryAddress(t *testing.T) {
	s, fake, _, _ := newSite(t, 3, 0, func(p *k8s.Params) {
		p.MasterNode.PodCIDR,
			p.KubernetesVersion = "192.168.3.0/24", "1.33.6"
	})
	cluster, controlPlanes := &kubecluster.Activities{Reach: s.Reach}, s.Nodes
	must(t, cluster.InitControlPlane, kubecluster.InitControlPlaneInput{
		NodeInput: s.Tracked(controlPlanes[0]), ControlPlanes: controlPlanes, VirtualIP: s.VirtualIP,
		PublicAddress: "203.0.113.7", NodeCount: 5,
	})
	for _, san := range []string{"10.0.0.10", "203.0.113.7", "10.0.0.11", "10.0.0.13", "cp-0000000d", "198.51.100.12"} {
		assert.Contains(t, fake.notes["init"], `- "`+san+`"`)
	}
	assert.Contains(t, fake.notes["init"], `kubernetesVersion: "v1.33.6"`)
	assert.Contains(t, fake.notes["init"], `value: "27"`, "a small pod network is shared among five nodes")
}

func TestInitControlPlane_namesABadFileOfThePackage(t *testing.T) {
	s, _, _, _ := newSite(t, 1, 0, func(p *k8s.Params) { p.KubeadmConfigPath = "Files/bad.yaml" })
	_, err := do(t, (&kubecluster.Activities{Reach: s.Reach}).InitControlPlane, kubecluster.InitControlPlaneInput{
		NodeInput: s.Tracked(s.Nodes[0]), ControlPlanes: s.Nodes, NodeCount: 1,
	})
	assertKind(t, err, lcm.KindInvalid, "Files/bad.yaml")
}

func TestJoinControlPlane_goesToTheNextControlPlaneThatAnswers(t *testing.T) {
	s, fake, _, _ := newSite(t, 3, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	join := must(t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster(), ForControlPlanes: true})
	fake.fail["dial cp-0000000b"] = []error{lcm.Errorf(lcm.KindUnavailable, "away")}
	must(t, cluster.JoinControlPlane, kubecluster.JoinControlPlaneInput{
		NodeInput: s.Tracked(s.Nodes[2]), ControlPlanes: s.Nodes, VirtualIP: s.VirtualIP, Join: join,
	})
	assert.Equal(t, []string{"admit cp-0000000d by cp-0000000c", "join cp-0000000d"}, fake.effects)
}

func TestMintJoin_isFreshForEachStepAndTheSameForItsRetries(t *testing.T) {
	s, _, secrets, _ := newSite(t, 1, 1, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	out := must(t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster()})
	assert.Regexp(t, `^[a-z0-9]{6}\.[a-z0-9]{16}$`, secrets.Values[out.TokenRef])
	assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, out.CACertHash)
	assert.Empty(t, out.CertificateKeyRef)
	assert.Equal(t, out, must(t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster()}))
}

func TestWaitForSSH_waitsForSlowBootsAndForUsersThatCloudInitMakes(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, nil)
	away, denied := lcm.Errorf(lcm.KindUnavailable, "away"), lcm.Errorf(lcm.KindDenied, "no such user")
	fake.fail["dial cp-0000000b"] = []error{away, away, denied, away, denied}
	must(t, (&kubenode.Activities{Reach: s.Reach}).WaitForSSH, s.Tracked(s.Nodes[0]))
}

func TestWaitForSSH_givesUpWithASentence(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		kind lcm.Kind
		says string
	}{
		"never answers": {
			lcm.Errorf(lcm.KindUnavailable, "cp-0000000b: is away on SSH port 22; look there"), lcm.KindBroken,
			"did not answer on SSH within 10m0s: is away on SSH port 22. Look at the VM's console",
		},
		"wrong credentials": {lcm.Errorf(lcm.KindDenied, "refused"), lcm.KindDenied, "refused. If they are wrong in " +
			"the request, roll back and correct the request"},
		"other trouble": {lcm.Errorf(lcm.KindNotFound, "no VIM"), lcm.KindNotFound, "no VIM"},
	} {
		t.Run(name, func(t *testing.T) {
			s, fake, _, _ := newSite(t, 1, 0, nil)
			for range 1000 {
				fake.fail["dial cp-0000000b"] = append(fake.fail["dial cp-0000000b"], c.err)
			}
			clock := time.Now()
			s.Reach.Now = func() time.Time { clock = clock.Add(10 * time.Second); return clock }
			_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).WaitForSSH, s.Tracked(s.Nodes[0]))
			assertKind(t, err, c.kind, c.says)
		})
	}
}

func TestWaitForSSH_letsSlowCloudsRefuseLonger(t *testing.T) {
	refusals := func(limit int) int {
		s, fake, _, _ := newSite(t, 1, 0, func(p *k8s.Params) { p.Timeouts.SSH = limit })
		for range 1000 {
			fake.fail["dial cp-0000000b"] = append(fake.fail["dial cp-0000000b"], lcm.Errorf(lcm.KindDenied, "refused"))
		}
		clock := time.Now()
		s.Reach.Now = func() time.Time { clock = clock.Add(10 * time.Second); return clock }
		_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).WaitForSSH, s.Tracked(s.Nodes[0]))
		assertKind(t, err, lcm.KindDenied, "refused")
		return 1000 - len(fake.fail["dial cp-0000000b"])
	}
	assert.Equal(t, 4, refusals(30), "never longer than the whole limit")
	assert.Equal(t, 7, refusals(300), "at least a minute")
	assert.Equal(t, 37, refusals(1800), "a fifth of the limit")
}

func TestCheckNode_namesTheLimitThatASlowNodeNeeds(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, func(p *k8s.Params) { p.Timeouts.Command = 400 })
	fake.fail["check-node"] = []error{lcm.Wrap(lcm.KindBroken, remote.ErrDeadline, "the script did not end")}
	_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	assertKind(t, err, lcm.KindBroken, "give a larger timeouts.command")
	require.Len(t, fake.ran, 1)
	assert.Equal(t, 400*time.Second, fake.ran[0].Deadline)
}

func TestPrepareNode_waitsForCloudInitForAShareOfItsTime(t *testing.T) {
	for install, lock := range map[int]string{60: "60", 900: "600", 2700: "1350"} {
		s, fake, _, _ := newSite(t, 1, 0, func(p *k8s.Params) { p.Timeouts.Install = install })
		must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode, kubenode.PrepareNodeInput{
			NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes),
		})
		assert.Contains(t, fake.ran[0].Script, "\nLOCK_FOR='"+lock+"'\n")
	}
}

func TestCheckNode_reportsAllProblemsOfANode(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, func(p *k8s.Params) { p.MasterNode.PodCIDR = "10.0.0.0/16" })
	fake.replies["check-node"] = results("problem", "cG9ydCA2NDQzIGlzIGluIHVzZQ==", "problem", "bm8gc3lzdGVtZA==")
	_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	assertKind(t, err, lcm.KindBroken,
		"cp-0000000b cannot become a node: port 6443 is in use; no systemd; its address 10.0.0.11 lies in pod_cidr")
}

func TestCheckNode_findsANodeOfAnotherFamily(t *testing.T) {
	s, _, _, _ := newSite(t, 1, 0, func(p *k8s.Params) {
		p.MasterNode.PodCIDR, p.MasterNode.ServiceCIDR = "fd00:10:244::/56", "fd00:96::/112"
	})
	_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	assertKind(t, err, lcm.KindBroken, "its address 10.0.0.11 is IPv4, but cluster_cidr fd00:96::/112 is IPv6")
}

func TestCheckNode_forgivesASlowNodeButNotAWrongClock(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, nil)
	begun := time.Now()
	s.Reach.Now = func() time.Time { return begun.Add(10 * time.Minute) } // the time when the answer comes
	check := func(clock time.Time) error {
		fake.notes["clock"] = strconv.FormatInt(clock.Unix(), 10)
		_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
		return err
	}
	require.NoError(t, check(begun.Add(time.Second)), "it looked at once, and its answer took long")
	require.NoError(t, check(begun.Add(9*time.Minute)), "it took long to look")
	assertKind(t, check(begun.Add(-90*time.Second)), lcm.KindBroken, "s off; set up time synchronisation")
	assertKind(t, check(begun.Add(12*time.Minute)), lcm.KindBroken, "its clock is 120 s off")
	fake.notes["clock"] = "noon"
	_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	assertKind(t, err, lcm.KindBroken, `its clock cannot be read: it says "noon"`)
}

func TestCheckNode_callsAFullDiskExhausted(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, nil)
	const full, other = "dGhlIGRpc2sgaXMgbmVhcmx5IGZ1bGw=", "bm8gc3lzdGVtZA=="
	fake.replies["check-node"] = results("shortage", full)
	_, err := do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	assertKind(t, err, lcm.KindExhausted, "the disk is nearly full")

	fake.replies["check-node"] = results("problem", other, "shortage", full)
	_, err = do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	assertKind(t, err, lcm.KindBroken, "no systemd; the disk is nearly full")
}

func TestPrepareNode_hidesTheProxysPasswordAndKeepsNetworksWhole(t *testing.T) {
	s, fake, secrets, output := newSite(t, 1, 1, func(p *k8s.Params) {
		p.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Ref: "r"}, NoProxy: "example.com, ", K8sNodeCIDR: "10.0.0.0/16"}
		p.AptRepository = &k8s.AptRepository{
			URL: "http://packages.example.com/k8s", Suite: "/", KeyPath: "Files/key.asc", Version: "1.34.4-1.1",
		}
	})
	secrets.Values["r"] = "http://user:hunter2@proxy.example.com:3128"
	in := kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)}
	out := must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode, in)
	assert.Equal(t, "v1.34.4", out.Kubeadm)
	script := fake.ran[0].Script
	assert.Contains(t, script, "NO_PROXY_LIST='example.com,127.0.0.1,::1,localhost,.svc,.cluster.local,192.168.0.0/16,10.96.0.0/12,10.0.0.0/16,10.0.0.11,10.0.0.21'")
	assert.Contains(t, script, "HOSTS='10.0.0.11 cp-0000000b,10.0.0.21 worker-00000015'")
	assert.Contains(t, script, "SOURCE='http://packages.example.com/k8s /'")
	assert.Equal(t, "KEY", readStdin(fake.ran[0].Stdin)["apt_key"])
	assertNoSecret(t, fake, secrets, output)
}

func TestWaitForVirtualIP_saysWhatIsWrongWithIt(t *testing.T) {
	for name, c := range map[string]struct {
		replies []string
		says    string
	}{
		"two holders": {results("held", "yes", "answers", "yes"), "hold the virtual IP 10.0.0.10 at once"},
		"no holder":   {results("held", "no", "answers", "no"), "No control plane holds"},
	} {
		t.Run(name, func(t *testing.T) {
			s, fake, _, _ := newSite(t, 3, 0, nil)
			fake.replies["find-virtual-ip"] = c.replies
			clock := time.Now()
			s.Reach.Now = func() time.Time { clock = clock.Add(10 * time.Second); return clock }
			_, err := do(t, (&balancer.Activities{Reach: s.Reach}).WaitForVirtualIP,
				balancer.VirtualIPInput{ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP})
			assertKind(t, err, lcm.KindBroken, c.says)
		})
	}
}

func TestCreateVimAccount_takesTheTokenAwayEvenWhenItCannotBeRead(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, nil)
	s.Reach.Secrets = brokenVault{}
	_, err := do(t, (&kubecluster.Activities{Reach: s.Reach}).CreateVimAccount,
		kubecluster.VimAccountInput{ClusterInput: s.Cluster()})
	assertKind(t, err, lcm.KindUnavailable, "database")
	assert.Empty(t, fake.nodes["cp-0000000b"].files)
}

func TestCreateVimAccount_prefersTheFloatingIP(t *testing.T) {
	s, _, _, _ := newSite(t, 3, 0, nil)
	out := must(t, (&kubecluster.Activities{Reach: s.Reach}).CreateVimAccount, kubecluster.VimAccountInput{
		ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP, PublicAddress: "203.0.113.7",
	})
	assert.Equal(t, "https://203.0.113.7:16443", out.ServerURL)
}

// TestRun_givesACommandOneIdForAllItsTries checks that a retry by Temporal uses the same id, so that it finds the
// command of the attempt before.
func TestRun_givesACommandOneIdForAllItsTries(t *testing.T) {
	s, fake, _, _ := newSite(t, 1, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	fake.fail["apply-manifest"] = []error{lcm.Errorf(lcm.KindUnavailable, "cut")}
	_, err := do(t, cluster.ApplyPodNetwork, s.Cluster())
	assertKind(t, err, lcm.KindUnavailable, "cut")
	must(t, cluster.ApplyPodNetwork, s.Cluster())
	assert.Equal(t, fake.ran[0].ID, fake.ran[1].ID)
	assert.Regexp(t, `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`, fake.ran[0].ID)
	assert.Equal(t, "kind: DaemonSet", fake.notes["manifest"])
}

type brokenVault struct{ reach.Secrets }

func (brokenVault) Put(context.Context, lcm.SecretRef, string) error {
	return lcm.Errorf(lcm.KindUnavailable, "The database does not answer.")
}

var _ reach.Host = (*remote.Host)(nil)

func TestLocateVirtualIP_asksThoseThatAnswer(t *testing.T) {
	s, fake, _, _ := newSite(t, 3, 0, nil)
	balancers, in := &balancer.Activities{Reach: s.Reach},
		balancer.VirtualIPInput{ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP}
	fake.fail["find-virtual-ip"] = []error{
		lcm.Errorf(lcm.KindUnavailable, "it is dead"), nil,
		lcm.Errorf(lcm.KindUnavailable, "it is dead"),
	}
	fake.replies["find-virtual-ip"] = results("held", "yes", "answers", "yes")
	out := must(t, balancers.LocateVirtualIP, in)
	assert.NotEmpty(t, out.Holder)

	fake.fail["find-virtual-ip"] = []error{
		lcm.Errorf(lcm.KindUnavailable, "dead"),
		lcm.Errorf(lcm.KindUnavailable, "dead"), lcm.Errorf(lcm.KindUnavailable, "dead"),
	}
	out = must(t, balancers.LocateVirtualIP, in)
	assert.Empty(t, out.Holder, "nobody answers, and that is no failure")
}
