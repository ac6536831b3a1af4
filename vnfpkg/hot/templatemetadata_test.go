package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

func TestRenewed_givesMembersOfGroupsOtherMetadata(t *testing.T) {
	t.Parallel()
	f := &descriptor.Flavour{ID: "simple", BaseHOT: "top.yaml"}
	top := `heat_template_version: 2016-10-14
resources:
  alone: {type: OS::Nova::Server, properties: {flavor: f}}
  group:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 2, resource: {type: member.yaml, metadata: {own: kept}, properties: {network: n}}}
`
	template := hot.Template{Top: top, Files: map[string]string{"member.yaml": "heat_template_version: 2016-10-14\n"}}
	got, err := template.Renewed(f, "op-1")
	require.NoError(t, err)
	require.YAMLEq(t, `heat_template_version: 2016-10-14
resources:
  alone: {type: OS::Nova::Server, properties: {flavor: f}}
  group:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 2, resource: {type: member.yaml, metadata: {own: kept, windlass_change: op-1}, properties: {network: n}}}
`, got.Top)
	again, err := got.Renewed(f, "op-1")
	require.NoError(t, err)
	require.YAMLEq(t, got.Top, again.Top)
	plain := hot.Template{Top: "heat_template_version: 2016-10-14\nresources: {}\n"}
	got, err = plain.Renewed(f, "op-1")
	require.NoError(t, err)
	require.Equal(t, plain, got)
}
