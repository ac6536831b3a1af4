package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// takingPort returns a package whose server uses the given port of its connection point.
func takingPort(t *testing.T) vnfpkgtest.Files {
	t.Helper()
	return vnfpkgtest.Minimal().ReplaceHOT(t, "          network: { get_param: [ nfv, CP, node_CP, network ] }",
		"          port: { get_param: [ nfv, CP, node_CP, port ] }").
		ReplaceNested(t, "  network: { type: string }\n",
			"  network: { type: string, default: none }\n  port: { type: string }\n")
}

func givenPort(port string) []lcm.ExtVirtualLink {
	ext := vnfpkgtest.Links("net", "node_CP")
	ext[0].ExtCps[0].LinkPort = &lcm.LinkPort{ID: "p", ResourceID: port}
	return ext
}

func TestHeatParameters_haveTheGivenPort(t *testing.T) {
	f := takingPort(t)
	_, params, err := f.Stack(t, "small", hot.Request{LevelID: "high", ExtVirtualLinks: givenPort("port-1")})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"node_CP": map[string]any{"port": "port-1"}}, params["nfv"].(map[string]any)["CP"])

	_, _, err = f.Stack(t, "small", hot.Request{LevelID: "high", ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})
	require.ErrorContains(t, err, "the connection point node_CP needs a port")
	_, params, err = f.Stack(t, "small", hot.Request{
		LevelID: "high", ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP"),
		AdditionalParams: map[string]any{
			"nfv": map[string]any{"CP": map[string]any{"node_CP": map[string]any{"port": "patched"}}},
		},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"node_CP": map[string]any{"port": "patched"}}, params["nfv"].(map[string]any)["CP"])

	_, params, err = vnfpkgtest.Minimal().ReplaceHOT(t, "[ nfv, CP, node_CP, network ]", "[ nfv, CP, node_CP ]").
		Stack(t, "small", hot.Request{LevelID: "high", ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})
	require.NoError(t, err)
	require.NotContains(t, params["nfv"].(map[string]any)["CP"].(map[string]any)["node_CP"], "port",
		"an entry as a whole has none where none was given")
}

func TestPortsProblems_ofTemplatesThatCannotHaveThem(t *testing.T) {
	one := map[string]int{"node": 1}
	says := func(f vnfpkgtest.Files, capacity map[string]int, links []lcm.ExtVirtualLink) (out []string) {
		fl, template := f.Template(t, "small")
		problems, err := template.PortsProblems(fl, links, capacity, nil)
		require.NoError(t, err)
		for _, p := range problems {
			require.Equal(t, hot.LinksPath, p.Path)
			out = append(out, p.Detail)
		}
		return out
	}
	require.Empty(t, says(takingPort(t), one, givenPort("port-1")))
	require.Empty(t, says(vnfpkgtest.Minimal(), one, vnfpkgtest.Links("net", "node_CP")))
	made := says(vnfpkgtest.Minimal(), one, givenPort("port-1"))
	require.Len(t, made, 1)
	require.Contains(t, made[0], `node_CP cannot have the port port-1 of linkPortId "p": the Base HOT makes the port itself`)
	several := says(takingPort(t), map[string]int{"node": 3}, givenPort("port-1"))
	require.Len(t, several, 1)
	require.Contains(t, several[0], "there are 3 VMs of node, but a port belongs to one server only")

	fl, template := takingPort(t).Template(t, "small")
	taken, err := template.Connections(fl)
	require.NoError(t, err)
	require.True(t, taken["node_CP"], "it can be connected otherwise")
	needs, err := template.NeedsPort(fl, "node_CP")
	require.NoError(t, err)
	require.True(t, needs)
	fl, template = vnfpkgtest.Minimal().Template(t, "small")
	needs, err = template.NeedsPort(fl, "node_CP")
	require.NoError(t, err)
	require.False(t, needs)
}

// TestMadeParameters_haveTheGivenPort uses classes that leave the port empty, so that Windlass sets the given port. A
// class that sets another port causes an error, unless it uses the given port elsewhere in the parameters.
func TestMadeParameters_haveTheGivenPort(t *testing.T) {
	f := takingPort(t)
	fl, template := f.Template(t, "small")
	for _, entry := range []map[string]any{{}, {"port": nil}, {"port": "its-own"}} {
		made := map[string]any{"nfv": map[string]any{
			"VDU": map[string]any{"node": map[string]any{"image": "i", "flavor": "f"}}, "CP": map[string]any{"node_CP": entry},
		}}
		params, err := hot.MadeParameters(
			fl, template, hot.Request{LevelID: "high", ExtVirtualLinks: givenPort("port-1")}, made,
		)
		require.NoError(t, err)
		problems := hot.MadePortsProblems(fl, givenPort("port-1"), map[string]int{"node": 1}, params)
		if entry["port"] == "its-own" {
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].Detail, "does not pass the port to")
			continue
		}
		require.Equal(t, "port-1", entry["port"])
		require.Empty(t, problems)
	}
	require.Empty(t, hot.MadePortsProblems(fl, givenPort("port-1"), nil,
		map[string]any{"anything": []any{map[string]any{"x": "port-1"}}}))
}

