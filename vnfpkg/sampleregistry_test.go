package vnfpkg_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestSampleRegistry_isOneMachineWithTheBuiltInDriver(t *testing.T) {
	p := vnfpkgtest.Sample(t, "private-registry")
	require.Empty(t, p.Warnings)
	for flavour, request := range map[string]string{
		"simple": "instantiate-registry.json",
		"volume": "instantiate-registry-volume.json",
	} {
		sampleRegistry(t, p, flavour, request)
	}
}

func sampleRegistry(t *testing.T, p *vnfpkg.Package, flavour, request string) {
	t.Helper()
	f, err := p.Vnfd.Flavour(flavour)
	require.NoError(t, err)
	for _, hook := range []string{"instantiate_end", "heal_end"} {
		driver, ok := f.Driver(hook)
		require.True(t, ok)
		require.Equal(t, descriptor.DriverPrivateRegistry, driver)
	}
	capacity, err := f.Capacity("")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"PrivateRegistryVDU": 1}, capacity)

	req, additional := vnfpkgtest.SampleRequest(t, request)
	require.Equal(t, flavour, req.FlavourID)
	server, wrong := registry.Read(req.AdditionalParams)
	problems := wrong.With(server.Problems())
	require.Empty(t, problems)
	template, err := hot.StackTemplate(f, vnfpkgtest.FilesOf(p).Read)
	require.NoError(t, err)
	params, err := hot.Parameters(f, template, hot.Request{
		ExtVirtualLinks:  req.ExtVirtualLinks,
		AdditionalParams: additional,
	})
	require.NoError(t, err)
	text, err := json.Marshal(params)
	require.NoError(t, err)
	require.Contains(t, string(text), `"network":"net0"`)
	vdu, ok := f.Vdu("PrivateRegistryVDU")
	require.True(t, ok)
	require.Equal(t, server.HasVolume(), len(vdu.Storages) == 1)
	if server.HasVolume() {
		resources, err := template.Resources()
		require.NoError(t, err)
		require.Equal(t, "OS::Cinder::Volume", resources[server.Volume.VolumeResourceID])
		require.Equal(t, []string{server.Volume.VolumeResourceID}, vdu.Storages)
	}
}

func TestGenerate_aPrivateRegistryWithoutBaseHOT(t *testing.T) {
	registry := vnfpkgtest.SampleWithoutBaseHOT(t, "private-registry").Open(t)
	for _, id := range []string{"simple", "volume"} {
		sampleRegistry(t, registry, id, map[string]string{
			"simple": "instantiate-registry.json",
			"volume": "instantiate-registry-volume.json",
		}[id])
	}
}
