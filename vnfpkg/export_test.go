package vnfpkg

import "testing"

// These are for tests in packages that import this one.
var (
	OpenBytes     = openBytes
	BuildSample   = buildSample
	SampleRequest = sampleRequest
	FileOf        = (*Package).file
)

// WithoutBaseHOT opens a sample package after its Base HOT was removed.
func WithoutBaseHOT(t testing.TB, dir string) *Package { return dropBaseHOT(t, dir).open(t) }
