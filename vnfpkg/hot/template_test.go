package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestStackTemplate_findsGroupsWhoseNameIsNoAspect(t *testing.T) {
	f := vnfpkgtest.Minimal().
		ReplaceHOT(t, "  workers:\n    type: OS::Heat::AutoScalingGroup",
			"  all_of_them:\n    type: OS::Heat::ResourceGroup").
		ReplaceHOT(t, "desired_capacity: 1", "count: 1").
		ReplaceHOT(t, "      resource:", "      resource_def:")

	template, params, err := f.Stack(t, "small",
		hot.Request{LevelID: "high", ExtVirtualLinks: vnfpkgtest.Links("net", "node_CP")})

	require.NoError(t, err)
	require.Contains(t, template.Top, "count:\n        get_param: all_of_them_desired_capacity\n")
	require.Equal(t, 4, params["all_of_them_desired_capacity"])
}

func TestStackTemplate_withoutABaseHOTSaysSo(t *testing.T) {
	_, err := hot.StackTemplate(&descriptor.Flavour{ID: "cnf"}, nil)

	require.Equal(t, []string{"the flavour cnf has no Base HOT (BaseHOT/cnf/*.yaml), and Windlass made none from its " +
		"VNFD when it on-boarded the package: the flavour has no VDU with an image, or an earlier version of Windlass " +
		"on-boarded it. It cannot be instantiated on OpenStack; " +
		"add a Base HOT, or on-board the package again"}, vnfpkgtest.Problems(t, err))
}

func TestTemplate_sameIsWhatSaysTheSame(t *testing.T) {
	f, template := vnfpkgtest.Minimal().Template(t, "small")
	other := template
	other.Top = `{"heat_template_version": "2013-05-23"}`
	require.False(t, template.Same(f, other))
	other.Top = "# again\n" + template.Top
	require.True(t, template.Same(f, other))
	other.Files = map[string]string{"node.yaml": "resources: {}\n"}
	require.False(t, template.Same(f, other))
	other.Files = nil
	require.False(t, template.Same(f, other))
}
