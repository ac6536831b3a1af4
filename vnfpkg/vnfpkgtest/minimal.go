package vnfpkgtest

import "github.com/windlass-nfv/windlass/vnfpkg/archive"

// Files of the packages here, which tests replace in part.
const (
	TopVnfd   = "Definitions/top.yaml"
	SmallHOT  = "BaseHOT/small/top.yaml"
	NestedHOT = "BaseHOT/small/nested/node.yaml"
)

// MinimalMeta is the TOSCA.meta of the package that Minimal returns.
const MinimalMeta = `TOSCA-Meta-File-Version: 1.0
Created-By: test
CSAR-Version: 1.1
Entry-Definitions: Definitions/top.yaml
`

// MinimalVnfd is its only definition, with a flavour, a VDU, an aspect and two levels.
const MinimalVnfd = `tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings:
    node_type: tosca.nodes.nfv.VNF
    properties:
      flavour_id: small
  node_templates:
    VNF:
      type: tosca.nodes.nfv.VNF
      properties:
        descriptor_id: vnfd-1
        provider: Someone
        product_name: Something
        software_version: 1.0
        descriptor_version: '2'
      interfaces:
        Vnflcm:
          instantiate: []
          instantiate_end:
            implementation: mgmt-drivers-kubernetes
    node:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        sw_image_data: { name: image-1 }
      capabilities:
        virtual_compute:
          properties:
            requested_additional_capabilities:
              any: { requested_additional_capability_name: m1.small }
    node_CP:
      type: tosca.nodes.nfv.VduCp
      requirements:
        - virtual_binding: node
  policies:
    - scaling:
        type: tosca.policies.nfv.ScalingAspects
        properties:
          aspects:
            workers: { max_scale_level: 3, step_deltas: [ one, two, one ] }
    - initial:
        type: tosca.policies.nfv.VduInitialDelta
        properties: { initial_delta: { number_of_instances: 1 } }
        targets: [ node ]
    - deltas:
        type: tosca.policies.nfv.VduScalingAspectDeltas
        properties:
          aspect: workers
          deltas: { one: { number_of_instances: 1 }, two: { number_of_instances: 2 } }
        targets: [ node ]
    - levels:
        type: tosca.policies.nfv.InstantiationLevels
        properties:
          levels:
            low: { scale_info: { workers: { scale_level: 0 } } }
            high: { scale_info: { workers: { scale_level: 2 } } }
          default_level: low
    - node_levels:
        type: tosca.policies.nfv.VduInstantiationLevels
        properties:
          levels: { low: { number_of_instances: 1 }, high: { number_of_instances: 4 } }
        targets: [ node ]
`

// MinimalHOT is the template of its flavour, with a group of servers.
const MinimalHOT = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  workers:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 9
      desired_capacity: 1 # as the author tried it
      resource:
        type: node.yaml
        properties:
          image: { get_param: [ nfv, VDU, node, image ] }
          flavor: { get_param: [ nfv, VDU, node, flavor ] }
          network: { get_param: [ nfv, CP, node_CP, network ] }
`

// MinimalNested is the nested template with the server.
const MinimalNested = `heat_template_version: 2013-05-23
parameters:
  image: { type: string }
  flavor: { type: string }
  network: { type: string }
resources:
  node:
    type: OS::Nova::Server
    properties:
      image: { get_param: image }
      flavor: { get_param: flavor }
      networks: [ { network: { get_param: network } } ]
`

// Minimal returns a small package that uses most of what Windlass reads: a flavour for servers, with its Base HOT.
func Minimal() Files {
	return Files{
		archive.MetaFile: MinimalMeta,
		TopVnfd:          MinimalVnfd,
		SmallHOT:         MinimalHOT,
		NestedHOT:        MinimalNested,
	}
}
