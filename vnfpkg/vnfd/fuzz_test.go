package vnfd_test

import (
	"testing"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func FuzzVnfd(f *testing.F) {
	f.Add(vnfpkgtest.MinimalVnfd)
	f.Add(vnfpkgtest.MinimalContainers()[vnfpkgtest.TopVnfd])
	f.Add("a: &a [*a]\n<<: *a\n")
	f.Add("imports: [ top.yaml, { x: { file: top.yaml } } ]\ntosca_definitions_version: tosca_simple_yaml_1_3\n")
	f.Fuzz(func(t *testing.T, vnfd string) {
		p, err := vnfpkgtest.OpenBytes(vnfpkgtest.Minimal().With(vnfpkgtest.TopVnfd, vnfd).Zip(), vnfpkgtest.FuzzLimits)
		if err != nil {
			vnfpkgtest.RequireInvalid(t, err)
			return
		}
		vnfpkgtest.Use(t, p)
	})
}
