package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestProblems_capsEveryTimeoutAtTwoHours(t *testing.T) {
	found := func(seconds int) (paths []string) {
		p := lcm.ClusterParams{Timeouts: lcm.TimeoutParams{
			Stack: seconds, SSH: seconds, Login: seconds, Command: seconds, Install: seconds, VirtualIP: seconds, Join: seconds, NodeReady: seconds,
		}}
		for _, problem := range p.Problems(1, 0) {
			if problem.Detail == "must be between 1 and 7200 seconds, not 7201." {
				paths = append(paths, problem.Path)
			}
		}
		return paths
	}
	assert.Empty(t, found(7200))
	assert.Len(t, found(7201), 8)
}
