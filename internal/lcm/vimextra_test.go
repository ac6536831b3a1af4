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

func TestExtraProblems_tellMisspeltMembersAndWrongPorts(t *testing.T) {
	assert.Empty(t, lcm.ExtraProblems("$.extra", map[string]any{"ssh_port": "2222", "region": "r", "helm_info": "{}", "mine": 1}))
	assert.Equal(t, []lcm.Problem{
		{Path: "$.extra.ssh_prt", Detail: "is unknown; did you mean ssh_port?"},
		{Path: "$.extra.ssh_port", Detail: `must be a port between 1 and 65535, such as 2222, not "abc"`},
	}, lcm.ExtraProblems("$.extra", map[string]any{"ssh_port": "abc", "ssh_prt": 2222.0}))
}
