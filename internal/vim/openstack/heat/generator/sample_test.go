package generator_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// goldenTemplate compares templates with a golden file that contains all of them.
func goldenTemplate(t *testing.T, name string, template hot.Template) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# the top template\n" + template.Top)
	for _, file := range slices.Sorted(maps.Keys(template.Files)) {
		b.WriteString("---\n# " + file + "\n" + template.Files[file])
	}
	vnfpkgtest.GoldenText(t, name, b.String())
}

func TestSampleToscaOnly_hasTemplatesThoughThePackageHasNone(t *testing.T) {
	p := vnfpkgtest.Sample(t, "tosca-only")
	require.Empty(t, p.Warnings)
	for _, id := range []string{"simple", "sized", "wide"} {
		f, err := p.Vnfd.Flavour(id)
		require.NoError(t, err)
		template, err := hot.StackTemplate(f, vnfpkgtest.FilesOf(p).Read)
		require.NoError(t, err)
		goldenTemplate(t, "tosca-only."+id+".yaml", template)
	}
	simple, err := p.Vnfd.Flavour("simple")
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"frontends": {"frontend"}}, simple.Groups)
}

func TestSampleToscaOnly_parametersOfItsRequest(t *testing.T) {
	p := vnfpkgtest.Sample(t, "tosca-only")
	req, additional := vnfpkgtest.SampleRequest(t, "instantiate-tosca-only.json")
	f, err := p.Vnfd.Flavour(req.FlavourID)
	require.NoError(t, err)
	template, err := hot.StackTemplate(f, vnfpkgtest.FilesOf(p).Read)
	require.NoError(t, err)

	params, err := hot.Parameters(f, template, hot.Request{
		LevelID: req.InstantiationLevelID, ExtVirtualLinks: req.ExtVirtualLinks, AdditionalParams: additional,
	})

	require.NoError(t, err)
	vnfpkgtest.Golden(t, "tosca-only.parameters.json", params)
}
