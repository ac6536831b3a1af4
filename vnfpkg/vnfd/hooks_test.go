package vnfd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestDriver_isKnownByTheScriptOfTheArtifact uses Tacker's second form, in which the author chooses the name of the
// artifact, so that its script must say which driver is meant.
func TestDriver_isKnownByTheScriptOfTheArtifact(t *testing.T) {
	sources := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "implementation: mgmt-drivers-kubernetes", "implementation: mgmt-driver-script").
		ReplaceVnfd(t, "      interfaces:\n",
			"      artifacts: { mgmt-driver-script: { file: ../Scripts/kubernetes_mgmt_v2.py } }\n      interfaces:\n")

	driver, _ := sources.Open(t).Vnfd.Flavours[0].Driver("instantiate_end")
	require.Equal(t, "mgmt-drivers-kubernetes", driver)
}

func TestDriver_ofTheAuthorsOwnScriptIsOnlyWarnedOf(t *testing.T) {
	p := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "implementation: mgmt-drivers-kubernetes", "implementation: Scripts/own.py").
		With("Scripts/own.py", "").
		Open(t)

	require.Equal(t, descriptor.Hook{Implementation: "Scripts/own.py", File: "Scripts/own.py"},
		p.Vnfd.Flavours[0].Hooks["instantiate_end"])
	require.Equal(t, []string{`Definitions/top.yaml:20: "Scripts/own.py" is a script of the package: Windlass runs ` +
		`it at instantiate_end only if the operator allows it (scripts.policy)`}, vnfpkgtest.Sentences(p.Warnings))
}

func TestHooks_mayBeThoseOfTheType(t *testing.T) {
	types := func(own string) vnfpkgtest.Files {
		f := vnfpkgtest.Minimal().
			ReplaceVnfd(t, "      type: tosca.nodes.nfv.VNF\n", "      type: own.VNF\n").
			ReplaceVnfd(t, "          instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n", own)
		return f.With(vnfpkgtest.TopVnfd, `node_types:
  base.VNF:
    derived_from: tosca.nodes.nfv.VNF
    interfaces:
      Vnflcm: { type: tosca.interfaces.nfv.Vnflcm, instantiate: {}, instantiate_end: { implementation: mgmt-drivers-kubernetes }, heal_end: mgmt-drivers-kubernetes }
  own.VNF: { derived_from: base.VNF }
`+f[vnfpkgtest.TopVnfd])
	}
	fl := types("").Open(t).Vnfd.Flavours[0]
	driver, ok := fl.Driver("instantiate_end")
	require.True(t, ok)
	require.Equal(t, "mgmt-drivers-kubernetes", driver)
	fl = types("          instantiate_end: mgmt-drivers-private-registry\n").Open(t).Vnfd.Flavours[0]
	driver, _ = fl.Driver("instantiate_end")
	require.Equal(t, "mgmt-drivers-private-registry", driver, "the node's own goes before")
	require.Contains(t, fl.Hooks, "heal_end")
}

func TestHooks_runScriptsOfThePackage(t *testing.T) {
	const hooks = `instantiate_end:
            implementation: { primary: mgmt-drivers-kubernetes, dependencies: [configure] }
            inputs: { vdus: [worker], PORT: 8080, bad-name: x, more: { a: b } }
          scale_end: { implementation: Scripts/own.py }
          instantiate_start: { implementation: configure }
`
	p := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n", hooks).
		ReplaceVnfd(t, "      interfaces:\n",
			"      artifacts: { configure: { type: tosca.artifacts.Implementation.Bash, file: ../Scripts/configure.sh } }\n      interfaces:\n").
		With("Scripts/own.py", "").With("Scripts/configure.sh", "").
		Open(t)

	f := p.Vnfd.Flavours[0]
	end := f.Hooks["instantiate_end"]
	require.Equal(t, []string{"Scripts/configure.sh"}, end.Scripts())
	require.Equal(t, []string{"worker"}, end.Vdus)
	require.Equal(t, map[string]string{"PORT": "8080"}, end.Inputs)
	require.Equal(t, []string{"Scripts/own.py"}, f.Hooks["scale_end"].Scripts())
	require.Equal(
		t, []string{descriptor.DriverScripts, descriptor.DriverKubernetes}, f.Drivers(),
		"a script stands at instantiate_start",
	)
	require.True(t, f.RunsScripts())
	require.Subset(t, vnfpkgtest.Sentences(p.Warnings), []string{
		`Definitions/top.yaml:22: the input "bad-name" is not a valid variable name, so scripts do not get it`,
	})
}

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
