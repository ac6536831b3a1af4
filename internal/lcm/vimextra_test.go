package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestSSHPort_isANumberOrItsText(t *testing.T) {
	for given, want := range map[any]int{2222.0: 2222, "2222": 2222, " 22 ": 22, 22: 22} {
		port, err := lcm.SSHPort(map[string]any{"ssh_port": given})
		assert.NoError(t, err)
		assert.Equal(t, want, port)
	}
	for _, given := range []any{"abc", 0.0, 70000.0, 22.5, "", true, nil} {
		_, err := lcm.SSHPort(map[string]any{"ssh_port": given})
		assert.ErrorContains(t, err, "must be a port", given)
	}
	port, err := lcm.SSHPort(nil)
	assert.NoError(t, err)
	assert.Zero(t, port)
}
