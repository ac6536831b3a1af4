package vnfpkg

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

func toscaOnly(t testing.TB) *Package {
	t.Helper()
	var csar bytes.Buffer
	require.NoError(t, Build("samples/tosca-only", &csar))
	p, err := openBytes(csar.Bytes(), archive.Limits{})
	require.NoError(t, err)
	return p
}

// goldenTemplate compares templates with a golden file that contains all of them.
func goldenTemplate(t *testing.T, name string, template hot.Template) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# the top template\n" + template.Top)
	for _, file := range slices.Sorted(maps.Keys(template.Files)) {
		b.WriteString("---\n# " + file + "\n" + template.Files[file])
	}
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestSampleToscaOnly_hasTemplatesThoughThePackageHasNone(t *testing.T) {
	p := toscaOnly(t)
	require.Empty(t, p.Warnings)
	for _, id := range []string{"simple", "sized", "wide"} {
		f, err := p.Vnfd.Flavour(id)
		require.NoError(t, err)
		template, err := hot.StackTemplate(f, p.file)
		require.NoError(t, err)
		goldenTemplate(t, "tosca-only."+id+".yaml", template)
	}
	simple, err := p.Vnfd.Flavour("simple")
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"frontends": {"frontend"}}, simple.Groups)
}

func TestSampleToscaOnly_parametersOfItsRequest(t *testing.T) {
	p := toscaOnly(t)
	req, additional := sampleRequest(t, "instantiate-tosca-only.json")
	f, err := p.Vnfd.Flavour(req.FlavourID)
	require.NoError(t, err)
	template, err := hot.StackTemplate(f, p.file)
	require.NoError(t, err)

	params, err := hot.Parameters(f, template, hot.Request{
		LevelID: req.InstantiationLevelID, ExtVirtualLinks: req.ExtVirtualLinks, AdditionalParams: additional,
	})

	require.NoError(t, err)
	golden(t, "tosca-only.parameters.json", params)
}
