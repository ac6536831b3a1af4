package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const fragmentsDir = "testdata/specifications/fragments"

// fragment is a part of a VNFD or of a HOT that a specification shows. specifiedRequests on-boards packages that have it,
// and carries out a request with each.
type fragment struct {
	// data is the file with the fragment; into is the file of the package, and under a member of it, or "".
	data, into, under string
	// more is merged after the fragment: what the specification leaves out, and what differs.
	more string
	// differs has the reason for each member whose value differs.
	differs map[string]string
}

// fragments are those of each specification.
var fragments = map[string][]fragment{
	"kubespray": {
		{
			data: "kubespray.vnfd.yaml", into: "Definitions/external_lb_df_simple.yaml", under: "topology_template",
			more: `
node_templates:
  externalLB_CP2:
    properties: { layer_protocols: [ ipv4 ], order: 1 }
  internalVL:
    type: tosca.nodes.nfv.VnfVirtualLink
    properties:
      connectivity_type: { layer_protocols: [ ipv4 ] }
      vl_profile:
        max_bitrate_requirements: { root: 1048576 }
        min_bitrate_requirements: { root: 1048576 }
`,
		},
		{
			data: "kubespray.hot.yaml", into: "BaseHOT/simple/simple_hot_top.yaml",
			// The request has no values for these parameters of the Base HOT.
			more: `
parameters:
  flavor: { default: m1.small }
  image: { default: debian-12-k8s }
  public_network: { default: net0 }
  net1: { default: net0 }
`,
		},
	},
	"persistent-volumes": {
		{data: "persistent-volumes.vnfd.yaml", into: "Definitions/k8s_ha_df_storage.yaml", under: "topology_template"},
		{data: "persistent-volumes.hot.yaml", into: "BaseHOT/simple/simple_hot_top.yaml"},
	},
	"private-registry": {
		{data: "private-registry.vnfd.yaml", into: "Definitions/private_registry_df_simple.yaml", under: "topology_template"},
	},
	"ha-masters": {
		{
			data: "ha-masters.vnfd.yaml", into: "Definitions/k8s_ha_df_ha.yaml", under: "topology_template",
			more: `
node_templates:
  VNF:
    artifacts:
      mgmt-drivers-kubernetes:
        file: Scripts/kubernetes_mgmt.py
`,
			differs: map[string]string{
				".node_templates.VNF.artifacts.mgmt-drivers-kubernetes.file": "the specification leaves the path open by dots",
			},
		},
	},
}

func (f fragment) path() string { return filepath.Join(fragmentsDir, f.data) }

func readYAML(t *testing.T, file string) *yaml.Node {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return parseYAML(t, string(text))
}

func parseYAML(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
	require.Len(t, doc.Content, 1)
	return doc.Content[0]
}

// merge writes the fragment into its file of the package.
func (f fragment) merge(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, f.into)
	whole := readYAML(t, file)
	part := whole
	if f.under != "" {
		part = member(whole, f.under)
		require.NotNil(t, part, "%s has no %s", f.into, f.under)
	}
	mergeYAML(part, readYAML(t, f.path()))
	if f.more != "" {
		mergeYAML(part, parseYAML(t, f.more))
	}
	text, err := yaml.Marshal(whole)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// member returns the value of a member of a mapping, or nil.
func member(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; mapping.Kind == yaml.MappingNode && i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// mergeYAML puts all values of from into to. A member without a value stands for any value.
func mergeYAML(to, from *yaml.Node) {
	switch {
	case from.Kind == yaml.MappingNode && to.Kind == yaml.MappingNode:
		for i := 0; i < len(from.Content); i += 2 {
			if old := member(to, from.Content[i].Value); old != nil {
				mergeYAML(old, from.Content[i+1])
			} else {
				to.Content = append(to.Content, from.Content[i], from.Content[i+1])
			}
		}
	case from.Kind == yaml.SequenceNode && to.Kind == yaml.SequenceNode:
		for i, element := range from.Content {
			if i < len(to.Content) {
				mergeYAML(to.Content[i], element)
			} else {
				to.Content = append(to.Content, element)
			}
		}
	case from.Tag != "!!null":
		*to = *from
	}
}

// lacking returns the paths of values of part that whole does not have, of the same type.
func lacking(whole, part *yaml.Node, path string) (paths []string) {
	switch {
	case part.Tag == "!!null":
	case whole.Kind != part.Kind, part.Kind == yaml.ScalarNode && (whole.Value != part.Value || whole.Tag != part.Tag):
		return []string{path}
	case part.Kind == yaml.MappingNode:
		for i := 0; i < len(part.Content); i += 2 {
			name := path + "." + part.Content[i].Value
			if value := member(whole, part.Content[i].Value); value == nil {
				paths = append(paths, name)
			} else {
				paths = append(paths, lacking(value, part.Content[i+1], name)...)
			}
		}
	case part.Kind == yaml.SequenceNode:
		for i, element := range part.Content {
			name := fmt.Sprintf("%s[%d]", path, i)
			if i >= len(whole.Content) {
				paths = append(paths, name)
			} else {
				paths = append(paths, lacking(whole.Content[i], element, name)...)
			}
		}
	}
	return paths
}

// TestFragments_areInThePackagesThatAreCarriedOut compares the packages of specifiedRequests with the fragments, member
// by member.
func TestFragments_areInThePackagesThatAreCarriedOut(t *testing.T) {
	root, err := environment.Root()
	require.NoError(t, err)
	compared := 0
	for _, s := range specifications {
		dir := s.writePackage(t, root, nil)
		for _, f := range fragments[s.name] {
			whole := readYAML(t, filepath.Join(dir, f.into))
			if f.under != "" {
				whole = member(whole, f.under)
			}
			got := lacking(whole, readYAML(t, f.path()), "")
			require.Equal(t, slices.Sorted(maps.Keys(f.differs)), slices.Sorted(slices.Values(got)), f.data)
			compared++
		}
	}
	require.Equal(t, 6, compared)
}
