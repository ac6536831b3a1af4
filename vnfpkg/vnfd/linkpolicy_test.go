package vnfd_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

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
		_, err := vnfpkgtest.Rated(t).ReplaceVnfd(t, edit[0], edit[1]).TryOpen()
		require.Contains(t, strings.Join(vnfpkgtest.Problems(t, err), "\n"), want, edit[1])
	}
	warned := func(f vnfpkgtest.Files) string { return strings.Join(vnfpkgtest.Sentences(f.Open(t).Warnings), "\n") }
	require.Contains(t, warned(vnfpkgtest.Rated(t)),
		"the level high gives inner a bit rate of 9000000 bit/s (leaf 0), but its scale levels make 1003500 (leaf 501)")
	require.Contains(t, warned(vnfpkgtest.Rated(t).ReplaceVnfd(t, "root: 9000000", "root: 90000000")),
		"gives inner a bit rate of 90000000 bit/s (leaf 0), outside of its vl_profile")
	require.Contains(t, warned(vnfpkgtest.Rated(t).ReplaceHOT(t, "VL, inner, kbps", "VL, outer, kbps")),
		`takes "outer" from nfv, but the flavour small has no such virtual link`)
	require.Contains(t, warned(vnfpkgtest.Rated(t).ReplaceHOT(t, "{ get_param: [ nfv, VL, inner, kbps ] }", "1")),
		"the VNFD scales the bit rate of inner, but no template uses it")
	require.Contains(t, warned(vnfpkgtest.Rated(t).ReplaceVnfd(t, "        targets: [ inner ]\n    - inner_deltas",
		"        targets: [ fixed ]\n    - inner_deltas")), "no VirtualLinkBitrateInitialDelta, so")
}

func TestPolicies_ofVirtualAddressesAreLeftToTheBaseHOT(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceVnfd(t, "    node_CP:\n", "    vip: { type: tosca.nodes.nfv.VipCp }\n    node_CP:\n").
		ReplaceVnfd(t, "    - levels:\n", "    - vips:\n        type: tosca.policies.nfv.VipCpInitialDelta\n        "+
			"properties: { initial_delta: { number_of_instances: 1 } }\n        targets: [ vip ]\n    - levels:\n")
	require.Contains(t, strings.Join(vnfpkgtest.Sentences(f.Open(t).Warnings), "\n"),
		"the policy vips is not used: the Base HOT alone decides how many virtual addresses there are")
	_, err := f.ReplaceVnfd(t, "targets: [ vip ]", "targets: [ node ]").TryOpen()
	require.Contains(t, vnfpkgtest.Problems(t, err)[0],
		`is for connection points of virtual addresses, but "node" is not such`)
}
