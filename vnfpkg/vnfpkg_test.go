package vnfpkg_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestPackage_filesAreThoseOfMostSizeWithoutImages(t *testing.T) {
	sources := vnfpkgtest.Minimal().With("Files/large.bin", strings.Repeat("0123456789", 100))
	p := sources.With("Files/images/disk.qcow2", "image").Open(t)

	got := map[string]string{}
	for artifact, data := range p.Files(100_000) {
		got[artifact.Path] = string(data)
		require.Equal(t, int64(len(data)), artifact.Size)
		require.Len(t, artifact.Hash, 64)
	}
	require.NoError(t, p.Err())
	require.Equal(t, map[string]string(sources), got)

	for artifact := range p.Files(999) {
		require.NotEqual(t, "Files/large.bin", artifact.Path)
		break
	}
}
