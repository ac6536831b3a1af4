package kubenode_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

func TestWaitForSSH_waitsForSlowBootsAndForUsersThatCloudInitMakes(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	away, denied := lcm.Errorf(lcm.KindUnavailable, "away"), lcm.Errorf(lcm.KindDenied, "no such user")
	fake.Fail["dial cp-0000000b"] = []error{away, away, denied, away, denied}
	activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).WaitForSSH, s.Tracked(s.Nodes[0]))
}

func TestWaitForSSH_givesUpWithASentence(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		kind lcm.ErrorKind
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
			s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
			for range 1000 {
				fake.Fail["dial cp-0000000b"] = append(fake.Fail["dial cp-0000000b"], c.err)
			}
			clock := time.Now()
			s.Reach.Now = func() time.Time { clock = clock.Add(10 * time.Second); return clock }
			_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).WaitForSSH, s.Tracked(s.Nodes[0]))
			activitytest.AssertKind(t, err, c.kind, c.says)
		})
	}
}

func TestWaitForSSH_letsSlowCloudsRefuseLonger(t *testing.T) {
	refusals := func(limit int) int {
		s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) { p.Timeouts.SSH = limit })
		for range 1000 {
			fake.Fail["dial cp-0000000b"] = append(fake.Fail["dial cp-0000000b"], lcm.Errorf(lcm.KindDenied, "refused"))
		}
		clock := time.Now()
		s.Reach.Now = func() time.Time { clock = clock.Add(10 * time.Second); return clock }
		_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).WaitForSSH, s.Tracked(s.Nodes[0]))
		activitytest.AssertKind(t, err, lcm.KindDenied, "refused")
		return 1000 - len(fake.Fail["dial cp-0000000b"])
	}
	assert.Equal(t, 4, refusals(30), "never longer than the whole limit")
	assert.Equal(t, 7, refusals(300), "at least a minute")
	assert.Equal(t, 37, refusals(1800), "a fifth of the limit")
}

func TestCheckNode_namesTheLimitThatASlowNodeNeeds(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) { p.Timeouts.Command = 400 })
	fake.Fail["check-node"] = []error{lcm.Wrap(lcm.KindBroken, remote.ErrDeadline, "the script did not end")}
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindBroken, "give a larger timeouts.command")
	require.Len(t, fake.Ran, 1)
	assert.Equal(t, 400*time.Second, fake.Ran[0].Deadline)
}

func TestPrepareNode_waitsForCloudInitForAShareOfItsTime(t *testing.T) {
	for install, lock := range map[int]string{60: "60", 900: "600", 2700: "1350"} {
		s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) { p.Timeouts.Install = install })
		activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode, kubenode.PrepareNodeInput{
			NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes),
		})
		assert.Contains(t, fake.Ran[0].Script, "\nLOCK_FOR='"+lock+"'\n")
	}
}

func TestCheckNode_reportsAllProblemsOfANode(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) { p.MasterNode.PodCIDR = "10.0.0.0/16" })
	fake.Replies["check-node"] = activitytest.Results(
		"problem", "cG9ydCA2NDQzIGlzIGluIHVzZQ==", "problem", "bm8gc3lzdGVtZA==",
	)
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindBroken,
		"cp-0000000b cannot become a node: port 6443 is in use; no systemd; its address 10.0.0.11 lies in pod_cidr")
}

func TestCheckNode_findsANodeOfAnotherFamily(t *testing.T) {
	s, _, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) {
		p.MasterNode.PodCIDR, p.MasterNode.ServiceCIDR = "fd00:10:244::/56", "fd00:96::/112"
	})
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(
		t, err, lcm.KindBroken, "its address 10.0.0.11 is IPv4, but cluster_cidr fd00:96::/112 is IPv6",
	)
}

func TestCheckNode_forgivesASlowNodeButNotAWrongClock(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	begun := time.Now()
	s.Reach.Now = func() time.Time { return begun.Add(10 * time.Minute) } // the time when the answer comes
	check := func(clock time.Time) error {
		fake.Notes["clock"] = strconv.FormatInt(clock.Unix(), 10)
		_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
		return err
	}
	require.NoError(t, check(begun.Add(time.Second)), "it looked at once, and its answer took long")
	require.NoError(t, check(begun.Add(9*time.Minute)), "it took long to look")
	activitytest.AssertKind(t, check(begun.Add(-90*time.Second)), lcm.KindBroken, "s off; set up time synchronisation")
	activitytest.AssertKind(t, check(begun.Add(12*time.Minute)), lcm.KindBroken, "its clock is 120 s off")
	fake.Notes["clock"] = "noon"
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindBroken, `its clock cannot be read: it says "noon"`)
}

func TestCheckNode_callsAFullDiskExhausted(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	const full, other = "dGhlIGRpc2sgaXMgbmVhcmx5IGZ1bGw=", "bm8gc3lzdGVtZA=="
	fake.Replies["check-node"] = activitytest.Results("shortage", full)
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindExhausted, "the disk is nearly full")

	fake.Replies["check-node"] = activitytest.Results("problem", other, "shortage", full)
	_, err = activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).CheckNode, s.Tracked(s.Nodes[0]))
	activitytest.AssertKind(t, err, lcm.KindBroken, "no systemd; the disk is nearly full")
}

func TestPrepareNode_hidesTheProxysPasswordAndKeepsNetworksWhole(t *testing.T) {
	s, fake, secrets, output := activitytest.NewFake(t, 1, 1, func(p *k8s.Params) {
		p.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Ref: "r"}, NoProxy: "example.com, ", K8sNodeCIDR: "10.0.0.0/16"}
		p.AptRepository = &k8s.AptRepository{
			URL: "http://packages.example.com/k8s", Suite: "/", KeyPath: "Files/key.asc", Version: "1.34.4-1.1",
		}
	})
	secrets.Values["r"] = "http://user:hunter2@proxy.example.com:3128"
	in := kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)}
	out := activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode, in)
	assert.Equal(t, "v1.34.4", out.Kubeadm)
	script := fake.Ran[0].Script
	assert.Contains(
		t,
		script,
		"NO_PROXY_LIST='example.com,127.0.0.1,::1,localhost,.svc,.cluster.local,192.168.0.0/16,10.96.0.0/12,10.0.0.0/16,10.0.0.11,10.0.0.21'",
	)
	assert.Contains(t, script, "HOSTS='10.0.0.11 cp-0000000b,10.0.0.21 worker-00000015'")
	assert.Contains(t, script, "SOURCE='http://packages.example.com/k8s /'")
	assert.Equal(t, "KEY", activitytest.ReadStdin(fake.Ran[0].Stdin)["apt_key"])
	activitytest.AssertNoSecret(t, fake, secrets, output)
}
