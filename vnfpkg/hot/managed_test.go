package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestLinks_mayHaveToBeManagedElsewhere(t *testing.T) {
	f := vnfpkgtest.Rated(t).ReplaceVnfd(t, "fixed: { type: tosca.nodes.nfv.VnfVirtualLink }",
		"fixed: { type: tosca.nodes.nfv.VnfVirtualLink, properties: { externally_managed: required } }")
	fl := &f.Open(t).Vnfd.Flavours[0]
	require.Equal(t, []bool{false, true}, []bool{fl.VirtualLinks[0].ManagedElsewhere, fl.VirtualLinks[1].ManagedElsewhere})
	require.Equal(t, []lcm.Problem{{
		Path:   "$.extManagedVirtualLinks",
		Detail: `the VNFD requires a network that is managed elsewhere for the virtual link "fixed"`,
	}}, hot.Unmanaged(fl, nil))
	require.Empty(t, hot.Unmanaged(fl, []hot.ExtManagedVirtualLink{{VnfVirtualLinkDescID: "fixed"}}))
}

// innerPackage returns a package with an internal virtual link, which its template makes itself.
func innerPackage(t *testing.T, outputs string) vnfpkgtest.Files {
	hot := `heat_template_version: 2013-05-23
parameters:
  nfv: { type: json }
resources:
  workers:
    type: OS::Heat::AutoScalingGroup
    properties:
      desired_capacity: 1
      min_size: 0
      max_size: 9
      resource:
        type: node.yaml
        properties:
          image: { get_param: [ nfv, VDU, node, image ] }
          flavor: { get_param: [ nfv, VDU, node, flavor ] }
          network: { get_resource: inner }
  inner:
    type: OS::Neutron::Net
  inner_subnet:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: inner }, cidr: 192.168.3.0/24 }
  other_subnet:
    type: OS::Neutron::Subnet
    properties: { network: elsewhere, cidr: 192.168.4.0/24 }
` + outputs
	return vnfpkgtest.Minimal().With(vnfpkgtest.SmallHOT, hot).ReplaceVnfd(t, "    node_CP:\n", "    inner: { type: "+
		"tosca.nodes.nfv.VnfVirtualLink }\n    unused: { type: tosca.nodes.nfv.VnfVirtualLink }\n    node_CP:\n")
}

func manage(
	t *testing.T, f vnfpkgtest.Files, links ...hot.ExtManagedVirtualLink,
) (hot.Template, *descriptor.Flavour, error) {
	t.Helper()
	fl, template := f.Template(t, "small")
	out, err := template.Managed(fl, links)
	if len(links) == 0 {
		require.Equal(t, template, out)
	}
	return out, fl, err
}

func TestManaged_putsNetworksInThePlaceOfTheTemplatesOwn(t *testing.T) {
	template, fl, err := manage(t, innerPackage(t, "outputs:\n  net: { value: { get_resource: inner } }\n"),
		hot.ExtManagedVirtualLink{ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "net-7"})
	require.NoError(t, err)
	top, err := document.Parse("top", []byte(template.Top), document.Limits{}.WithDefaults())
	require.NoError(t, err)
	require.Equal(t, []string{"workers", "other_subnet"}, top.At("resources").Keys)
	require.Equal(t, "net-7", top.At("resources", "workers", "properties", "resource", "properties", "network").Str())
	require.Equal(t, "net-7", top.At("outputs", "net", "value").Str())
	_, err = hot.Parameters(fl, template, hot.Request{})
	require.NoError(t, err)
	_, _, err = manage(t, innerPackage(t, ""))
	require.NoError(t, err, "nothing to do")
}

