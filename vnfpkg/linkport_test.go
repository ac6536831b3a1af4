package vnfpkg

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// takingPort is a package whose server takes the port of its connection point.
func takingPort(t *testing.T) files {
	t.Helper()
	return minimal().replace(t, smallHOT, "          network: { get_param: [ nfv, CP, node_CP, network ] }", "          port: { get_param: [ nfv, CP, node_CP, port ] }").
		replace(t, "BaseHOT/small/nested/node.yaml", "  network: { type: string }\n", "  network: { type: string, default: none }\n  port: { type: string }\n")
}

func givenPort(port string) []lcm.ExtVirtualLink {
	ext := links("net", "node_CP")
	ext[0].ExtCps[0].LinkPort = &lcm.LinkPort{ID: "p", ResourceID: port}
	return ext
}

func (f files) template(t *testing.T) (*Flavour, Template) {
	t.Helper()
	fl, err := f.open(t).Vnfd.Flavour("small")
	require.NoError(t, err)
	template, err := StackTemplate(fl, f.read)
	require.NoError(t, err)
	return fl, template
}

func TestHeatParameters_haveTheGivenPort(t *testing.T) {
	f := takingPort(t)
	_, params, err := f.stack(t, "small", HeatRequest{LevelID: "high", ExtVirtualLinks: givenPort("port-1")})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"node_CP": map[string]any{"port": "port-1"}}, params["nfv"].(map[string]any)["CP"])

	_, _, err = f.stack(t, "small", HeatRequest{LevelID: "high", ExtVirtualLinks: links("net", "node_CP")})
	require.ErrorContains(t, err, "the connection point node_CP needs a port")
	_, params, err = f.stack(t, "small", HeatRequest{LevelID: "high", ExtVirtualLinks: links("net", "node_CP"), AdditionalParams: map[string]any{
		"nfv": map[string]any{"CP": map[string]any{"node_CP": map[string]any{"port": "patched"}}},
	}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"node_CP": map[string]any{"port": "patched"}}, params["nfv"].(map[string]any)["CP"])

	_, params, err = minimal().replace(t, smallHOT, "[ nfv, CP, node_CP, network ]", "[ nfv, CP, node_CP ]").
		stack(t, "small", HeatRequest{LevelID: "high", ExtVirtualLinks: links("net", "node_CP")})
	require.NoError(t, err)
	require.NotContains(t, params["nfv"].(map[string]any)["CP"].(map[string]any)["node_CP"], "port", "an entry as a whole has none where none was given")
}

func TestPortsProblems_ofTemplatesThatCannotHaveThem(t *testing.T) {
	one := map[string]int{"node": 1}
	says := func(f files, capacity map[string]int, links []lcm.ExtVirtualLink) (out []string) {
		fl, template := f.template(t)
		problems, err := template.PortsProblems(fl, links, capacity)
		require.NoError(t, err)
		for _, p := range problems {
			require.Equal(t, LinksPath, p.Path)
			out = append(out, p.Detail)
		}
		return out
	}
	require.Empty(t, says(takingPort(t), one, givenPort("port-1")))
	require.Empty(t, says(minimal(), one, links("net", "node_CP")))
	made := says(minimal(), one, givenPort("port-1"))
	require.Len(t, made, 1)
	require.Contains(t, made[0], `node_CP cannot have the port port-1 of linkPortId "p": the Base HOT makes the port itself`)
	several := says(takingPort(t), map[string]int{"node": 3}, givenPort("port-1"))
	require.Len(t, several, 1)
	require.Contains(t, several[0], "there are 3 VMs of node, and a port is in one server")

	fl, template := takingPort(t).template(t)
	taken, err := template.Connections(fl)
	require.NoError(t, err)
	require.True(t, taken["node_CP"], "it can be connected otherwise")
	needs, err := template.NeedsPort(fl, "node_CP")
	require.NoError(t, err)
	require.True(t, needs)
	fl, template = minimal().template(t)
	needs, err = template.NeedsPort(fl, "node_CP")
	require.NoError(t, err)
	require.False(t, needs)
}

// A class that knows nothing of ports leaves the place empty; one that puts the port elsewhere is trusted.
func TestMadeParameters_haveTheGivenPort(t *testing.T) {
	f := takingPort(t)
	fl, template := f.template(t)
	for _, entry := range []map[string]any{{}, {"port": nil}, {"port": "its-own"}} {
		made := map[string]any{"nfv": map[string]any{
			"VDU": map[string]any{"node": map[string]any{"image": "i", "flavor": "f"}}, "CP": map[string]any{"node_CP": entry},
		}}
		params, err := MadeParameters(fl, template, HeatRequest{LevelID: "high", ExtVirtualLinks: givenPort("port-1")}, made)
		require.NoError(t, err)
		problems := MadePortsProblems(fl, givenPort("port-1"), map[string]int{"node": 1}, params)
		if entry["port"] == "its-own" {
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].Detail, "does not hand the port on")
			continue
		}
		require.Equal(t, "port-1", entry["port"])
		require.Empty(t, problems)
	}
	require.Empty(t, MadePortsProblems(fl, givenPort("port-1"), nil, map[string]any{"anything": []any{map[string]any{"x": "port-1"}}}))
}
