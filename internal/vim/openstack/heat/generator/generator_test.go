package generator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// manyTraits returns a VNFD that uses the elements of SOL001, in the forms of its versions.
func manyTraits(t testing.TB) vnfpkgtest.Files {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "tosca-traits.vnfd.yaml"))
	require.NoError(t, err)
	return vnfpkgtest.Files{
		archive.MetaFile: vnfpkgtest.MinimalMeta, "Definitions/top.yaml": string(text),
		"Files/boot.sh": "#!/bin/sh\necho booted\n",
	}
}

// traitParams returns the parameters that its requests must have: the VDU pair names no flavour and has no size.
func traitParams() map[string]any {
	return map[string]any{
		"greeting": "hello", "admin_secret": "hidden",
		"nfv": map[string]any{"VDU": map[string]any{"pair": map[string]any{"flavor": "m1.large"}}},
	}
}

func TestGenerate_asksRequestsForAFlavourThatNobodyNames(t *testing.T) {
	more := traitParams()
	delete(more, "nfv")
	_, _, err := manyTraits(t).Stack(t, "all", hot.Request{
		ExtVirtualLinks:  vnfpkgtest.Links("outer", "lb_CP", "vip"),
		AdditionalParams: more,
	})

	require.Equal(t, []string{"$.additionalParams.nfv: the Base HOT needs nfv.VDU.pair.flavor (generated/all/top.yaml), " +
		"but the VNFD does not contain it"}, vnfpkgtest.Problems(t, err))
}

func TestGenerate_manyTraits(t *testing.T) {
	f := manyTraits(t)
	p := f.Open(t)
	template, params, err := f.Stack(t, "all", hot.Request{
		ExtVirtualLinks: vnfpkgtest.Links("outer", "lb_CP", "vip"), Images: map[string]string{"lb": "granted-image"},
		AdditionalParams: traitParams(),
	})

	require.NoError(t, err)
	goldenTemplate(t, "tosca-traits.yaml", template)
	vnfpkgtest.Golden(t, "tosca-traits.parameters.json", params)
	vnfpkgtest.Golden(t, "tosca-traits.warnings.json", vnfpkgtest.Sentences(p.Warnings))
	fl := p.Vnfd.Flavours[0]
	require.Equal(t, map[string][]string{"workers_app": {"app"}, "workers_cache": {"cache"}, "pair_group": {"pair"}},
		fl.Groups)
	capacity, err := fl.Capacity("big")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"lb": 1, "app": 4, "cache": 3, "pair": 2, "db": 1}, capacity)
}

func TestGenerate_isTheSameEveryTime(t *testing.T) {
	f := manyTraits(t)
	first := f.Open(t).Vnfd.Flavours[0].Generated
	for range 10 {
		require.Equal(t, first, f.Open(t).Vnfd.Flavours[0].Generated)
	}
}

func TestGenerate_givesWayToABaseHOT(t *testing.T) {
	f := manyTraits(t).
		With("BaseHOT/all/top.yaml", vnfpkgtest.MinimalHOT).With("BaseHOT/all/nested/node.yaml", vnfpkgtest.MinimalNested)
	fl := f.Open(t).Vnfd.Flavours[0]

	require.Equal(t, "BaseHOT/all/top.yaml", fl.BaseHOT)
	require.Empty(t, fl.Generated)
}

func TestGenerate_leavesContainerisedVNFsAlone(t *testing.T) {
	f := vnfpkgtest.Minimal().WithoutHOT()
	f = f.ReplaceVnfd(t, "        sw_image_data: { name: image-1 }\n", "        name: a Deployment\n")

	require.Empty(t, f.Open(t).Vnfd.Flavours[0].BaseHOT)
}

