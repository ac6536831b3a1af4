package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestHeatParameters_ofTheFirstForm(t *testing.T) {
	template, params, err := vnfpkgtest.Minimal().Stack(t, "small",
		hot.Request{LevelID: "high", ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})

	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"nfv": map[string]any{
			"VDU": map[string]any{"node": map[string]any{"image": "image-1", "flavor": "m1.small"}},
			"CP":  map[string]any{"node_CP": map[string]any{"network": "net"}},
		},
		"workers_desired_capacity": 4,
	}, params)
	require.Contains(t, template.Top, "workers_desired_capacity:\n    type: number\n")
	require.Equal(t, vnfpkgtest.MinimalNested, template.Files["node.yaml"])
}

func TestHeatParameters_ofTheSecondForm(t *testing.T) {
	f := vnfpkgtest.Minimal().With(vnfpkgtest.SmallHOT, `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  node_scale_group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 9
      desired_capacity: { get_param: [ nfv, VDU, node, desired_capacity ] }
      resource:
        type: node.yaml
        properties:
          image: { get_param: [ nfv, VDU, node, vcImageId ] }
          flavor: { get_param: [ nfv, VDU, node, computeFlavourId ] }
          zone: { get_param: [ nfv, VDU, node, locationConstraints ] }
          network: { get_param: [ nfv, CP, node_CP, network ] }
          address: { get_param: [ nfv, CP, node_CP, fixed_ips, 0, ip_address ] }
`)
	ext := vnfpkgtest.Links("net", "node_CP")
	ext[0].ExtCps[0].FixedIPs = []lcm.FixedIP{{Address: "10.0.0.9", SubnetID: "sub"}, {SubnetID: "other", Dynamic: 2}, {}}

	template, params, err := f.Stack(t, "small", hot.Request{
		Capacity: map[string]int{"node": 5}, ExtVirtualLinks: ext,
		Images: map[string]string{"node": "granted-image"}, Zones: map[string]string{"node": "zone-1"},
	})

	require.NoError(t, err)
	require.Equal(t, f[vnfpkgtest.SmallHOT], template.Top, "a template that needs no change is passed on as it is")
	require.Equal(t, map[string]any{"nfv": map[string]any{
		"VDU": map[string]any{"node": map[string]any{
			"vcImageId": "granted-image", "computeFlavourId": "m1.small", "locationConstraints": "zone-1", "desired_capacity": 5,
		}},
		"CP": map[string]any{"node_CP": map[string]any{
			"network": "net", "fixed_ips": []any{
				map[string]any{"ip_address": "10.0.0.9", "subnet": "sub"},
				map[string]any{"subnet": "other"},
				map[string]any{"subnet": "other"},
			},
		}},
	}}, params)
}

// TestHeatParameters_haveTheMACAddress uses the key mac_address, an extension of Windlass. A template that uses it gets
// the requested address, or null without one; then Neutron chooses an address.
func TestHeatParameters_haveTheMACAddress(t *testing.T) {
	f := vnfpkgtest.Minimal().ReplaceHOT(t, "          network:",
		"          mac: { get_param: [ nfv, CP, node_CP, mac_address ] }\n          network:").
		ReplaceNested(t, "  network: { type: string }\n",
			"  network: { type: string }\n  mac: { type: string }\n")
	for _, mac := range []string{"fa:16:3e:00:00:07", ""} {
		ext := vnfpkgtest.Links("net", "node_CP")
		ext[0].ExtCps[0].MAC = mac
		_, params, err := f.Stack(t, "small", hot.Request{LevelID: "high", ExtVirtualLinks: ext})
		require.NoError(t, err)
		want := map[string]any{"network": "net", "mac_address": nil}
		if mac != "" {
			want["mac_address"] = mac
		}
		require.Equal(t, want, params["nfv"].(map[string]any)["CP"].(map[string]any)["node_CP"])
	}
}

func TestHeatParameters_tellsEverythingThatIsMissing(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceHOT(t, "parameters:\n", "parameters:\n  key_name: { type: string, description: Name of the key pair "+
			"}\n  zone: { type: string, default: nova }\n").
		ReplaceHOT(t, "[ nfv, VDU, node, image ]", "[ nfv, VDU, other, image ]")

	_, _, err := f.Stack(t, "small", hot.Request{})

	require.Equal(t, []string{
		"$.additionalParams.nfv: the Base HOT needs nfv.VDU.other.image (BaseHOT/small/top.yaml), but the VNFD does not " +
			"contain it",
		"$.extVirtualLinks: the connection point node_CP needs a network: add a link with an extCp whose cpdId is node_CP",
		"$.additionalParams.key_name: the Base HOT needs this parameter of type string: Name of the key pair",
	}, vnfpkgtest.Problems(t, err))
}

