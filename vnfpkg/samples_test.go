package vnfpkg_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// TestSamples_areOnBoardedWithoutWarnings checks every sample. Only samples whose subject are scripts or playbooks have
// a warning: that the operator must allow these.
func TestSamples_areOnBoardedWithoutWarnings(t *testing.T) {
	entries, err := os.ReadDir("samples")
	require.NoError(t, err)
	checked := 0
	for _, e := range entries {
		if _, err := os.Stat("samples/" + e.Name() + "/TOSCA-Metadata"); err != nil {
			continue
		}
		checked++
		pkg := vnfpkgtest.Sample(t, e.Name())
		for _, warning := range vnfpkgtest.Sentences(pkg.Warnings) {
			assert.True(t, strings.Contains(warning, "scripts.policy"), "%s: %s", e.Name(), warning)
		}
	}
	require.Greater(t, checked, 10)
}
