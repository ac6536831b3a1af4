package vnfpkg

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

var update = flag.Bool("update", false, "write the golden files anew")

const sampleDir = "samples/k8s-ha"

func golden(t *testing.T, name string, got any) {
	t.Helper()
	text, err := json.MarshalIndent(got, "", "  ")
	require.NoError(t, err)
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(text))
}

func buildSample(t testing.TB) *Package {
	t.Helper()
	var csar bytes.Buffer
	require.NoError(t, Build(sampleDir, &csar))
	p, err := openBytes(csar.Bytes(), archive.Limits{})
	require.NoError(t, err)
	return p
}

// sampleRequest decodes a request as the API does.
func sampleRequest(t testing.TB, name string) (lcm.InstantiateRequest, map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("samples", "requests", name))
	require.NoError(t, err)
	req, err := lcmtest.Read[lcm.InstantiateRequest](data)
	require.NoError(t, err)
	var additional map[string]any
	require.NoError(t, json.Unmarshal(req.AdditionalParams, &additional))
	return req, additional
}

func TestSample_descriptor(t *testing.T) {
	p := buildSample(t)

	golden(t, "k8s-ha.vnfd.json", p.Vnfd)
	require.Empty(t, p.Warnings)
}

func TestSample_parametersOfItsRequests(t *testing.T) {
	p := buildSample(t)
	for _, id := range []string{"ha", "simple", "storage"} {
		req, additional := sampleRequest(t, "instantiate-"+id+".json")
		f, err := p.Vnfd.Flavour(req.FlavourID)
		require.NoError(t, err)
		template, err := hot.StackTemplate(f, p.file)
		require.NoError(t, err)

		params, err := hot.Parameters(f, template, hot.Request{
			LevelID: req.InstantiationLevelID, ExtVirtualLinks: req.ExtVirtualLinks, AdditionalParams: additional,
		})

		require.NoError(t, err)
		golden(t, "k8s-ha.parameters-"+id+".json", params)
	}
}

func TestSample_levelsHaveTheSizesOfTheREADME(t *testing.T) {
	p := buildSample(t)
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

// file returns a file of the package, as the store returns it to activities.
func (p *Package) file(name string) ([]byte, error) {
	for artifact, data := range p.Files(1 << 20) {
		if artifact.Path == name {
			return data, nil
		}
	}
	return nil, lcm.Errorf(lcm.KindNotFound, "no file %s", name)
}