func TestGenerate_choosesTheFlavourOfARequestBeforeItsOwn(t *testing.T) {
	f := manyTraits(t)
	more := traitParams()
	flavor := func(req hot.Request) any {
		_, params, err := f.Stack(t, "all", req)
		require.NoError(t, err)
		return params["nfv"].(map[string]any)["VDU"].(map[string]any)["app"].(map[string]any)["flavor"]
	}
	req := hot.Request{ExtVirtualLinks: vnfpkgtest.Links("outer", "lb_CP", "vip"), AdditionalParams: more}
	require.Empty(t, flavor(req), "the stack makes one")
	req.ComputeFlavours = map[string]string{"app": "granted"}
	require.Equal(t, "granted", flavor(req))
	req.ComputeFlavours = nil
	more["nfv"].(map[string]any)["VDU"].(map[string]any)["app"] = map[string]any{"flavor": "m1.small"}
	require.Equal(t, "m1.small", flavor(req))
}

func TestGenerate_replacesNetworksThatAreManagedElsewhere(t *testing.T) {
	f := manyTraits(t)
	fl := f.Open(t).Vnfd.Flavours[0]
	template, err := hot.StackTemplate(&fl, f.Read)
	require.NoError(t, err)
	managed, err := template.Managed(&fl,
		[]hot.ExtManagedVirtualLink{{VnfVirtualLinkDescID: "inner", ResourceID: "managed-network"}})

	require.NoError(t, err)
	resources, err := managed.Resources()
	require.NoError(t, err)
	require.NotContains(t, resources, "inner")
	require.NotContains(t, resources, "inner_subnet")
	require.Contains(t, resources, "bare")
	require.Contains(t, managed.Top, "inner_network: managed-network")
	require.NotContains(t, managed.Top, "[inner_subnet")
}

func TestGenerate_problems(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"a name that Heat does not take": {"\n    lb_bare:\n", "\n    lb/bare:\n", "cannot be the name of a Heat resource"},
		"a name that is taken": {
			"\n    lb_bare:\n", "\n    inner_subnet:\n",
			"two resources would be called inner_subnet",
		},
		"a volume without a size": {
			"size_of_storage: 7 GB", "size_of_storage: many",
			"has no size_of_storage with a unit",
		},
		"a subnet without a cidr":  {"cidr: 10.9.0.0/24, ", "", "have no cidr"},
		"an unknown version of IP": {"ip_version: ipv6", "ip_version: ipv8", "neither ipv4 nor ipv6"},
		"a file that is not there": {"Files/boot.sh", "Files/absent.sh", "which the archive lacks"},
		"an unknown function": {
			"{ get_input: greeting }", "{ get_property: [ SELF, name ] }",
			"the function get_property is not known here",
		},
		"a rule for what is no port": {
			"targets: [ lb_CP ]", "targets: [ inner ]",
			"is for connection points, but \"inner\" is not a connection point",
		},
		"a port that is none": {
			"port_range_max: 443", "port_range_max: 99999",
			"is not a port between 0 and 65535",
		},
	} {
		f := manyTraits(t)
		require.Contains(t, f["Definitions/top.yaml"], c.from, name)
		f = f.With(vnfpkgtest.TopVnfd, strings.ReplaceAll(f["Definitions/top.yaml"], c.from, c.to))
		_, err := f.TryOpen()
		require.Error(t, err, name)
		require.Contains(t, strings.Join(vnfpkgtest.Problems(t, err), "\n"), c.want, name)
	}
}

func TestGenerate_aClusterWithoutBaseHOT(t *testing.T) {
	sources := vnfpkgtest.SampleWithoutBaseHOT(t, "k8s-ha")
	cluster := sources.Open(t)
	f, err := cluster.Vnfd.Flavour("storage")
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"worker_instance": {"workerNode"}}, f.Groups)
	_, params, err := sources.Stack(t, "storage",
		hot.Request{ExtVirtualLinks: vnfpkgtest.Links("net0", "masterNode_CP1", "workerNode_CP2", "storage_server_CP")})
	require.NoError(t, err)
	require.Equal(t, 2, params["nfv"].(map[string]any)["VDU"].(map[string]any)["workerNode"].(map[string]any)["desired_capacity"])
}
