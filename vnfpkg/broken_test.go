package vnfpkg_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/archive"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestOpen_tellsWhatIsWrongWithAPackage(t *testing.T) {
	const (
		vnfd   = vnfpkgtest.TopVnfd
		hot    = vnfpkgtest.SmallHOT
		nested = vnfpkgtest.NestedHOT
	)
	m := vnfpkgtest.Minimal()
	cases := map[string]struct {
		files vnfpkgtest.Files
		want  []string
	}{
		"no TOSCA.meta": {
			m.Without(archive.MetaFile),
			[]string{"TOSCA-Metadata/TOSCA.meta: is missing: without it, the root of the archive must hold exactly " +
				"one YAML file (it holds 0)"},
		},
		"an empty TOSCA.meta": {m.With(archive.MetaFile, "\n\n"), []string{"TOSCA-Metadata/TOSCA.meta: is empty"}},
		"no entry definition named": {
			m.With(archive.MetaFile, "CSAR-Version: 1.1\n"),
			[]string{"TOSCA-Metadata/TOSCA.meta:1: does not name the entry definition (Entry-Definitions)"},
		},
		"the entry definition is missing": {
			m.Without(vnfd),
			[]string{`TOSCA-Metadata/TOSCA.meta:1: names the entry definition "Definitions/top.yaml", which the archive lacks`},
		},
		"a line of TOSCA.meta without a colon": {
			m.With(archive.MetaFile, vnfpkgtest.MinimalMeta+"nonsense\n"),
			[]string{`TOSCA-Metadata/TOSCA.meta:5: is not of the form "Key: value"`},
		},
		"a block without a name": {
			m.With(archive.MetaFile, vnfpkgtest.MinimalMeta+"\nContent-Type: text/plain\n"),
			[]string{"TOSCA-Metadata/TOSCA.meta:6: the block does not name its file (Name)"},
		},
		"a digest that does not match": {
			m.With("a.txt", "a").With(archive.MetaFile, vnfpkgtest.MinimalMeta+"\nName: a.txt\nAlgorithm: SHA-256\nHash: 00\n"),
			[]string{`a.txt: its SHA-256 digest is ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb, but TOSCA-Metadata/TOSCA.meta:6 says "00"`},
		},
		"a digest that does not match, with no blank line after it": {
			m.With("a.txt", "a").With("b.txt", "b").With("x.mf", "# made by a tool\nmetadata:\n  vnf_product_name: x\n"+
				"Source: a.txt\nAlgorithm: SHA-256\nHash: 00\nSource: b.txt\nAlgorithm: SHA-256\n"+
				"Hash: 3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d\n").
				With(archive.MetaFile, vnfpkgtest.MinimalMeta+"Entry-Manifest: x.mf\n"),
			[]string{`a.txt: its SHA-256 digest is ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb, but x.mf:4 says "00"`},
		},
		"two digests of one file": {
			m.With("a.txt", "a").With("x.mf", "Source: a.txt\nAlgorithm: SHA-256\nHash: 00\nHash: "+
				"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n").
				With(archive.MetaFile, vnfpkgtest.MinimalMeta+"ETSI-Entry-Manifest: x.mf\n"),
			[]string{
				"x.mf:4: is a second Hash for the same file",
				`a.txt: its SHA-256 digest is ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb, but x.mf:1 says "00"`,
			},
		},
		"a text that grows by its aliases": {
			m.With(hot, vnfpkgtest.MinimalHOT+"x: &x "+strings.Repeat("x", 500<<10)+"\ny: ["+strings.Repeat("*x,", 20)+"*x]\n"),
			[]string{"BaseHOT/small/top.yaml:17: is larger than the 4 MiB allowed, aliases expanded"},
		},
		"an unknown digest": {
			m.With("a.txt", "a").With(archive.MetaFile, vnfpkgtest.MinimalMeta+"\nName: a.txt\nAlgorithm: MD5\nHash: 00\n"),
			[]string{`TOSCA-Metadata/TOSCA.meta:6: names the digest algorithm "MD5"; Windlass knows SHA-224, ` +
				`SHA-256, SHA-384 and SHA-512`},
		},
		"a missing manifest": {
			m.With(archive.MetaFile, vnfpkgtest.MinimalMeta+"ETSI-Entry-Manifest: x.mf\n"),
			[]string{`TOSCA-Metadata/TOSCA.meta:1: names the manifest "x.mf", which the archive lacks`},
		},
		"not YAML": {
			m.With(vnfd, "a: [\n"),
			[]string{"Definitions/top.yaml: is not YAML: line 1: did not find expected node content"},
		},
		"not a mapping": {m.With(vnfd, "- a\n"), []string{"Definitions/top.yaml: is not a mapping"}},
		"several documents": {
			m.With(vnfd, "a: 1\n---\nb: 1\n"),
			[]string{"Definitions/top.yaml:2: holds several YAML documents; one is expected"},
		},
		"a key twice": {
			m.With(hot, vnfpkgtest.MinimalHOT+"resources: {}\n"),
			[]string{`BaseHOT/small/top.yaml:17: has the key "resources" twice`},
		},
		"not TOSCA": {
			m.ReplaceVnfd(t, "tosca_simple_yaml_1_2", "cloudify_dsl_1_3"),
			[]string{`Definitions/top.yaml: its tosca_definitions_version is "cloudify_dsl_1_3"; Windlass knows ` +
				`tosca_simple_yaml_1_2 and other versions 1.x`},
		},
		"a missing import": {
			m.With(vnfd, vnfpkgtest.MinimalVnfd+"imports: [ types.yaml ]\n"),
			[]string{`Definitions/top.yaml:62: imports "types.yaml", which the archive lacks`},
		},
		"an import from outside": {
			m.With(vnfd, vnfpkgtest.MinimalVnfd+"imports: [ '../../etc/passwd', 'https://example.org/types.yaml' ]\n"),
			[]string{
				`Definitions/top.yaml:62: imports "../../etc/passwd", which the archive lacks`,
				`Definitions/top.yaml:62: imports "https://example.org/types.yaml"; only files in the package are read`,
			},
		},
		"imports in a circle": {
			m.With(vnfd, vnfpkgtest.MinimalVnfd+"imports: [ a.yaml ]\n").
				With("Definitions/a.yaml", "tosca_definitions_version: tosca_simple_yaml_1_2\nimports: [ { file: b.yaml } ]\n").
				With("Definitions/b.yaml", "tosca_definitions_version: tosca_simple_yaml_1_2\nimports: [ { again: { file: a.yaml "+
					"} } ]\n"),
			[]string{"Definitions/b.yaml: imports Definitions/a.yaml, which in turn imports this file: " +
				"Definitions/a.yaml -> " +
				"Definitions/b.yaml -> Definitions/a.yaml"},
		},
		"a node type that nobody defines": {
			m.ReplaceVnfd(t, "      type: tosca.nodes.nfv.VduCp", "      type: my.Cp"),
			[]string{`Definitions/top.yaml:31: the node "node_CP" is of type "my.Cp", which no imported definition defines`},
		},
		"no descriptor_id": {
			m.ReplaceVnfd(t, "        descriptor_id: vnfd-1\n", ""),
			[]string{"Definitions/top.yaml: the VNF node has no descriptor_id, neither as a property nor as a default of its " +
				"type"},
		},
		"no flavour": {
			vnfpkgtest.Files{
				archive.MetaFile: vnfpkgtest.MinimalMeta,
				vnfd: "tosca_definitions_version: tosca_simple_yaml_1_2\n" +
					"topology_template: { node_templates: { VNF: { type: tosca.nodes.nfv.VNF, properties: { descriptor_id: a } } } " +
					"}\n",
			},
			[]string{"Definitions/top.yaml: no definition has a deployment flavour " +
				"(topology_template.substitution_mappings.properties.flavour_id)"},
		},
		"a flavour without a name": {
			m.ReplaceVnfd(t, "      flavour_id: small", "      other: small").Without(hot).Without(nested),
			[]string{"Definitions/top.yaml: the definition has VDUs or substitution_mappings but no flavour_id"},
		},
		"a requirement of nothing": {
			m.ReplaceVnfd(t, "virtual_binding: node", "virtual_binding: nod"),
			[]string{`Definitions/top.yaml:33: the requirement virtual_binding names the node "nod", which does not exist`},
		},
		"a policy for nothing": {
			m.ReplaceVnfd(t, "targets: [ node ]", "targets: [ nod ]"),
			[]string{`Definitions/top.yaml:43: the policy initial names the target "nod", which is neither a node nor a group`},
		},
		"deltas of no aspect": {
			m.ReplaceVnfd(t, "aspect: workers", "aspect: masters"),
			[]string{`Definitions/top.yaml:45: the policy deltas scales the aspect "masters", which no ScalingAspects policy defines`},
		},
		"a delta that is missing": {
			m.ReplaceVnfd(t, "[ one, two, one ]", "[ one, three ]"),
			[]string{`Definitions/top.yaml:45: the policy deltas lacks the delta "three" of the aspect workers`},
		},
		"a level of no aspect": {
			m.ReplaceVnfd(t, "low: { scale_info: { workers", "low: { scale_info: { masters"),
			[]string{`Definitions/top.yaml:54: the level low names the aspect "masters", which no ScalingAspects policy defines`},
		},
		"a level beyond the aspect": {
			m.ReplaceVnfd(t, "scale_level: 2", "scale_level: 4"),
			[]string{"Definitions/top.yaml:55: the level high puts the aspect workers at scale level 4, but its " +
				"max_scale_level is 3"},
		},
		"a default level that does not exist": {
			m.ReplaceVnfd(t, "default_level: low", "default_level: lowest"),
			[]string{`Definitions/top.yaml:56: default_level is "lowest", which is not among the levels`},
		},
		"instances at a level that does not exist": {
			m.ReplaceVnfd(t, "levels: { low: {", "levels: { mid: {"),
			[]string{`Definitions/top.yaml:60: the policy node_levels names the instantiation level "mid", which does not exist`},
		},
		"a number that is none": {
			m.ReplaceVnfd(t, "initial_delta: { number_of_instances: 1", "initial_delta: { number_of_instances: many"),
			[]string{`Definitions/top.yaml:42: "many" is not a whole number between 0 and 10000`},
		},
		"an implementation without an artifact": {
			m.ReplaceVnfd(t, "implementation: mgmt-drivers-kubernetes", "implementation: my-driver"),
			[]string{`Definitions/top.yaml:20: the implementation of instantiate_end is "my-driver", which is neither an artifact of the node nor a driver of Windlass (mgmt-drivers-ansible, mgmt-drivers-cnf-nodeport, mgmt-drivers-kubernetes, mgmt-drivers-kubespray, mgmt-drivers-private-registry)`},
		},
		"a nested template that is missing": {
			m.Without(nested),
			[]string{`BaseHOT/small/top.yaml:12: uses "node.yaml", which the archive lacks (looked for in BaseHOT/small/nested)`},
		},
		"templates that use each other": {
			m.With(nested, vnfpkgtest.MinimalNested+"  again: { type: node.yaml }\n"),
			[]string{"BaseHOT/small/nested/node.yaml: uses BaseHOT/small/nested/node.yaml, which in turn uses this " +
				"file"},
		},
		"a template without a version": {
			m.ReplaceHOT(t, "heat_template_version: 2013-05-23\n", ""),
			[]string{"BaseHOT/small/top.yaml: is not a Heat template: it has no heat_template_version"},
		},
		"a template without resources": {
			m.With(hot, "heat_template_version: 2013-05-23\n"),
			[]string{"BaseHOT/small/top.yaml: has no resources"},
		},
		"references to nothing in a template": {
			m.With(hot, vnfpkgtest.MinimalHOT+
				"  p: { type: OS::Neutron::Port, properties: { network: { get_param: net }, x: { get_attr: "+
				"[ q, y ] }, z: { get_resource: r } } }\n"),
			[]string{
				`BaseHOT/small/top.yaml:17: refers to the parameter "net", which the template does not define`,
				`BaseHOT/small/top.yaml:17: refers to the resource "q", which the template does not define`,
				`BaseHOT/small/top.yaml:17: refers to the resource "r", which the template does not define`,
			},
		},
		"several mistakes at once": {
			m.ReplaceVnfd(t, "aspect: workers", "aspect: masters").Without(nested).
				With(archive.MetaFile, vnfpkgtest.MinimalMeta+"\nHash: 1\n"),
			[]string{
				"TOSCA-Metadata/TOSCA.meta:6: the block does not name its file (Name)",
				`Definitions/top.yaml:45: the policy deltas scales the aspect "masters", which no ScalingAspects policy defines`,
				`BaseHOT/small/top.yaml:12: uses "node.yaml", which the archive lacks (looked for in BaseHOT/small/nested)`,
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := c.files.TryOpen()
			require.Equal(t, c.want, vnfpkgtest.Problems(t, err))
		})
	}
}
