package vnfpkgtest

import "testing"

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

// Rated returns a package whose virtual links have bit rates. The template uses one of them.
func Rated(t testing.TB) Files {
	t.Helper()
	return Minimal().
		ReplaceVnfd(t, "    node_CP:\n", `    inner:
      type: tosca.nodes.nfv.VnfVirtualLink
      properties: { vl_profile: { min_bitrate_requirements: { root: 0 }, max_bitrate_requirements: { root: 10000000 } } }
    fixed: { type: tosca.nodes.nfv.VnfVirtualLink }
    node_CP:
`).
		ReplaceVnfd(t, "    - levels:\n", ratePolicies+"    - levels:\n").
		ReplaceHOT(t, "resources:\n", `resources:
  limit:
    type: OS::Neutron::QoSBandwidthLimitRule
    properties: { policy: fast, max_kbps: { get_param: [ nfv, VL, inner, kbps ] } }
`)
}
