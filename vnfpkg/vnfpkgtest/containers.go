package vnfpkgtest

// MinimalContainers returns a package with a VDU of containers, which is for Kubernetes.
func MinimalContainers() Files {
	return Minimal().WithoutHOT().With(TopVnfd, `tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  inputs: { given: { type: string }, db_password: { type: string } }
  substitution_mappings: { properties: { flavour_id: small } }
  node_templates:
    VNF: { type: tosca.nodes.nfv.VNF, properties: { descriptor_id: vnfd-1 } }
    web:
      type: tosca.nodes.nfv.Vdu.OsContainerDeployableUnit
      properties:
        name: web
        mcio_identification_data: { name: web, type: Deployment }
      requirements:
        - container: server
    server:
      type: tosca.nodes.nfv.Vdu.OsContainer
      properties:
        requested_cpu_resources: 500
      artifacts:
        sw_image: { type: tosca.artifacts.nfv.SwImage, file: x, properties: { name: web, version: '1' } }
    cp:
      type: tosca.nodes.nfv.VirtualCp
      properties:
        additionalServiceData: [ { portData: [ { name: http, protocol: tcp, port: 80 } ] } ]
      requirements:
        - target: web
  policies:
    - scaling: { type: tosca.policies.Scaling, targets: [ web ], properties: { max_instances: 3 } }
`)
}
