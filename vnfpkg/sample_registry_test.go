package vnfpkg

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSampleRegistry_isOneMachineWithTheBuiltInDriver(t *testing.T) {
	var csar bytes.Buffer
	require.NoError(t, Build("samples/private-registry", &csar))
	p, err := openBytes(csar.Bytes(), Limits{})
	require.NoError(t, err)
	f, err := p.Vnfd.Flavour("simple")
	require.NoError(t, err)
	for _, hook := range []string{"instantiate_end", "heal_end"} {
		driver, ok := f.Driver(hook)
		require.True(t, ok)
		require.Equal(t, DriverPrivateRegistry, driver)
	}
	capacity, err := f.Capacity("")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"PrivateRegistryVDU": 1}, capacity)

	req, additional := sampleRequest(t, "instantiate-registry.json")
	template, err := StackTemplate(f, p.file)
	require.NoError(t, err)
	params, err := HeatParameters(f, template, HeatRequest{ExtVirtualLinks: req.ExtVirtualLinks, AdditionalParams: additional})
	require.NoError(t, err)
	text, err := json.Marshal(params)
	require.NoError(t, err)
	require.Contains(t, string(text), `"network":"net0"`)
}
