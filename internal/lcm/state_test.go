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
	assert.False(t, lcm.Operation("HEAL").CanRollBack(), "what nobody has thought about is not undone")
}
