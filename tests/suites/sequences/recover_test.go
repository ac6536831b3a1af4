package sequences

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// recover does what the operations guide recommends after an operation became FAILED. It requires that the VNF records
// what exists, heals what a check for drift finds, and scales the VNF back to a level.
func (s *sequence) recover(t *testing.T) {
	t.Helper()
	s.bed.RequireRecorded(t, s.vnf)
	for range mostRounds {
		controlPlanes, workers, whole := s.outOfOrder(t)
		switch {
		case whole:
			s.mend(t, "heal all", s.bed.Heal(t, s.vnf))
		case len(controlPlanes) > 0: // one by one: etcd must keep its quorum
			s.mend(t, "heal a control plane", s.bed.Heal(t, s.vnf, controlPlanes[0]))
		case len(workers) > 0:
			s.mend(t, "heal workers", s.bed.Heal(t, s.vnf, workers...))
		default:
			s.backToALevel(t)
			return
		}
	}
	require.FailNow(t, "the VNF is not mended", "%v", s.bed.CheckDrift(t, s.vnf))
}

// mostRounds is more than a cluster of this size needs, even if every node has a defect.
const mostRounds = 10

func (s *sequence) mend(t *testing.T, what, op string) {
	t.Helper()
	s.tell("  to recover: %s", what)
	s.bed.Await(t, op, patience, "COMPLETED")
}

// outOfOrder returns the VNFCs that a check for drift finds to be defective, by their roles. whole is set when the
// entire VNF must be healed.
func (s *sequence) outOfOrder(t *testing.T) (controlPlanes, workers []string, whole bool) {
	t.Helper()
	vdus := s.bed.Vnfcs(t, s.vnf)
	for _, f := range s.bed.CheckDrift(t, s.vnf).Findings {
		s.tell("  drift: %s %s (%s)", f.Kind, f.Detail, f.Remedy)
		whole = whole || f.Remedy == lcm.RemedyVnf
		id := f.VnfcInstanceID
		if f.Remedy != lcm.RemedyVnfc && f.Kind != lcm.DriftNodeCordoned || id == "" {
			continue
		}
		into := &workers
		if vdus[id] == "masterNode" {
			into = &controlPlanes
		}
		if !slices.Contains(*into, id) {
			*into = append(*into, id)
		}
	}
	return controlPlanes, workers, whole
}

// backToALevel scales to the level that is nearest to the current size. If the VNF already is at that level, it heals a
// worker instead, which also updates /etc/hosts on every node.
func (s *sequence) backToALevel(t *testing.T) {
	t.Helper()
	have := s.bed.Count(t, s.vnf)
	s.size = testbed.Sizes{
		ControlPlanes: min(max(have.ControlPlanes-1+have.ControlPlanes%2, testbed.Smallest.ControlPlanes),
			most.ControlPlanes),
		Workers: min(max(have.Workers, testbed.Smallest.Workers), most.Workers),
	}
	if s.size != have {
		s.mend(t, "scale to a level", s.bed.ScaleTo(t, s.vnf, s.size))
		return
	}
	s.mend(t, "heal a worker", s.bed.Heal(t, s.vnf, s.some(t, "workerNode", 1)...))
}
