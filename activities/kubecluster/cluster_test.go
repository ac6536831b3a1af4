package kubecluster_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

func TestCluster_builtTwiceIsBuiltOnce(t *testing.T) {
	s, fake, secrets, output := activitytest.NewFake(t, 3, 2, nil)
	account := activitytest.BuildCluster(t, s)
	assert.Equal(t, account, activitytest.BuildCluster(t, s))

	effects := fake.Effects
	assert.Equal(t, []string{
		"init cp-0000000b", "admit cp-0000000c by cp-0000000b", "join cp-0000000c", "admit cp-0000000d by cp-0000000b",
		"join cp-0000000d",
	}, effects[:5])
	assert.ElementsMatch(t, []string{"join worker-00000015", "join worker-00000016"}, effects[5:])
	assert.Empty(t, fake.Tokens, "no token is left")
	assert.False(t, fake.Shared)
	assert.Equal(t, "https://10.0.0.10:16443", account.ServerURL)
	assert.Equal(t, fake.Ca, account.CACert)
	assert.Equal(t, []string{"header.payload.signature"}, secrets.Ending("bearer_token"))
	for _, node := range fake.Nodes {
		assert.Empty(t, node.Files, "no token file is left")
	}
	assert.Contains(t, fake.Notes["labels"], "cp-0000000b CIS-node=compute-1 kubernetes.io/zone=az-1")
	activitytest.AssertNoSecret(t, fake, secrets, output)
}

func TestCluster_ofOneControlPlaneHasNoVirtualIP(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 1, nil)
	account := activitytest.BuildCluster(t, s)
	assert.Equal(t, "https://10.0.0.11:6443", account.ServerURL)
	assert.Contains(t, fake.Notes["init"], `controlPlaneEndpoint: "10.0.0.11:6443"`)
	assert.NotContains(t, fake.Notes["join worker-00000015"], "controlPlane:")
}

func TestInitControlPlane_certifiesEveryAddress(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 3, 0, func(p *k8s.Params) {
		p.MasterNode.PodCIDR,
			p.KubernetesVersion = "192.168.3.0/24", "1.33.6"
	})
	cluster, controlPlanes := &kubecluster.Activities{Reach: s.Reach}, s.Nodes
	activitytest.Must(t, cluster.InitControlPlane, kubecluster.InitControlPlaneInput{
		NodeInput: s.Tracked(controlPlanes[0]), ControlPlanes: controlPlanes, VirtualIP: s.VirtualIP,
		PublicAddress: "203.0.113.7", NodeCount: 5,
	})
	for _, san := range []string{"10.0.0.10", "203.0.113.7", "10.0.0.11", "10.0.0.13", "cp-0000000d", "198.51.100.12"} {
		assert.Contains(t, fake.Notes["init"], `- "`+san+`"`)
	}
	assert.Contains(t, fake.Notes["init"], `kubernetesVersion: "v1.33.6"`)
	assert.Contains(t, fake.Notes["init"], `value: "27"`, "a small pod network is shared among five nodes")
}

func TestInitControlPlane_namesABadFileOfThePackage(t *testing.T) {
	s, _, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) { p.KubeadmConfigPath = "Files/bad.yaml" })
	_, err := activitytest.Do(
		t, (&kubecluster.Activities{Reach: s.Reach}).InitControlPlane,
		kubecluster.InitControlPlaneInput{
			NodeInput: s.Tracked(s.Nodes[0]), ControlPlanes: s.Nodes, NodeCount: 1,
		},
	)
	activitytest.AssertKind(t, err, lcm.KindInvalid, "Files/bad.yaml")
}

func TestJoinControlPlane_goesToTheNextControlPlaneThatAnswers(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 3, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	join := activitytest.Must(
		t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster(), ForControlPlanes: true},
	)
	fake.Fail["dial cp-0000000b"] = []error{lcm.Errorf(lcm.KindUnavailable, "away")}
	activitytest.Must(t, cluster.JoinControlPlane, kubecluster.JoinControlPlaneInput{
		NodeInput: s.Tracked(s.Nodes[2]), ControlPlanes: s.Nodes, VirtualIP: s.VirtualIP, Join: join,
	})
	assert.Equal(t, []string{"admit cp-0000000d by cp-0000000c", "join cp-0000000d"}, fake.Effects)
}

func TestMintJoin_isFreshForEachStepAndTheSameForItsRetries(t *testing.T) {
	s, _, secrets, _ := activitytest.NewFake(t, 1, 1, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	out := activitytest.Must(t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster()})
	assert.Regexp(t, `^[a-z0-9]{6}\.[a-z0-9]{16}$`, secrets.Values[out.TokenRef])
	assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, out.CACertHash)
	assert.Empty(t, out.CertificateKeyRef)
	assert.Equal(t, out, activitytest.Must(t, cluster.MintJoin, kubecluster.MintJoinInput{ClusterInput: s.Cluster()}))
}

func TestCreateVimAccount_takesTheTokenAwayEvenWhenItCannotBeRead(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	s.Reach.Secrets = brokenVault{}
	_, err := activitytest.Do(t, (&kubecluster.Activities{Reach: s.Reach}).CreateVimAccount,
		kubecluster.VimAccountInput{ClusterInput: s.Cluster()})
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "database")
	assert.Empty(t, fake.Nodes["cp-0000000b"].Files)
}

func TestCreateVimAccount_prefersTheFloatingIP(t *testing.T) {
	s, _, _, _ := activitytest.NewFake(t, 3, 0, nil)
	out := activitytest.Must(t, (&kubecluster.Activities{Reach: s.Reach}).CreateVimAccount, kubecluster.VimAccountInput{
		ClusterInput: s.Cluster(), VirtualIP: s.VirtualIP, PublicAddress: "203.0.113.7",
	})
	assert.Equal(t, "https://203.0.113.7:16443", out.ServerURL)
}

// TestRun_givesACommandOneIdForAllItsTries checks that a retry by Temporal uses the same id, so that it finds the
// command of the attempt before.
func TestRun_givesACommandOneIdForAllItsTries(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, nil)
	cluster := &kubecluster.Activities{Reach: s.Reach}
	fake.Fail["apply-manifest"] = []error{lcm.Errorf(lcm.KindUnavailable, "cut")}
	_, err := activitytest.Do(t, cluster.ApplyPodNetwork, s.Cluster())
	activitytest.AssertKind(t, err, lcm.KindUnavailable, "cut")
	activitytest.Must(t, cluster.ApplyPodNetwork, s.Cluster())
	assert.Equal(t, fake.Ran[0].ID, fake.Ran[1].ID)
	assert.Regexp(t, `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`, fake.Ran[0].ID)
	assert.Equal(t, "kind: DaemonSet", fake.Notes["manifest"])
}

type brokenVault struct{ reach.Secrets }

func (brokenVault) Put(context.Context, lcm.SecretRef, string) error {
	return lcm.Errorf(lcm.KindUnavailable, "The database does not answer.")
}

var _ reach.Host = (*remote.Host)(nil)
