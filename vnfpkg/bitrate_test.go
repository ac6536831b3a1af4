package vnfpkg

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

const ratePolicies = `    - inner_initial:
        type: tosca.policies.nfv.VirtualLinkBitrateInitialDelta
        properties: { initial_delta: { bitrate_requirements: { root: 1000000, leaf: 500 } } }
        targets: [ inner ]
    - inner_deltas:
        type: tosca.policies.nfv.VirtualLinkBitrateScalingAspectDeltas
        properties:
          aspect: workers
          deltas: { one: { bitrate_requirements: { root: 1000 } }, two: { bitrate_requirements: { root: 2500, leaf: 1 } } }
        targets: [ inner ]
    - inner_levels:
        type: tosca.policies.nfv.VirtualLinkInstantiationLevels
        properties: { levels: { high: { bitrate_requirements: { root: 9000000 } } } }
        targets: [ inner, fixed ]
`

// rated returns a package whose virtual links have bit rates. The template uses one of them.
func rated(t *testing.T) files {
	return minimal().
		replace(t, topVnfd, "    node_CP:\n", `    inner:
      type: tosca.nodes.nfv.VnfVirtualLink
      properties: { vl_profile: { min_bitrate_requirements: { root: 0 }, max_bitrate_requirements: { root: 10000000 } } }
    fixed: { type: tosca.nodes.nfv.VnfVirtualLink }
    node_CP:
`).
		replace(t, topVnfd, "    - levels:\n", ratePolicies+"    - levels:\n").
		replace(t, smallHOT, "resources:\n", `resources:
  limit:
    type: OS::Neutron::QoSBandwidthLimitRule
    properties: { policy: fast, max_kbps: { get_param: [ nfv, VL, inner, kbps ] } }
`)
}

func TestBitrates_areThoseOfTheLevelElseTheInitialOneAndTheSteps(t *testing.T) {
	f := &rated(t).open(t).Vnfd.Flavours[0]
	require.Equal(t, &descriptor.Bitrate{Root: 10_000_000}, f.VirtualLinks[0].MaxBitrate)
	for level, want := range map[string]map[string]descriptor.Bitrate{
		"":     {"inner": {Root: 1_000_000, Leaf: 500}, "fixed": {Root: 9_000_000}},
		"low":  {"inner": {Root: 1_000_000, Leaf: 500}, "fixed": {Root: 9_000_000}},
		"high": {"inner": {Root: 9_000_000}, "fixed": {Root: 9_000_000}},
	} {
		rates, err := f.Bitrates(level)
		require.NoError(t, err)
		require.Equal(t, want, rates, level)
		if level != "" {
			require.Equal(t, want, f.BitratesOf(level, nil))
		}
	}
	_, err := f.Bitrates("absent")
	require.Error(t, err)
	for level, want := range []descriptor.Bitrate{
		{Root: 1_000_000, Leaf: 500},
		{Root: 1_001_000, Leaf: 500},
		{Root: 1_003_500, Leaf: 501},
		{Root: 1_004_500, Leaf: 501},
	} {
		require.Equal(t, want, f.BitratesOf("", []lcm.ScaleInfo{{AspectID: "workers", ScaleLevel: level}})["inner"])
	}
	require.True(t, f.RatesDiffer(map[string]descriptor.Bitrate{"inner": {Root: 1}}, nil))
	require.False(t, f.RatesDiffer(map[string]descriptor.Bitrate{"fixed": {Root: 1}}, nil), "no template takes it")
}

func TestHeatParameters_haveTheBitratesThatTemplatesTake(t *testing.T) {
	f := rated(t)
	kbps := func(f files, req hot.Request) any {
		_, params, err := f.stack(t, "small", req)
		require.NoError(t, err)
		return params["nfv"].(map[string]any)["VL"].(map[string]any)["inner"]
	}
	network := links("net", "node_CP")
	require.Equal(t, map[string]any{"kbps": int64(1000)}, kbps(f, hot.Request{ExtVirtualLinks: network}))
	require.Equal(t, map[string]any{"kbps": int64(9000)}, kbps(f, hot.Request{LevelID: "high", ExtVirtualLinks: network}))
	scaled := hot.Request{
		Capacity: map[string]int{"node": 2}, Bitrates: map[string]descriptor.Bitrate{"inner": {Root: 1_001_001}},
		ExtVirtualLinks: network,
	}
	require.Equal(t, map[string]any{"kbps": int64(1002)}, kbps(f, scaled), "rounded up")
	whole := f.replace(t, smallHOT, "[ nfv, VL, inner, kbps ]", "[ nfv, VL, inner ]")
	require.Equal(t, map[string]any{
		"bitrate": int64(1_001_001), "kbps": int64(1002), "leaf_bitrate": int64(0), "leaf_kbps": int64(0),
	}, kbps(whole, scaled))

	made, err := hot.StackTemplate(&f.open(t).Vnfd.Flavours[0], f.read)
	require.NoError(t, err)
	params, err := hot.MadeParameters(&f.open(t).Vnfd.Flavours[0], made, scaled, map[string]any{"nfv": map[string]any{}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"inner": map[string]any{"kbps": int64(1002)}}, params["nfv"].(map[string]any)["VL"],
		"whatever a user data class makes")

	unknown := f.replace(t, smallHOT, "[ nfv, VL, inner, kbps ]", "[ nfv, VL, inner, bandwidth ]")
	_, _, err = unknown.stack(t, "small", hot.Request{ExtVirtualLinks: network})
	require.Contains(t, problems(t, err)[0], "needs nfv.VL.inner.bandwidth")
}

