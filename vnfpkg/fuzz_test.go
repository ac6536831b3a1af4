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
