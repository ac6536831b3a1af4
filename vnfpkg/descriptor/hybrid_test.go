package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func sampleHybrid(t *testing.T) *descriptor.Flavour {
	t.Helper()
	p := vnfpkgtest.Sample(t, "hybrid")
	require.Empty(t, p.Warnings)
	f, err := p.Vnfd.Flavour("simple")
	require.NoError(t, err)
	return f
}

func TestSampleHybrid_isTakenApartByTheTypesOfItsVDUs(t *testing.T) {
	f := sampleHybrid(t)
	require.True(t, f.Hybrid)
	require.False(t, f.Containers)
	require.True(t, f.OfContainers("web"))
	require.False(t, f.OfContainers("gateway"))

	servers, pods := f.Part(false), f.Part(true)
	require.Equal(t, []string{"gateway"}, vduIDs(servers))
	require.Equal(t, []string{"web"}, vduIDs(pods))
	require.True(t, pods.Containers)
	require.False(t, servers.Hybrid || pods.Hybrid)
	require.Len(t, servers.Cps, 1)
	require.Empty(t, pods.Cps)
	require.Empty(t, servers.Services)
	require.Len(t, pods.Services, 1)
	require.Empty(t, pods.BaseHOT)
	require.Empty(t, pods.AffinityRules[0].Vdus)
	for level, want := range map[string][2]int{"small": {1, 1}, "large": {2, 3}} {
		capacity, err := servers.Capacity(level)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"gateway": want[0]}, capacity)
		capacity, err = pods.Capacity(level)
		require.NoError(t, err)
		require.Equal(t, map[string]int{"web": want[1]}, capacity)
	}
	require.Contains(t, f.Generated[f.BaseHOT], "gateway")
	require.NotContains(t, f.Generated[f.BaseHOT], "web")
	require.Equal(t, map[string][]string{"gateways": {"gateway"}}, f.Groups)

	template, err := hot.StackTemplate(servers, nil)
	require.NoError(t, err)
	_, err = hot.Parameters(
		servers, template, hot.Request{LevelID: "small", AdditionalParams: map[string]any{"page": "x"}},
	)
	require.ErrorContains(t, err, "gateway_public", "only the network of the VMs is missing")
	require.NotContains(t, err.Error(), "web")
}

func TestPart_ofAFlavourThatIsNotHybridIsItself(t *testing.T) {
	f := &descriptor.Flavour{Vdus: []descriptor.Vdu{{ID: "a"}}}
	require.Same(t, f, f.Part(false))
	require.Nil(t, f.Part(true))
	f.Containers = true
	require.Same(t, f, f.Part(true))
	require.Nil(t, f.Part(false))
	require.True(t, f.OfContainers("a"))
}

func TestWithWorkloads_leavesVMsAlone(t *testing.T) {
	f := sampleHybrid(t)
	require.Equal(t, []string{"gateway"}, vduIDs(f.WithWorkloads(nil)))
	with := f.WithWorkloads(map[string]bool{"web": false})
	require.Equal(t, []string{"gateway", "web"}, vduIDs(with))
	require.True(t, with.Scales("gateways"))
	require.False(t, with.Scales("web_pods"))
}

func TestServersDiffer_ignoresContainers(t *testing.T) {
	f, next := sampleHybrid(t), sampleHybrid(t)
	web, _ := next.Vdu("web")
	web.Pod.Containers[0].Image = descriptor.Word{Text: "other"}
	require.Empty(t, f.ServersDiffer(next))
	gateway, _ := next.Vdu("gateway")
	gateway.Image = &descriptor.SwImage{Name: "other"}
	require.NotEmpty(t, f.ServersDiffer(next))
}

func vduIDs(f *descriptor.Flavour) (ids []string) {
	for _, v := range f.Vdus {
		ids = append(ids, v.ID)
	}
	return ids
}