// apartTakingPort returns a package with StandardUserData whose VMs use one port each.
func apartTakingPort(t *testing.T) vnfpkgtest.Files {
	t.Helper()
	return apartPackage(t).ReplaceHOT(t, "      addresses: [ { subnet: { get_param: [ nfv, CP, node_CP, "+
		"fixed_ips, 0, subnet ] } } ]", "      port: { get_param: [ nfv, CP, node_CP, port ] }").
		ReplaceNested(t, "  addresses: { type: json }\n", "  port: { type: string }\n")
}

func TestApart_givesEachVnfcAPortOfItsOwn(t *testing.T) {
	f := apartTakingPort(t)
	ext := vnfpkgtest.Links("net", "node_CP")
	for _, port := range []string{"a", "b", "c"} {
		ext[0].ExtCps[0].Configs = append(ext[0].ExtCps[0].Configs,
			lcm.CpConfig{Key: port, LinkPort: &lcm.LinkPort{ID: port, ResourceID: "port-" + port}})
	}
	members := descriptor.Members{"node": {0, 2}}
	_, params, err := apart(t, f, members, hot.Request{ExtVirtualLinks: ext})
	require.NoError(t, err)
	cps := params["nfv"].(map[string]any)["CP"].(map[string]any)
	require.Equal(t, []any{"port-a", "port-c"}, []any{
		cps["node_CP-0"].(map[string]any)["port"],
		cps["node_CP-2"].(map[string]any)["port"],
	})

	fl, template := f.Template(t, "small")
	problems, err := template.PortsProblems(fl, ext, nil, members)
	require.NoError(t, err)
	require.Empty(t, problems, "the port that is left over waits for a scaling out")
	problems, err = template.PortsProblems(fl, ext, nil, descriptor.Members{"node": {0, 1, 2, 3, 4}})
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Detail, "there are 5 VMs of node and 3 ports of node_CP")
	require.Contains(t, problems[0].Detail, "There is no port for node-3, node-4: add an entry with a linkPortId to "+
		"cpConfig, or name the port in additionalParams (nfv, CP, node_CP-4, port)")
	_, _, err = apart(t, f, descriptor.Members{"node": {0}},
		hot.Request{ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})
	require.ErrorContains(t, err, "the connection point node_CP needs a port", "none is given at all")

	problems, err = template.PortsProblems(fl, ext, map[string]int{"node": 1}, nil)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Detail,
		"more than one entry of cpConfig has a port, but only one VM of node can have a port")
}

// TestMadePortsProblems_countPortsAndVms checks that a class of the package does not make more VMs than there are
// ports. Additional ports are for later VMs.
func TestMadePortsProblems_countPortsAndVms(t *testing.T) {
	fl, _ := takingPort(t).Template(t, "small")
	ext := vnfpkgtest.Links("net", "node_CP")
	ext[0].ExtCps[0].Configs = []lcm.CpConfig{
		{Key: "a", LinkPort: &lcm.LinkPort{ID: "a", ResourceID: "port-a"}},
		{Key: "b", LinkPort: &lcm.LinkPort{ID: "b", ResourceID: "port-b"}},
	}
	says := func(n int, handed ...any) string {
		problems := hot.MadePortsProblems(fl, ext, map[string]int{"node": n}, map[string]any{"ports": handed})
		if len(problems) == 0 {
			return ""
		}
		require.Len(t, problems, 1)
		return problems[0].Detail
	}
	require.Empty(t, says(1, "port-a"))
	require.Empty(t, says(1, "port-b"))
	require.Empty(t, says(2, "port-a", "port-b"))
	require.Contains(t, says(2, "port-a"), "does not pass the port to")
	require.Contains(t, says(3, "port-a", "port-b"), "there are 3 VMs of node")
}

// TestPortsProblems_ofAConnectionPointThatIsNotThere has a request that names a connection point that the flavour does
// not have.
func TestPortsProblems_ofAConnectionPointThatIsNotThere(t *testing.T) {
	fl, template := takingPort(t).Template(t, "small")
	unknown := vnfpkgtest.Links("net", "gone_CP")
	unknown[0].ExtCps[0].LinkPort = &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	for _, members := range []descriptor.Members{nil, {"node": {1}}} {
		problems, err := template.PortsProblems(fl, unknown, map[string]int{"node": 1}, members)
		require.NoError(t, err)
		require.Len(t, problems, 1)
		require.Contains(t, problems[0].Detail, "the connection point gone_CP cannot have the port port-1")
	}
	require.Empty(t, hot.LackedPorts(fl, unknown[0].ExtCps[0], descriptor.Members{"node": {1}}))
	require.Len(t, hot.MadePortsProblems(fl, unknown, map[string]int{"node": 1}, nil), 1)
}
