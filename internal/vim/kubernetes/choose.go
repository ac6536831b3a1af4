package kubernetes

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
)

// Choice is an NFVO's choice for the Pods of a VDU: the zone of their nodes, "" for any, and images by the names of
// their containers.
type Choice struct {
	Vdu    string
	Zone   string
	Images map[string]string
}

// choose writes the choices into the templates of Pods. Writing the same choice again changes nothing.
func choose(choices []Choice, workloads map[string]Workload, objects []prepared) {
	for _, c := range choices {
		at := workloadAt(objects, workloads[c.Vdu])
		if at < 0 {
			continue
		}
		object := objects[at].Object
		spec := charts.PodSpec(objects[at].GetKind())
		if c.Zone != "" {
			_ = unstructured.SetNestedField(object, c.Zone, append(spec, "nodeSelector", corev1.LabelTopologyZone)...)
		}
		setImages(object, append(spec, "containers"), c.Images)
	}
}

func setImages(object map[string]any, at []string, images map[string]string) {
	containers, _, _ := unstructured.NestedSlice(object, at...)
	if len(containers) == 0 || len(images) == 0 {
		return
	}
	for _, c := range containers {
		of, _ := c.(map[string]any)
		name, _ := of["name"].(string)
		if image := images[name]; image != "" {
			of["image"] = image
		}
	}
	_ = unstructured.SetNestedSlice(object, containers, at...)
}
