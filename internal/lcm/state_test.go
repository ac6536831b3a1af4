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
