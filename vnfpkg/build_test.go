package vnfpkg

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

func (f files) fs() fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range f {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestBuild_makesTheSameBytesTwice(t *testing.T) {
	var first, second bytes.Buffer
	require.NoError(t, Build(sampleDir, &first))
	require.NoError(t, Build(sampleDir, &second))

	require.Equal(t, first.Bytes(), second.Bytes())
}

func TestBuild_writesADigestForEveryFile(t *testing.T) {
	var csar bytes.Buffer
	sources := minimal().
		with("Scripts/x.sh", "true\n").with(".git/config", "no").with("Files/.hidden", "no").
		with(archive.MetaFile, minimalMeta+"\nName: Scripts/x.sh\nContent-Type: application/sh\n")
	require.NoError(t, BuildFS(sources.fs(), &csar))

	p, err := openBytes(csar.Bytes(), archive.Limits{})
	require.NoError(t, err)
	meta, err := p.file(archive.MetaFile)
	require.NoError(t, err)
	require.Equal(t, len(minimal()), strings.Count(string(meta), "\nAlgorithm: SHA-256\nHash: "))
	require.True(t, strings.HasPrefix(string(meta), minimalMeta), "the author's header stays")
	require.Contains(t, string(meta), "\nName: Scripts/x.sh\nContent-Type: application/sh\nAlgorithm: SHA-256\n")
	require.NotContains(t, string(meta), "hidden")
	require.Empty(t, p.Warnings)
}

func TestBuild_refusesWhatOpenWouldRefuse(t *testing.T) {
	var csar bytes.Buffer
	err := BuildFS(minimal().without("BaseHOT/small/nested/node.yaml").fs(), &csar)

	require.Len(t, problems(t, err), 1)
	require.Zero(t, csar.Len())
}

func TestBuild_refusesSourcesWithLinksOrGaps(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	require.Equal(t, []string{"link: is not a plain file"}, problems(t, Build(dir, nil)))

	require.Equal(t, []string{"the sources of the package have no TOSCA-Metadata/TOSCA.meta"},
		problems(t, BuildFS(fstest.MapFS{}, nil)))

	gap := minimal().with(archive.MetaFile, minimalMeta+"\nName: absent.txt\n")
	require.Equal(t, []string{`TOSCA-Metadata/TOSCA.meta:6: names "absent.txt", which does not exist`},
		problems(t, BuildFS(gap.fs(), nil)))
	require.Error(t, Build(filepath.Join(dir, "nowhere"), nil))
}
