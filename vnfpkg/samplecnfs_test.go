package vnfpkg_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestSampleCnfs(t *testing.T) {
	for _, name := range []string{"cnf-manifests", "cnf-helm", "cnf-tosca", "cnf-networks"} {
		t.Run(name, func(t *testing.T) { sampleCnf(t, name) })
	}
}

func sampleCnf(t *testing.T, name string) {
	t.Helper()
	p := vnfpkgtest.Sample(t, name)
	require.Empty(t, p.Warnings)
	req, additional := vnfpkgtest.SampleRequest(t, "instantiate-"+name+".json")
	f, err := p.Vnfd.Flavour(req.FlavourID)
	require.NoError(t, err)
	require.True(t, f.Containers)
	for _, level := range f.Levels {
		capacity, err := f.CapacityAt(level.ScaleLevels)
		require.NoError(t, err)
		require.Equal(t, level.Instances, capacity)
	}
	_, err = f.Level(req.InstantiationLevelID)
	require.NoError(t, err)
	files, _ := additional["lcm-kubernetes-def-files"].([]any)
	if chart, ok := additional["helm_chart_path"].(string); ok {
		files = []any{chart + "/Chart.yaml"}
	}
	require.Equal(t, len(files) == 0, len(f.Described()) > 0)
	for _, file := range files {
		_, err := vnfpkgtest.FilesOf(p).Read(file.(string))
		require.NoError(t, err)
	}
	var scale struct{ AspectID string }
	text, err := os.ReadFile("samples/requests/scale-cnf-manifests.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &scale))
	require.True(
		t, slices.ContainsFunc(f.Aspects, func(a descriptor.ScalingAspect) bool { return a.ID == scale.AspectID }),
	)
}