func TestManaged_refusesWhatWouldNotWork(t *testing.T) {
	link := func(id string) hot.ExtManagedVirtualLink {
		return hot.ExtManagedVirtualLink{ID: "m", VnfVirtualLinkDescID: id, ResourceID: "net-7"}
	}
	_, _, err := manage(t, innerPackage(t, ""), link("nothing"), link("unused"))
	require.Equal(t, []string{
		`$.extManagedVirtualLinks[0].vnfVirtualLinkDescId: the flavour small has no internal virtual link "nothing"`,
		`$.extManagedVirtualLinks[1].vnfVirtualLinkDescId: neither the Base HOT nor a connection point uses the virtual link "unused", so the network would not be used`,
	}, vnfpkgtest.Problems(t, err))
	for outputs, want := range map[string]string{
		"outputs:\n  net: { value: { get_resource: inner_subnet } }\n":   `the Base HOT refers to the subnet "inner_subnet" of a network that is managed elsewhere`,
		"outputs:\n  net: { value: { get_attr: [ inner, subnets ] } }\n": `the Base HOT refers to "inner" by get_attr`,
	} {
		_, _, err := manage(t, innerPackage(t, outputs), link("inner"))
		require.Len(t, vnfpkgtest.Problems(t, err), 1)
		require.Contains(t, vnfpkgtest.Problems(t, err)[0], "$.extManagedVirtualLinks: "+want)
	}
	_, _, err = manage(t, innerPackage(t, ""), link("inner"), link("inner"),
		hot.ExtManagedVirtualLink{VnfVirtualLinkDescID: "inner", ResourceID: "n", LinkPorts: 1})
	require.Contains(t, vnfpkgtest.Problems(t, err)[0],
		`$.extManagedVirtualLinks[1].vnfVirtualLinkDescId: the virtual link "inner" is named twice`)
	require.Contains(t, vnfpkgtest.Problems(t, err)[1],
		"$.extManagedVirtualLinks[2].vnfLinkPort: ports that are made elsewhere")

	f := innerPackage(t, "").
		ReplaceHOT(t, "  inner:\n    type: OS::Neutron::Net\n", "").
		ReplaceHOT(t, "{ get_resource: inner }", "{ get_param: [ nfv, CP, node_CP, network ] }").
		ReplaceHOT(t, "{ get_resource: inner }", "x").
		ReplaceNested(t, "resources:\n", "resources:\n  inner: { type: OS::Neutron::Net }\n")
	_, _, err = manage(t, f, link("inner"))
	require.Contains(t, vnfpkgtest.Problems(t, err)[0],
		`"inner" is made in the nested template node.yaml, once for each of its uses`)
}

func TestManaged_nothingWaitsForWhatIsThere(t *testing.T) {
	for given, want := range map[string][]string{
		"[ other_subnet, inner_subnet ]": {"other_subnet"}, "inner_subnet": nil, "[ inner ]": nil,
		"other_subnet": {"other_subnet"},
	} {
		f := innerPackage(t, "").ReplaceHOT(t, "    type: OS::Heat::AutoScalingGroup\n",
			"    type: OS::Heat::AutoScalingGroup\n    depends_on: "+given+"\n")
		template, _, err := manage(
			t, f, hot.ExtManagedVirtualLink{ID: "m", VnfVirtualLinkDescID: "inner", ResourceID: "net-7"},
		)
		require.NoError(t, err)
		top, err := document.Parse("top", []byte(template.Top), document.Limits{}.WithDefaults())
		require.NoError(t, err)
		require.Equal(t, want, top.At("resources", "workers", "depends_on").Words(), given)
	}
}

func TestLinksOf_tellsWhichNetworksTheTemplatesMake(t *testing.T) {
	fl := innerPackage(t, "").Open(t).Vnfd.Flavours[0]
	require.Equal(t, []descriptor.VirtualLink{{ID: "inner", Made: true}}, fl.LinksOf(""))
	require.Empty(t, fl.LinksOf("node"))

	fl = innerPackage(t, "").
		ReplaceNested(t, "resources:\n",
			"resources:\n  unused: { type: OS::Neutron::ProviderNet }\n").
		Open(t).Vnfd.Flavours[0]
	require.Equal(t, []descriptor.VirtualLink{{ID: "unused", Made: true, VduID: "node"}}, fl.LinksOf("node"))
	_, known := fl.VirtualLink("nothing")
	require.False(t, known)
}
