package fake_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// slowJoin returns a lab with a cluster of one control plane, which a second one joins for an hour.
func slowJoin(t *testing.T) (l *lab, endpoint string, joined chan error) {
	l = newLab(t, fake.Options{})
	l.boot("cp-1")
	l.boot("cp-2")
	endpoint = l.address["cp-1"] + ":6443"
	l.initialise("cp-1", endpoint)
	l.mint("cp-1")
	l.hypervisor.SetPace(0, func(script string) time.Duration {
		if script == "kubeadm-join" {
			return time.Hour
		}
		return 0
	})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	joined = make(chan error, 1)
	go func() { joined <- l.join(ctx, "cp-2", endpoint) }()
	require.Eventually(t, func() bool { return len(l.cluster().EtcdMembers) == 2 }, time.Minute, time.Millisecond)
	return l, endpoint, joined
}

func TestCheckMember_isBusyWhileAJoinRunsAndAdmitThenDoesHarm(t *testing.T) {
	l, _, _ := slowJoin(t)
	require.Equal(t, "busy", l.must("cp-2", scripts.CheckMember{Member: l.member("cp-2"), Timeout: 1}).Get("state"))
	require.Empty(t, l.cluster().Violations)
	l.must("cp-1", scripts.AdmitMember{Member: l.member("cp-1"), Joining: "cp-2", PeerURL: "https://" + l.address["cp-2"] +
		":2380", Timeout: 1})
	require.Equal(t, []string{"cp-1 removed the etcd member of cp-2 while its join runs"}, l.cluster().Violations)
}

func TestKubeadmJoin_stopsThatOfAnEarlierTry(t *testing.T) {
	l, endpoint, joined := slowJoin(t)
	l.hypervisor.SetPace(0, nil)
	script, config := l.joinScript("cp-2", endpoint)
	text, err := script.Render()
	require.NoError(t, err)
	again := func(id string) error {
		_, err := l.dial("cp-2").Run(t.Context(), remote.Command{
			ID: id, Script: text, Stdin: scripts.Stdin(config), Sudo: true,
		})
		return err
	}
	err = again("later-try")
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "has been stopped")
	require.Error(t, <-joined)

	require.Equal(t, "half", l.must("cp-2", scripts.CheckMember{Member: l.member("cp-2"), Timeout: 1}).Get("state"))
	l.must("cp-1", scripts.AdmitMember{Member: l.member("cp-1"), Joining: "cp-2", PeerURL: "https://" + l.address["cp-2"] +
		":2380", Timeout: 1})
	require.NoError(t, again("later-try"))
	require.Empty(t, l.cluster().Violations)
}
