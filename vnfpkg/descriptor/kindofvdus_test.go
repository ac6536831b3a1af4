package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// containerised returns a package with a VDU that does not describe a VM.
func containerised(t testing.TB) vnfpkgtest.Files {
	t.Helper()
	return vnfpkgtest.Minimal().WithoutHOT().
		ReplaceVnfd(t, "        sw_image_data: { name: image-1 }\n", "        name: web\n").
		ReplaceVnfd(t, `      capabilities:
        virtual_compute:
          properties:
            requested_additional_capabilities:
              any: { requested_additional_capability_name: m1.small }
`, "").
		ReplaceVnfd(t, "          instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n", "")
}

func TestFlavour_isOfContainersWhenItsVdusSayNothingOfVMs(t *testing.T) {
	f := containerised(t)
	flavour := f.Open(t).Vnfd.Flavours[0]
	require.True(t, flavour.Containers)
	_, err := hot.StackTemplate(&flavour, f.Read)
	require.Equal(t, []string{
		"the VDUs of the flavour small are containers: it has no Heat template, and cannot run on OpenStack",
	}, vnfpkgtest.Problems(t, err))

	scripted := f.ReplaceVnfd(t, "          instantiate: []\n",
		"          instantiate: []\n          instantiate_start:\n            implementation: ../Scripts/s.py\n").
		With("Scripts/s.py", "pass\n").Open(t).Vnfd.Flavours[0]
	require.True(t, scripted.RunsScripts())
	require.True(t, scripted.Containers, "a script of the package needs no servers")
	for name, other := range map[string]vnfpkgtest.Files{
		"an image": f.ReplaceVnfd(t, "        name: web\n", "        sw_image_data: { name: image-1 }\n"),
		"a size": f.ReplaceVnfd(t, "        name: web\n",
			"        name: web\n      capabilities:\n        virtual_compute:\n"+
				"          properties: { virtual_cpu: { num_virtual_cpu: 1 } }\n"),
		"a driver of servers": f.ReplaceVnfd(t, "          instantiate: []\n",
			"          instantiate: []\n          instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n"),
		"a Base HOT": f.With(vnfpkgtest.SmallHOT, vnfpkgtest.MinimalHOT).With(vnfpkgtest.NestedHOT, vnfpkgtest.MinimalNested),
	} {
		t.Run(name, func(t *testing.T) { require.False(t, other.Open(t).Vnfd.Flavours[0].Containers) })
	}
}

func TestFlavour_ofASampleForVMsIsNoneOfContainers(t *testing.T) {
	for _, p := range []*vnfpkg.Package{vnfpkgtest.Sample(t, "k8s-ha"), vnfpkgtest.Sample(t, "tosca-only")} {
		for _, f := range p.Vnfd.Flavours {
			require.False(t, f.Containers)
		}
	}
}
