package cnf

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// chosenFor returns a VNF with one Deployment, web, whose Pods have these containers and must be on nodes with these
// labels.
func chosenFor(nodes map[string]any, containers ...string) (*VNF, *descriptor.Flavour) {
	var list []any
	for _, name := range containers {
		list = append(list, map[string]any{"name": name, "image": "own"})
	}
	v := &VNF{Workloads: map[string]Workload{"web": {Kind: "Deployment", Name: "web"}}}
	v.Objects = []unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": list, "nodeSelector": nodes}}},
	}}}
	return v, &descriptor.Flavour{Containers: true, Vdus: []descriptor.Vdu{{ID: "web", Pod: &descriptor.Pod{
		Containers: []descriptor.Container{{ID: "server", Name: "httpd"}},
	}}, {ID: "absent"}}}
}

func TestChoices(t *testing.T) {
	v, f := chosenFor(nil, "httpd")
	chosen, problems := v.Choices(f, lcm.GrantedChoices{
		Zones: map[string]string{"web": "north"}, Images: map[string]string{"web": "a"},
	})
	require.Empty(t, problems)
	require.Equal(t, []Choice{{Vdu: "web", Zone: "north", Images: map[string]string{"httpd": "a"}}}, chosen)

	v, f = chosenFor(map[string]any{"topology.kubernetes.io/zone": "north"}, "side", "httpd")
	chosen, problems = v.Choices(f, lcm.GrantedChoices{
		Zones: map[string]string{"web": "north"}, Images: map[string]string{"server": "b"},
	})
	require.Empty(t, problems, "the container is named, and the zone is that of the manifest")
	require.Equal(t, []Choice{{Vdu: "web", Zone: "north", Images: map[string]string{"httpd": "b"}}}, chosen)
}

func TestChoices_tellsWhatManifestsDoNotTake(t *testing.T) {
	for name, c := range map[string]struct {
		nodes      map[string]any
		containers []string
		by         lcm.GrantedChoices
		told       string
	}{
		"another zone": {
			map[string]any{"topology.kubernetes.io/zone": "south"},
			nil,
			lcm.GrantedChoices{Zones: map[string]string{"web": "north"}},
			"wants the zone south for its Pods, not north",
		},
		"several containers": {
			nil, []string{"a", "b"}, lcm.GrantedChoices{Images: map[string]string{"web": "x"}}, "have the containers a, b",
		},
		"a container that is not there": {
			nil, []string{"a"}, lcm.GrantedChoices{Images: map[string]string{"server": "x"}}, "have no container httpd",
		},
		"no workload for the zone": {
			nil, nil, lcm.GrantedChoices{Zones: map[string]string{"absent": "north"}}, "the VDU absent has no workload",
		},
		"no workload for the image": {
			nil, nil, lcm.GrantedChoices{Images: map[string]string{"absent": "x"}}, "the VDU absent has no workload",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, f := chosenFor(c.nodes, c.containers...)
			_, problems := v.Choices(f, c.by)
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].Detail, c.told)
		})
	}
}
