package vnfpkg_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func sourcesOf(f vnfpkgtest.Files) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range f {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestBuild_makesTheSameBytesTwice(t *testing.T) {
	var first, second bytes.Buffer
	require.NoError(t, vnfpkg.Build("samples/k8s-ha", &first))
	require.NoError(t, vnfpkg.Build("samples/k8s-ha", &second))

	require.Equal(t, first.Bytes(), second.Bytes())
}

func TestBuild_writesADigestForEveryFile(t *testing.T) {
	var csar bytes.Buffer
	sources := vnfpkgtest.Minimal().
		With("Scripts/x.sh", "true\n").With(".git/config", "no").With("Files/.hidden", "no").
		With(archive.MetaFile, vnfpkgtest.MinimalMeta+"\nName: Scripts/x.sh\nContent-Type: application/sh\n")
	require.NoError(t, vnfpkg.BuildFS(sourcesOf(sources), &csar))

	p, err := vnfpkgtest.OpenBytes(csar.Bytes(), archive.Limits{})
	require.NoError(t, err)
	meta, err := vnfpkgtest.FilesOf(p).Read(archive.MetaFile)
	require.NoError(t, err)
	require.Equal(t, len(vnfpkgtest.Minimal()), strings.Count(string(meta), "\nAlgorithm: SHA-256\nHash: "))
	require.True(t, strings.HasPrefix(string(meta), vnfpkgtest.MinimalMeta), "the author's header stays")
	require.Contains(t, string(meta), "\nName: Scripts/x.sh\nContent-Type: application/sh\nAlgorithm: SHA-256\n")
	require.NotContains(t, string(meta), "hidden")
	require.Empty(t, p.Warnings)
}

func TestBuild_refusesWhatOpenWouldRefuse(t *testing.T) {
	var csar bytes.Buffer
	err := vnfpkg.BuildFS(sourcesOf(vnfpkgtest.Minimal().Without(vnfpkgtest.NestedHOT)), &csar)

	require.Len(t, vnfpkgtest.Problems(t, err), 1)
	require.Zero(t, csar.Len())
}

func TestBuild_refusesSourcesWithLinksOrGaps(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	require.Equal(t, []string{"link: is not a plain file"}, vnfpkgtest.Problems(t, vnfpkg.Build(dir, nil)))

	require.Equal(t, []string{"the sources of the package have no TOSCA-Metadata/TOSCA.meta"},
		vnfpkgtest.Problems(t, vnfpkg.BuildFS(fstest.MapFS{}, nil)))

	gap := vnfpkgtest.Minimal().With(archive.MetaFile, vnfpkgtest.MinimalMeta+"\nName: absent.txt\n")
	require.Equal(t, []string{`TOSCA-Metadata/TOSCA.meta:6: names "absent.txt", which does not exist`},
		vnfpkgtest.Problems(t, vnfpkg.BuildFS(sourcesOf(gap), nil)))
	require.Error(t, vnfpkg.Build(filepath.Join(dir, "nowhere"), nil))
}
