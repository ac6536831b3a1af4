package vnfpkg

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestSampleRegistry_isOneMachineWithTheBuiltInDriver(t *testing.T) {
	var csar bytes.Buffer
	require.NoError(t, Build("samples/private-registry", &csar))
	p, err := openBytes(csar.Bytes(), Limits{})
	require.NoError(t, err)
	require.Empty(t, p.Warnings)
	for flavour, request := range map[string]string{
		"simple": "instantiate-registry.json",
		"volume": "instantiate-registry-volume.json",
	} {
		sampleRegistry(t, p, flavour, request)
	}
}

func sampleRegistry(t *testing.T, p *Package, flavour, request string) {
	t.Helper()
	f, err := p.Vnfd.Flavour(flavour)
	require.NoError(t, err)
	for _, hook := range []string{"instantiate_end", "heal_end"} {
		driver, ok := f.Driver(hook)
		require.True(t, ok)
		require.Equal(t, DriverPrivateRegistry, driver)
	}
	capacity, err := f.Capacity("")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"PrivateRegistryVDU": 1}, capacity)

	req, additional := sampleRequest(t, request)
	require.Equal(t, flavour, req.FlavourID)
	server, problems := lcm.CheckRegistryServerParams(req.AdditionalParams)
	require.Empty(t, problems)
	template, err := StackTemplate(f, p.file)
	require.NoError(t, err)
	params, err := HeatParameters(f, template, HeatRequest{
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
