package k8s_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestProblems_capsEveryTimeoutAtTwoHours(t *testing.T) {
	found := func(seconds int) (paths []string) {
		p := k8s.Params{Timeouts: k8s.TimeoutParams{
			Stack: seconds, SSH: seconds, Login: seconds, Command: seconds, Install: seconds, VirtualIP: seconds,
			Join: seconds, NodeReady: seconds, Drain: seconds, VolumeDetach: 1,
		}}
		for _, problem := range p.Problems(1, 0) {
			if problem.Detail == "must be between 1 and 7200 seconds, not 7201." {
				paths = append(paths, problem.Path)
			}
		}
		return paths
	}
	assert.Empty(t, found(7200))
	assert.Len(t, found(7201), 9)
}

func TestProblems_boundsWhatFollowsADrain(t *testing.T) {
	p, err := parsed([]byte(`{"k8s_cluster_installation_param": {"timeouts": {"volume_detach": 1801}, "drain_policy": "hope"}}`))
	require.NoError(t, err)
	problems := p.Problems(1, 0)
	assert.Contains(t, problems, lcm.Problem{
		Path:   "$.additionalParams.k8s_cluster_installation_param.timeouts.volume_detach",
		Detail: "must be between 1 and 1800 seconds, not 1801.",
	})
	assert.Contains(t, problems, lcm.Problem{
		Path:   "$.additionalParams.k8s_cluster_installation_param.drain_policy",
		Detail: `must be "fail" or "force", not "hope".`,
	})
}

func TestParseClusterParams_readsHowNodesAreDrained(t *testing.T) {
	p, err := parsed([]byte(`{"k8s_cluster_installation_param": {"timeouts": {"drain": "30"}, "drain_policy": "force"}}`))
	require.NoError(t, err)
	assert.Equal(t, k8s.DrainForce, p.DrainPolicy)
	assert.Equal(t, 30, p.Timeouts.Drain)
	assert.Equal(t, 120, p.Timeouts.VolumeDetach)
	p, err = parsed([]byte(`{"k8s_cluster_installation_param": {}}`))
	require.NoError(t, err)
	assert.Equal(t, k8s.DrainFail, p.DrainPolicy)
}
