package cnf

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestAttachments_ofCpsOfVdusOnly(t *testing.T) {
	f := &descriptor.Flavour{Cps: []descriptor.VduCp{
		{ID: "ext", VduID: "web", External: true},
		{ID: "inner", VduID: "web"},
		{ID: "shared", External: true},
		{ID: "lost", VduID: "gone", External: true},
	}}
	v := &VNF{Workloads: map[string]Workload{"web": {"Deployment", "web"}}}
	on := func(resource string, cps ...lcm.ExtCp) []lcm.ExtVirtualLink {
		return []lcm.ExtVirtualLink{{ID: "l", ResourceID: resource, ExtCps: cps}}
	}
	got, problems := v.Attachments(f, on("media", lcm.ExtCp{CpdID: "inner"}, lcm.ExtCp{CpdID: "shared"}, lcm.ExtCp{CpdID: "none"},
		lcm.ExtCp{CpdID: "ext"}), nil)
	require.Empty(t, problems)
	require.Equal(t, []Attachment{{Vdu: "web", Cpd: "ext", Path: "$.extVirtualLinks[0].resourceId", Network: "media"}}, got)

	for says, links := range map[string][]lcm.ExtVirtualLink{
		"is bound to the VDU gone, which has no workload": on("media", lcm.ExtCp{CpdID: "lost"}),
		"as media or networks/media, not \"Media\"":       on("Media", lcm.ExtCp{CpdID: "ext"}),
		"as media or networks/media, not \"a/b/c\"":       on("a/b/c", lcm.ExtCp{CpdID: "ext"}),
		"it cannot use an existing port (linkPortId)": on(
			"media", lcm.ExtCp{CpdID: "ext", LinkPort: &lcm.LinkPort{ID: "p"}},
		),
		"chooses addresses itself and has no subnets": on(
			"media", lcm.ExtCp{CpdID: "ext", FixedIPs: []lcm.FixedIP{{SubnetID: "s"}}},
		),
	} {
		_, problems := v.Attachments(f, links, nil)
		require.Len(t, problems, 1, says)
		require.Contains(t, problems[0].Detail, says)
	}
}

func TestAttachments_fixedAddressesAreOfOnePod(t *testing.T) {
	f := &descriptor.Flavour{Cps: []descriptor.VduCp{{ID: "ext", VduID: "web", External: true}}}
	links := []lcm.ExtVirtualLink{{ID: "l", ResourceID: "media", ExtCps: []lcm.ExtCp{{CpdID: "ext", MAC: "0a:00:00:00:00:01"}}}}
	workload := func(kind string, spec map[string]any) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": kind, "metadata": map[string]any{"name": "web"}, "spec": spec,
		}}
	}
	scaler := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"scaleTargetRef": map[string]any{"kind": "Deployment", "name": "web"}},
	}}
	for name, c := range map[string]struct {
		objects  []unstructured.Unstructured
		capacity map[string]int
		says     string
	}{
		"one by its manifest":   {[]unstructured.Unstructured{workload("Deployment", map[string]any{})}, nil, ""},
		"two by its manifest":   {[]unstructured.Unstructured{workload("StatefulSet", map[string]any{"replicas": int64(2)})}, nil, "has 2 Pods"},
		"one by the level":      {[]unstructured.Unstructured{workload("Deployment", map[string]any{"replicas": int64(2)})}, map[string]int{"web": 1}, ""},
		"three by the level":    {[]unstructured.Unstructured{workload("Deployment", nil)}, map[string]int{"web": 3}, "has 3 Pods"},
		"on each node":          {[]unstructured.Unstructured{workload("DaemonSet", nil)}, nil, "a Pod on each node"},
		"as an autoscaler says": {[]unstructured.Unstructured{workload("Deployment", nil), scaler}, map[string]int{"web": 1}, "an autoscaler makes more"},
	} {
		t.Run(name, func(t *testing.T) {
			v := &VNF{Workloads: map[string]Workload{"web": {c.objects[0].GetKind(), "web"}}}
			v.Objects = c.objects
			_, problems := v.Attachments(f, links, c.capacity)
			require.Equal(t, c.says != "", len(problems) == 1)
			if c.says != "" {
				require.Contains(t, problems[0].Detail, c.says)
			}
		})
	}
}
