package vnfpkg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

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

func TestDrivers_runScriptsAfterOthers(t *testing.T) {
	script := descriptor.Hook{File: "Scripts/own.py"}
	cluster := descriptor.Hook{Driver: descriptor.DriverKubernetes}
	for name, c := range map[string]struct {
		hooks map[string]descriptor.Hook
		want  []string
	}{
		"a script alone":      {map[string]descriptor.Hook{"scale_end": script}, []string{descriptor.DriverScripts}},
		"a script at the end": {map[string]descriptor.Hook{"instantiate_end": script}, []string{descriptor.DriverScripts}},
		"a script elsewhere": {
			map[string]descriptor.Hook{"heal_end": script, "instantiate_end": cluster},
			[]string{descriptor.DriverKubernetes, descriptor.DriverScripts},
		},
		"a script first": {
			map[string]descriptor.Hook{"instantiate_end": {File: "a.sh", Also: []string{descriptor.DriverKubernetes}}},
			[]string{descriptor.DriverScripts, descriptor.DriverKubernetes},
		},
		"what is no script":    {map[string]descriptor.Hook{"instantiate_end": {File: "Scripts/own.jar"}}, nil},
		"a script that is not": {map[string]descriptor.Hook{"instantiate_end": {Implementation: "own"}}, nil},
	} {
		require.Equal(t, c.want, (&descriptor.Flavour{Hooks: c.hooks}).Drivers(), name)
	}
}
