package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestDriver_isKnownByEveryNameThatPackagesUse(t *testing.T) {
	for implementation, want := range map[string]string{
		"mgmt-drivers-kubernetes":                    "mgmt-drivers-kubernetes",
		"mgmt-drivers-kubernetes.py":                 "mgmt-drivers-kubernetes",
		"mgmt_drivers_kubespray":                     "mgmt-drivers-kubespray",
		"../Scripts/kubernetes_mgmt.py":              "mgmt-drivers-kubernetes",
		"Scripts/kubespray_mgmt.py":                  "mgmt-drivers-kubespray",
		"Scripts/cnf_nodeport_mgmt.py":               "mgmt-drivers-cnf-nodeport",
		"{ primary: mgmt-drivers-private-registry }": "mgmt-drivers-private-registry",
	} {
		f := vnfpkgtest.Minimal().ReplaceVnfd(t, "implementation: mgmt-drivers-kubernetes",
			"implementation: "+implementation).Open(t)

		driver, ok := f.Vnfd.Flavours[0].Driver("instantiate_end")
		require.True(t, ok)
		require.Equal(t, want, driver)
		_, ok = f.Vnfd.Flavours[0].Driver("instantiate")
		require.False(t, ok, "an empty list is no implementation")
	}
}

// TestDrivers_areThoseOfTheImplementationAndItsDependencies checks that a VNF may have several drivers: first the one
// of the implementation, then those of its dependencies, in their order.
func TestDrivers_areThoseOfTheImplementationAndItsDependencies(t *testing.T) {
	const both = "{ primary: mgmt-drivers-private-registry, dependencies: [Scripts/lib.py, mgmt-drivers-kubernetes] }"
	p := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "implementation: mgmt-drivers-kubernetes", "implementation: "+both).
		With("Scripts/lib.py", "").
		Open(t)
	require.Equal(t, []string{descriptor.DriverPrivateRegistry, descriptor.DriverKubernetes}, p.Vnfd.Flavours[0].Drivers())
	require.Equal(t, []string{descriptor.DriverKubernetes}, vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0].Drivers())
	require.Empty(t, new(descriptor.Flavour).Drivers())
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
