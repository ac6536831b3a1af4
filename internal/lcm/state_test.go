package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestOperation_onlyAnInstantiationIsRolledBack(t *testing.T) {
	t.Parallel()
	assert.True(t, lcm.OpInstantiate.CanRollBack())
	assert.False(t, lcm.OpTerminate.CanRollBack())
	assert.True(t, lcm.OpHeal.CanRollBack(), "until a server is gone")
}

func TestOperation_onlyAModificationNeedsNoGrant(t *testing.T) {
	t.Parallel()
	assert.Equal(t, lcm.Starting, lcm.OpHeal.FirstState())
	assert.Equal(t, lcm.Processing, lcm.OpModifyInfo.FirstState())
}
