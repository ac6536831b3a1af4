package vnfpkg_test

import (
	"testing"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func FuzzOpen(f *testing.F) {
	f.Add(vnfpkgtest.Minimal().Zip())
	f.Add([]byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := vnfpkgtest.OpenBytes(data, vnfpkgtest.FuzzLimits)
		if err != nil {
			vnfpkgtest.RequireInvalid(t, err)
			return
		}
		vnfpkgtest.Use(t, p)
	})
}

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
