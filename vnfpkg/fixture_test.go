package vnfpkg

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/heat/generator"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

const minimalMeta = `TOSCA-Meta-File-Version: 1.0
Created-By: test
CSAR-Version: 1.1
Entry-Definitions: Definitions/top.yaml
`

const minimalVnfd = `tosca_definitions_version: tosca_simple_yaml_1_2
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

const minimalHOT = `heat_template_version: 2013-05-23
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

const minimalNested = `heat_template_version: 2013-05-23
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

// files are the files of a package, by name.
type files map[string]string

func minimal() files {
	return files{
		archive.MetaFile:                 minimalMeta,
		"Definitions/top.yaml":           minimalVnfd,
		"BaseHOT/small/top.yaml":         minimalHOT,
		"BaseHOT/small/nested/node.yaml": minimalNested,
	}
}

// replace replaces a text in one file. It fails the test if the text is not there.
func (f files) replace(t testing.TB, name, from, to string) files {
	t.Helper()
	require.Contains(t, f[name], from)
	out := maps.Clone(f)
	out[name] = strings.Replace(out[name], from, to, 1)
	return out
}

func (f files) with(name, text string) files {
	out := maps.Clone(f)
	out[name] = text
	return out
}

func (f files) without(name string) files {
	out := maps.Clone(f)
	delete(out, name)
	return out
}

func (f files) zip() []byte {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		w, err := zw.Create(name)
		if err == nil {
			_, err = w.Write([]byte(f[name]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := zw.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func openBytes(data []byte, limits archive.Limits) (*Package, error) {
	return Open(bytes.NewReader(data), int64(len(data)), Options{Limits: limits, Templates: generator.Templates})
}

func (f files) open(t testing.TB) *Package {
	t.Helper()
	p, err := openBytes(f.zip(), archive.Limits{})
	require.NoError(t, err)
	return p
}

func (f files) read(name string) ([]byte, error) {
	data, ok := f[name]
	if !ok {
		return nil, lcm.Errorf(lcm.KindNotFound, "no file %s", name)
	}
	return []byte(data), nil
}

// stack makes the template and the parameters of a flavour, as the infrastructure activity does.
func (f files) stack(t testing.TB, flavour string, req hot.Request) (hot.Template, map[string]any, error) {
	t.Helper()
	p := f.open(t)
	fl, err := p.Vnfd.Flavour(flavour)
	require.NoError(t, err)
	template, err := hot.StackTemplate(fl, f.read)
	require.NoError(t, err)
	params, err := hot.Parameters(fl, template, req)
	return template, params, err
}

func links(network string, cpds ...string) []lcm.ExtVirtualLink {
	link := lcm.ExtVirtualLink{ID: "link", ResourceID: network}
	for _, cpd := range cpds {
		link.ExtCps = append(link.ExtCps, lcm.ExtCp{CpdID: cpd})
	}
	return []lcm.ExtVirtualLink{link}
}

// problems returns the problems of an error, as "path: detail".
func problems(t testing.TB, err error) []string {
	t.Helper()
	var e *lcm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, lcm.KindInvalid, e.Kind, "%v", err)
	if len(e.Problems) == 0 {
		return []string{e.Detail}
	}
	return sentences(e.Problems)
}

func sentences(list []lcm.Problem) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, p.Path+": "+p.Detail)
	}
	return out
}
