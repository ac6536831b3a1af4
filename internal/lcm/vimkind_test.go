package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
	_ "github.com/windlass-nfv/windlass/internal/vim/kinds"
)

func TestVimKind_isFoundByItsNames(t *testing.T) {
	for name, want := range map[string]string{
		"openstack": lcm.VimOpenStack, "ETSINFV.OPENSTACK_KEYSTONE.V_2": lcm.VimOpenStack,
		"kubernetes": lcm.VimKubernetes, "ETSINFV.HELM.V_3": lcm.VimKubernetes,
	} {
		assert.Equal(t, want, lcm.KindOfVim(name).Type, name)
	}
	assert.Equal(t, lcm.VimOpenStack, lcm.VimConnectionInfo{}.Kind(), "as Tacker takes a connection without a type")
	unknown := lcm.KindOfVim("other")
	assert.Equal(t, "other", unknown.Type)
	assert.False(t, unknown.RunsContainers || unknown.SwitchesVnfcs || unknown.ReconnectsPorts || unknown.ChangesPackages,
		"nothing is known of it")
}

// TestVimKind_hasAbilities checks the two kinds of VIMs: one is for VNFs of containers, the other for VNFs of servers.
// Each has abilities that the other does not have.
func TestVimKind_hasAbilities(t *testing.T) {
	servers, containers := lcm.VimKindFor(false), lcm.VimKindFor(true)
	assert.Equal(t, []string{lcm.VimOpenStack, lcm.VimKubernetes}, []string{servers.Type, containers.Type})
	assert.True(t, servers.SwitchesVnfcs && servers.ReconnectsPorts)
	assert.False(t, containers.SwitchesVnfcs)
	assert.True(t, containers.ReconnectsPorts)
	assert.True(t, containers.ChangesPackages && containers.ReplacesVnfcs)
	assert.False(t, servers.ChangesPackages || servers.ReplacesVnfcs)
	assert.Equal(t, []string{lcm.VimKubernetes}, lcm.VimTypesWith(func(k lcm.VimKind) bool { return k.Watched }))
}
