package record

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// twoStorages is a definition whose VDU needs two volumes, by two requirements with the same name.
const twoStorages = `tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings:
    node_type: tosca.nodes.nfv.VNF
    properties: { flavour_id: small }
  node_templates:
    VNF:
      type: tosca.nodes.nfv.VNF
      properties: { descriptor_id: d, provider: Someone, product_name: Something, software_version: '1', descriptor_version: '1' }
      interfaces: { Vnflcm: { instantiate: [] } }
    node:
      type: tosca.nodes.nfv.Vdu.Compute
      requirements:
        - virtual_storage: data
        - virtual_storage: { node: log }
    data:
      type: tosca.nodes.nfv.Vdu.VirtualBlockStorage
      properties: { virtual_block_storage_data: { size_of_storage: 10 GB } }
    log:
      type: tosca.nodes.nfv.Vdu.VirtualBlockStorage
      properties: { virtual_block_storage_data: { size_of_storage: 1 GB } }
  policies:
    - initial:
        type: tosca.policies.nfv.VduInitialDelta
        properties: { initial_delta: { number_of_instances: 1 } }
        targets: [ node ]
`

// opened opens a package with one definition.
func opened(t *testing.T, definition string) *vnfpkg.Package {
	t.Helper()
	var csar bytes.Buffer
	w := zip.NewWriter(&csar)
	for name, text := range map[string]string{
		"TOSCA-Metadata/TOSCA.meta": "TOSCA-Meta-File-Version: 1.0\nCreated-By: test\nCSAR-Version: 1.1\nEntry-Definitions: " +
			"Definitions/top.yaml\n",
		"Definitions/top.yaml": definition,
		"BaseHOT/small/top.yaml": "heat_template_version: 2013-05-23\nresources:\n  node: { type: 'OS::Nova::Server', " +
			"properties: { image: i, flavor: f } }\n",
	} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	p, err := vnfpkg.Open(bytes.NewReader(csar.Bytes()), int64(csar.Len()),
		vnfpkg.Options{Templates: templates.Make})
	require.NoError(t, err)
	return p
}

func TestStorages_ofAVduAreAllOfThem(t *testing.T) {
	flavour, err := opened(t, twoStorages).Vnfd.Flavour("small")
	require.NoError(t, err)
	j := instantiating(``)
	j.Flavour = flavour
	j.Request.FlavourID, j.OpOcc.Params = "small", json.RawMessage(`{"flavourId":"small"}`)
	facts, p, err := j.Planned()
	require.NoError(t, err)

	var granted []string
	for _, r := range lifecycle.Granted(facts, p, lcm.VimConnectionInfo{ID: "vim"}).AddResources {
		granted = append(granted, r.Type+" "+r.ResourceTemplateID)
	}
	require.Equal(t, []string{"COMPUTE node", "STORAGE data", "STORAGE log"}, granted)
	require.Equal(t, 2, lifecycle.Needs(p, facts).Volumes)

	volume := func(id, resource string) Attached {
		return Attached{Type: lcm.GrantStorage, Resource: resource, ID: id}
	}
	var info lcm.InstantiatedVnfInfo
	j.resources(&info, Outcome{Vnfcs: []Vnfc{
		{
			VduID: "node", ServerID: "s", VolumeIDs: []string{"v1", "v2"},
			Attached: []Attached{volume("v1", "log"), volume("v2", "data")},
		},
	}})
	require.Len(t, info.VirtualStorages, 2)
	require.Equal(t, []string{"log", "data"}, []string{
		info.VirtualStorages[0].VirtualStorageDescID,
		info.VirtualStorages[1].VirtualStorageDescID,
	})

	j.resources(&info, Outcome{Vnfcs: []Vnfc{
		{VduID: "node", ServerID: "s", VolumeIDs: []string{"v"}, Attached: []Attached{volume("v", "whatever")}},
	}})
	require.Empty(t, info.VirtualStorages, "it could be either")
}
