package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestSummary_needsAnotherRequestIfOneErrorDoes checks that a retry is not offered first when it cannot help one node.
func TestSummary_needsAnotherRequestIfOneErrorDoes(t *testing.T) {
	broken := lcm.Errorf(lcm.KindBroken, "cp-1: the disk is full")
	refused := lcm.Errorf(lcm.KindDenied, "worker-1: the password is refused")
	refused.OtherRequest = true
	require.True(t, summary([]error{broken, refused}, "2 of 3 nodes failed.").NeedsRequest())
	require.False(t, summary([]error{broken, broken}, "2 of 3 nodes failed.").NeedsRequest())
}
