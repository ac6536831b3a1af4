package vnfpkg

import "testing"

// For the tests that know drivers, which know this package.
var (
	OpenBytes     = openBytes
	BuildSample   = buildSample
	SampleRequest = sampleRequest
	FileOf        = (*Package).file
)

// WithoutBaseHOT opens a sample package without its Base HOT.
func WithoutBaseHOT(t testing.TB, dir string) *Package { return dropBaseHOT(t, dir).open(t) }