func TestHeatParameters_mergesWhatTheRequestSaysOfNfv(t *testing.T) {
	given := map[string]any{"nfv": map[string]any{
		"VDU": map[string]any{"node": map[string]any{"image": "other-image"}},
		"CP":  map[string]any{"node_CP": map[string]any{"network": "other-net"}},
	}}

	_, params, err := vnfpkgtest.Minimal().Stack(t, "small", hot.Request{AdditionalParams: given})

	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"VDU": map[string]any{"node": map[string]any{"image": "other-image", "flavor": "m1.small"}},
		"CP":  map[string]any{"node_CP": map[string]any{"network": "other-net"}},
	}, params["nfv"])
}

func TestHeatParameters_theLevelDecidesTheSize(t *testing.T) {
	ext := vnfpkgtest.Links("net", "node_CP")
	for given, ok := range map[any]bool{1: true, "1": true, 1.0: true, 2: false, "many": false} {
		_, params, err := vnfpkgtest.Minimal().Stack(t, "small",
			hot.Request{ExtVirtualLinks: ext, AdditionalParams: map[string]any{"workers_desired_capacity": given}})
		if ok {
			require.NoError(t, err)
			require.Equal(t, 1, params["workers_desired_capacity"])
			continue
		}
		require.Equal(t, []string{"$.additionalParams.workers_desired_capacity: differs from the 1 of the instantiation " +
			"level; leave it out or choose another level"}, vnfpkgtest.Problems(t, err))
	}

	f := vnfpkgtest.Minimal().ReplaceHOT(t, "max_size: 9", "max_size: 3")
	_, _, err := f.Stack(t, "small", hot.Request{LevelID: "high", ExtVirtualLinks: ext})
	require.Equal(t, []string{"$.instantiationLevelId: the group workers has a max_size of 3, less than the 4 instances " +
		"of node"}, vnfpkgtest.Problems(t, err))
}

func TestHeatParameters_setsTheNamesThatTackerUsesForSizes(t *testing.T) {
	for _, name := range []string{"workers_desired_capacity", "desired_capacity", "any_name"} {
		f := vnfpkgtest.Minimal().
			ReplaceHOT(t, "parameters:\n", "parameters:\n  "+name+": { type: number }\n").
			ReplaceHOT(t, "desired_capacity: 1", "desired_capacity: { get_param: "+name+" }")

		_, params, err := f.Stack(t, "small",
			hot.Request{LevelID: "high", ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})

		require.NoError(t, err)
		require.Equal(t, 4, params[name])
	}
}

func TestHeatParameters_ofInternalLinksThatAreManagedOutside(t *testing.T) {
	f := vnfpkgtest.Minimal().ReplaceVnfd(t, "        - virtual_binding: node\n",
		"        - virtual_binding: node\n        - virtual_link: internal\n    internal:\n      type: "+
			"tosca.nodes.nfv.VnfVirtualLink\n")

	_, params, err := f.Stack(t, "small",
		hot.Request{ExtManagedVirtualLinks: []hot.ExtManagedVirtualLink{{
			VnfVirtualLinkDescID: "internal",
			ResourceID:           "managed",
		}}})

	require.NoError(t, err)
	require.Equal(t, map[string]any{"node_CP": map[string]any{"network": "managed"}}, params["nfv"].(map[string]any)["CP"])
}

func TestHeatParameters_refusesGrantedChoicesThatTheTemplatesDoNotTake(t *testing.T) {
	given := hot.Request{
		ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP"), Zones: map[string]string{"node": "west"},
		Images: map[string]string{"node": "granted-image"}, ComputeFlavours: map[string]string{"node": "m1.huge"},
	}
	_, _, err := vnfpkgtest.Minimal().Stack(t, "small", given)
	require.Equal(t, []string{
		"$.addResources: the grant puts the servers of node into the zone west, but the Base HOT has no parameter " +
			"for a zone " +
			"(nfv.VDU.node.locationConstraints)",
	}, vnfpkgtest.Problems(t, err), "image and flavour are taken")

	f := vnfpkgtest.Minimal().
		ReplaceHOT(t, "{ get_param: [ nfv, VDU, node, image ] }", "fixed").
		ReplaceHOT(t, "{ get_param: [ nfv, VDU, node, flavor ] }", "fixed")
	given.Zones = nil
	_, _, err = f.Stack(t, "small", given)
	require.Equal(t, []string{
		"$.vimAssets.computeResourceFlavours: the grant gives node the flavour m1.huge, but the Base HOT has no " +
			"parameter for a flavour " +
			"(nfv.VDU.node.flavor)",
		"$.vimAssets.softwareImages: the grant gives node the image granted-image, but the Base HOT has no parameter " +
			"for an image " +
			"(nfv.VDU.node.image)",
	}, vnfpkgtest.Problems(t, err))

	given.Images, given.ComputeFlavours = map[string]string{"node": "image-1"}, map[string]string{"node": "m1.small"}
	_, _, err = f.Stack(t, "small", given)
	require.NoError(t, err, "those of the VNFD need no taking")
}
