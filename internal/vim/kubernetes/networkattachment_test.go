package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAttachTo_keepsWhatManifestsSay(t *testing.T) {
	ours := []map[string]any{{"name": "media", "namespace": "nets", "interface": "ext"}}
	for name, c := range map[string]struct{ have, want, without string }{
		"nothing": {"", `[{"interface":"ext","name":"media","namespace":"nets"}]`, ""},
		"the short form": {
			"a, nets/b@net2", `[{"name":"a"},{"interface":"net2","name":"b","namespace":"nets"},{"interface":"ext","name":"media","namespace":"nets"}]`,
			`[{"name":"a"},{"interface":"net2","name":"b","namespace":"nets"}]`,
		},
		"JSON": {
			`[{"name":"a","cni-args":{"x":1}},{"name":"old","interface":"ext"}]`,
			`[{"cni-args":{"x":1},"name":"a"},{"interface":"ext","name":"media","namespace":"nets"}]`, `[{"cni-args":{"x":1},"name":"a"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := map[string]any{"metadata": map[string]any{}}
			if c.have != "" {
				o["metadata"] = map[string]any{"annotations": map[string]any{networksKey: c.have}}
			}
			for range 2 { // the second time, nothing has to change
				require.NoError(t, attachTo(o, podAnnotations("Pod"), []string{"ext"}, ours))
				got, _, _ := unstructured.NestedString(o, "metadata", "annotations", networksKey)
				require.Equal(t, c.want, got)
			}
			require.NoError(t, attachTo(o, podAnnotations("Pod"), []string{"ext"}, nil))
			got, _, _ := unstructured.NestedString(o, "metadata", "annotations", networksKey)
			require.Equal(t, c.without, got)
		})
	}
	o := map[string]any{"metadata": map[string]any{"annotations": map[string]any{networksKey: "[{"}}}
	require.ErrorContains(t, attachTo(o, podAnnotations("Pod"), nil, ours), "is no list of networks")
}

func TestInterface_isANameThatLinuxTakes(t *testing.T) {
	require.Equal(t, "media", Attachment{Cpd: "media"}.Interface())
	names := map[string]bool{}
	for _, cpd := range []string{"eth0", "lo", "a_connection_point_with_a_long_name", "a_connection_point_with_a_long_one", "1st", "a b"} {
		name := Attachment{Cpd: cpd}.Interface()
		require.LessOrEqual(t, len(name), longestInterface)
		require.Regexp(t, interfaceName, name)
		names[name] = true
	}
	require.Len(t, names, 6)
}

func TestWithPrefix_takesTheLengthOfTheSubnet(t *testing.T) {
	const config = `{"plugins": [{"ipam": {"routes": [{"dst": "10.0.0.0/8"}, {"dst": "0.0.0.0/0"}],
	 "ranges": [[{"subnet": "10.1.0.0/16"}], [{"subnet": "fd00::/64"}]]}}]}`
	for address, want := range map[string]string{
		"10.1.2.3": "10.1.2.3/16", "fd00::7": "fd00::7/64", "10.2.0.1": "10.2.0.1", "no address": "no address",
	} {
		require.Equal(t, want, withPrefix(address, config))
		require.Equal(t, address, withPrefix(address, "no JSON"))
	}
}
