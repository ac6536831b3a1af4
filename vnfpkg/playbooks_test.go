package vnfpkg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestPlaybooks_areThoseOfTheHook(t *testing.T) {
	config := func(vdu, action string) string {
		return "vdus:\n  " + vdu + ":\n    config:\n      order: 1\n      vm_app_config:\n        " + action +
			":\n          - { path: _VAR_vnf_package_path/Scripts/own.yaml, order: 0 }\n"
	}
	p := vnfpkgtest.Played(t).With("Other/config.yaml", config("worker", "instantiation")).
		With(playbook.File, config("master", "scale-out")).With("Scripts/own.yaml", "[]").Open(t)
	f := p.Vnfd.Flavours[0]
	require.Equal(t, "Other/config.yaml", f.Hooks["instantiate_end"].Playbooks)
	require.Equal(t, []string{"worker"}, f.Hooks["instantiate_end"].Played)
	require.Equal(t, playbook.File, f.Hooks["scale_end"].Playbooks, "where no other file is named")
	require.Equal(t, []string{"master"}, f.Hooks["scale_end"].Played)
	require.Equal(t, []string{descriptor.DriverAnsible}, f.Drivers())
	require.Contains(t, vnfpkgtest.Sentences(p.Warnings),
		"Definitions/top.yaml:24: Windlass runs no playbooks at operate_end: "+
			"Tacker's Ansible "+
			"driver has no playbooks for it")
}
