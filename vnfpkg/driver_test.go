package vnfpkg_test

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
