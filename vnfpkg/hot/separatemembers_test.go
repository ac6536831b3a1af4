package hot_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

const apartHOT = `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  node:
    type: node.yaml
    properties:
      image: { get_param: [ nfv, VDU, node-disk, vcImageId ] }
      flavor: { get_param: [ nfv, VDU, node, computeFlavourId ] }
      network: { get_param: [ nfv, CP, node_CP, network ] }
      addresses: [ { subnet: { get_param: [ nfv, CP, node_CP, fixed_ips, 0, subnet ] } } ]
      group: { get_resource: together }
  together:
    type: OS::Nova::ServerGroup
    properties:
      policies: [ affinity ]
`

// apartPackage returns a package with the VDU node in a nested template, and with a storage from which it boots.
func apartPackage(t *testing.T) vnfpkgtest.Files {
	return vnfpkgtest.Minimal().With(vnfpkgtest.SmallHOT, apartHOT).
		ReplaceVnfd(t, "    node_CP:\n", "    disk:\n      type: "+
			"tosca.nodes.nfv.Vdu.VirtualBlockStorage\n      properties: { sw_image_data: { name: disk-image } }\n    node_CP:\n").
		ReplaceNested(t, "  network: { type: string }\n",
			"  network: { type: string }\n  addresses: { type: json }\n  group: { type: string }\n")
}

// apart makes the template and the parameters as StandardUserData does.
func apart(
	t *testing.T, f vnfpkgtest.Files, members descriptor.Members, req hot.Request,
) (hot.Template, map[string]any, error) {
	t.Helper()
	fl, template := f.Template(t, "small")
	template, err := template.Separate(fl, members)
	if err != nil {
		return template, nil, err
	}
	req.Members = members
	params, err := hot.Parameters(fl, template, req)
	return template, params, err
}

func TestSeparate_makesEachVnfcAResourceWithParametersOfItsOwn(t *testing.T) {
	ext := vnfpkgtest.Links("net", "node_CP")
	ext[0].ExtCps[0].FixedIPs = []lcm.FixedIP{{SubnetID: "sub"}}
	own := map[string]any{"VDU": map[string]any{"node-2": map[string]any{"computeFlavourId": "m1.large"}}}

	template, params, err := apart(t, apartPackage(t), descriptor.Members{"node": {0, 2}}, hot.Request{
		ExtVirtualLinks: ext, AdditionalParams: map[string]any{"nfv": own}, Images: map[string]string{"disk": "granted"},
	})

	require.NoError(t, err)
	vdu := map[string]any{}
	cp := map[string]any{}
	for _, i := range []string{"-0", "-2"} {
		vdu["node-disk"+i] = map[string]any{"vcImageId": "granted"}
		vdu["node"+i] = map[string]any{"computeFlavourId": "m1.small"}
		cp["node_CP"+i] = map[string]any{"network": "net", "fixed_ips": []any{map[string]any{"subnet": "sub"}}}
	}
	vdu["node-2"] = map[string]any{"computeFlavourId": "m1.large"}
	require.Equal(t, map[string]any{"nfv": map[string]any{"VDU": vdu, "CP": cp}}, params)
	top, err := document.Parse("top", []byte(template.Top), document.Limits{}.WithDefaults())
	require.NoError(t, err)
	require.Equal(t, []string{"node-0", "node-2", "together"}, top.At("resources").Keys)
	require.Equal(t, "together", top.At("resources", "node-2", "properties", "group", "get_resource").Str())
	require.Equal(t, []string{"nfv", "CP", "node_CP-2", "fixed_ips", "0", "subnet"},
		top.At("resources", "node-2", "properties", "addresses").Items[0].At("subnet", "get_param").Words())
	require.Equal(t, template.Files["node.yaml"], apartPackage(t)["BaseHOT/small/nested/node.yaml"],
		"templates of members stay as they are")
}

func TestSeparate_withoutVnfcsLeavesNoneOfTheirResources(t *testing.T) {
	template, params, err := apart(t, apartPackage(t), descriptor.FirstMembers(map[string]int{"node": 0}), hot.Request{})

	require.NoError(t, err)
	require.NotContains(t, template.Top, "node-")
	require.Equal(t, map[string]any{"nfv": map[string]any{}}, params)
}

func TestSeparate_tellsWhichConnectionPointLacksANetwork(t *testing.T) {
	_, _, err := apart(t, apartPackage(t), descriptor.Members{"node": {0}},
		hot.Request{Images: map[string]string{"disk": "x"}})

	require.Contains(t, vnfpkgtest.Problems(t, err),
		"$.extVirtualLinks: the connection point node_CP needs a network: add a link with an extCp whose cpdId is node_CP")
}

func TestSeparate_refusesTemplatesThatItCannotSeparate(t *testing.T) {
	class := "$.additionalParams.lcm-operation-user-data-class: StandardUserData "
	for name, c := range map[string]struct {
		from, to string
		want     string
	}{
		"a server in the top template": {
			"type: node.yaml", "type: OS::Nova::Server",
			`needs the VDU node in a nested template with a server of that name; the Base HOT has "OS::Nova::Server" instead`,
		},
		"a group": {
			"type: node.yaml", "type: OS::Heat::AutoScalingGroup",
			"needs the VDU node in a nested template",
		},
		"another name": {
			"  node:\n", "  nodes:\n",
			`needs a resource for each VDU, and the Base HOT has none named "node"`,
		},
		"get_attr": {
			"[ affinity ]", "[ { get_attr: [ node, resource.node ] } ]",
			`makes a separate resource for each VNFC of "node", but the Base HOT refers to all of them by one name`,
		},
		"get_resource": {
			"[ affinity ]", "[ { get_resource: node } ]",
			`makes a separate resource for each VNFC of "node", but the Base HOT refers to all of them by one name`,
		},
		"depends_on": {"    properties:\n      policies:", "    depends_on: node\n    properties:\n      " +
			"policies:", `makes a separate resource for each VNFC of "node", but the Base HOT refers to all of them ` +
			`by one name`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := apart(t, apartPackage(t).ReplaceHOT(t, c.from, c.to), descriptor.Members{"node": {0}},
				hot.Request{ExtVirtualLinks: vnfpkgtest.Links("n", "node_CP")})
			text := strings.Join(vnfpkgtest.Problems(t, err), "\n")
			require.Contains(t, text, class+c.want)
			require.Contains(t, text, vnfpkgtest.SmallHOT)
		})
	}
}
