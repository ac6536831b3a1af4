package vnfpkg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestSample_descriptor(t *testing.T) {
	p := vnfpkgtest.Sample(t, "k8s-ha")

	vnfpkgtest.Golden(t, "k8s-ha.vnfd.json", p.Vnfd)
	require.Empty(t, p.Warnings)
}

func TestSample_parametersOfItsRequests(t *testing.T) {
	p := vnfpkgtest.Sample(t, "k8s-ha")
	for _, id := range []string{"ha", "simple", "storage"} {
		req, additional := vnfpkgtest.SampleRequest(t, "instantiate-"+id+".json")
		f, err := p.Vnfd.Flavour(req.FlavourID)
		require.NoError(t, err)
		template, err := hot.StackTemplate(f, vnfpkgtest.FilesOf(p).Read)
		require.NoError(t, err)

		params, err := hot.Parameters(f, template, hot.Request{
			LevelID: req.InstantiationLevelID, ExtVirtualLinks: req.ExtVirtualLinks, AdditionalParams: additional,
		})

		require.NoError(t, err)
		vnfpkgtest.Golden(t, "k8s-ha.parameters-"+id+".json", params)
	}
}

func TestSample_levelsHaveTheSizesOfTheREADME(t *testing.T) {
	p := vnfpkgtest.Sample(t, "k8s-ha")
	for id, sizes := range map[string][][2]int{
		"ha":      {{3, 2}, {3, 10}, {3, 50}, {5, 10}, {7, 50}},
		"simple":  {{1, 1}, {1, 3}, {1, 50}},
		"storage": {{1, 2}, {1, 10}, {1, 1}},
	} {
		f, err := p.Vnfd.Flavour(id)
		require.NoError(t, err)
		require.Len(t, f.Levels, len(sizes))
		for i, level := range f.Levels {
			capacity, err := f.Capacity(level.ID)
			require.NoError(t, err)
			want := map[string]int{"masterNode": sizes[i][0], "workerNode": sizes[i][1]}
			if id == "storage" {
				want["storage_server"] = 1
			}
			require.Equal(t, want, capacity)
			fromScale, err := f.CapacityAt(level.ScaleLevels)
			require.NoError(t, err)
			require.Equal(t, capacity, fromScale)
		}
	}
}