func TestBitrates_thatContradictEachOtherAreRefusedOrTold(t *testing.T) {
	for edit, want := range map[[2]string]string{
		{"root: 1000000, leaf: 500", "leaf: 500"}: "the bit rate has no root",
		{
			"{ root: 1000000, leaf: 500 }",
			"1 Gbit",
		}: "must be a bit rate with root and, optionally, leaf",
		{"root: 1000 }", "root: 1 Gbps }"}:        `"1 Gbps" is not a bit rate: give a whole number`,
		{"root: 1000 }", "root: 2000000000000 }"}: "is not a bit rate",
		{
			"bitrate_requirements: { root: 1000 }",
			"number: 1",
		}: `the delta "one" has no bitrate_requirements`,
		{
			"one: { bitrate_requirements: { root: 1000 } }, ",
			"",
		}: `lacks the delta "one" of the aspect workers`,
		{
			"aspect: workers\n          deltas: { one: { bit",
			"aspect: others\n          deltas: { one: { bit",
		}: `scales the aspect "others"`,
		{"high: { bitrate", "higher: { bitrate"}: `names the instantiation level "higher"`,
		{
			"{ high: { bitrate_requirements: { root: 9000000 } } }",
			"{ high: {} }",
		}: `the level "high" has no bitrate_requirements`,
		{
			"{ initial_delta: { bitrate_requirements: { root: 1000000, leaf: 500 } } }",
			"{}",
		}: "the initial delta has no bitrate_requirements",
		{"[ inner, fixed ]", "[ inner, node ]"}: `is for virtual links, but "node" is not a virtual link`,
		{
			"max_bitrate_requirements: { root: 10000000 }",
			"max_bitrate_requirements: { root: -1 }",
		}: "is not a bit rate",
		{
			"min_bitrate_requirements: { root: 0 }",
			"min_bitrate_requirements: { root: 20000000 }",
		}: "max_bitrate_requirements are smaller",
		{"fixed: { type: tosca.nodes.nfv.VnfVirtualLink }", "fixed: { type: tosca.nodes.nfv.VnfVirtualLink, properties: { " +
			"externally_managed: perhaps } }"}: `"perhaps", neither allowed nor required`,
	} {
		_, err := openBytes(rated(t).replace(t, topVnfd, edit[0], edit[1]).zip(), archive.Limits{})
		require.Contains(t, strings.Join(problems(t, err), "\n"), want, edit[1])
	}
	warned := func(f files) string { return strings.Join(sentences(f.open(t).Warnings), "\n") }
	require.Contains(t, warned(rated(t)),
		"the level high gives inner a bit rate of 9000000 bit/s (leaf 0), but its scale levels make 1003500 (leaf 501)")
	require.Contains(t, warned(rated(t).replace(t, topVnfd, "root: 9000000", "root: 90000000")),
		"gives inner a bit rate of 90000000 bit/s (leaf 0), outside of its vl_profile")
	require.Contains(t, warned(rated(t).replace(t, smallHOT, "VL, inner, kbps", "VL, outer, kbps")),
		`takes "outer" from nfv, but the flavour small has no such virtual link`)
	require.Contains(t, warned(rated(t).replace(t, smallHOT, "{ get_param: [ nfv, VL, inner, kbps ] }", "1")),
		"the VNFD scales the bit rate of inner, but no template uses it")
	require.Contains(t, warned(rated(t).replace(t, topVnfd, "        targets: [ inner ]\n    - inner_deltas",
		"        targets: [ fixed ]\n    - inner_deltas")), "no VirtualLinkBitrateInitialDelta, so")
}

func TestPolicies_ofVirtualAddressesAreLeftToTheBaseHOT(t *testing.T) {
	f := minimal().
		replace(t, topVnfd, "    node_CP:\n", "    vip: { type: tosca.nodes.nfv.VipCp }\n    node_CP:\n").
		replace(t, topVnfd, "    - levels:\n", "    - vips:\n        type: tosca.policies.nfv.VipCpInitialDelta\n        "+
			"properties: { initial_delta: { number_of_instances: 1 } }\n        targets: [ vip ]\n    - levels:\n")
	require.Contains(t, strings.Join(sentences(f.open(t).Warnings), "\n"),
		"the policy vips is not used: the Base HOT alone decides how many virtual addresses there are")
	_, err := openBytes(f.replace(t, topVnfd, "targets: [ vip ]", "targets: [ node ]").zip(), archive.Limits{})
	require.Contains(t, problems(t, err)[0], `is for connection points of virtual addresses, but "node" is not such`)
}

func TestLinks_mayHaveToBeManagedElsewhere(t *testing.T) {
	f := rated(t).replace(t, topVnfd, "fixed: { type: tosca.nodes.nfv.VnfVirtualLink }",
		"fixed: { type: tosca.nodes.nfv.VnfVirtualLink, properties: { externally_managed: required } }")
	fl := &f.open(t).Vnfd.Flavours[0]
	require.Equal(t, []bool{false, true}, []bool{fl.VirtualLinks[0].ManagedElsewhere, fl.VirtualLinks[1].ManagedElsewhere})
	require.Equal(t, []lcm.Problem{{
		Path:   "$.extManagedVirtualLinks",
		Detail: `the VNFD requires a network that is managed elsewhere for the virtual link "fixed"`,
	}}, hot.Unmanaged(fl, nil))
	require.Empty(t, hot.Unmanaged(fl, []hot.ExtManagedVirtualLink{{VnfVirtualLinkDescID: "fixed"}}))
}
