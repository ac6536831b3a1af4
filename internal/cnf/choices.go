package cnf

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Choice holds an NFVO's choices for the Pods of a VDU (SOL003 clause 9.5.5.3): the zone of their nodes, "" for any,
// and the images by container name.
type Choice struct {
	Vdu    string
	Zone   string
	Images map[string]string
}

// Choices are the choices of grants for the Pods of the VNF. A problem is a choice that the manifests do not allow,
// with its path in the grant.
func (v *VNF) Choices(f *descriptor.Flavour, by lcm.GrantedChoices) (out []Choice, problems []lcm.Problem) {
	for _, vdu := range f.Vdus {
		c := choosing{vnf: v, choice: Choice{Vdu: vdu.ID, Zone: by.Zones[vdu.ID], Images: map[string]string{}}}
		c.object = find(v.Objects, v.Workloads[vdu.ID])
		if c.choice.Zone != "" {
			c.zone()
		}
		if image := by.Images[vdu.ID]; image != "" {
			c.only(image)
		}
		if vdu.Pod != nil {
			for _, of := range vdu.Pod.Containers {
				if image := by.Images[of.ID]; image != "" {
					c.image(of.Name, image)
				}
			}
		}
		problems = append(problems, c.problems...)
		if c.choice.Zone != "" || len(c.choice.Images) > 0 {
			out = append(out, c.choice)
		}
	}
	return out, problems
}

type choosing struct {
	vnf      *VNF
	object   *unstructured.Unstructured
	choice   Choice
	problems []lcm.Problem
}

func (c *choosing) tell(path, format string, args ...any) {
	c.problems = append(c.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// zone checks that the Pods of the workload may run in the zone. A workload that names another zone keeps it, which is
// a problem.
func (c *choosing) zone() {
	const at = "$.addResources"
	if c.object == nil {
		c.tell(at, "the VDU %s has no workload among the manifests of the request that could be in the zone %s", c.choice.Vdu,
			c.choice.Zone)
		return
	}
	labels, _, _ := unstructured.NestedStringMap(c.object.Object,
		append(charts.PodSpec(c.object.GetKind()), "nodeSelector")...)
	if own := labels[corev1.LabelTopologyZone]; own != "" && own != c.choice.Zone {
		c.tell(at, "the manifest of %s wants the zone %s for its Pods, not %s", c.vnf.Workloads[c.choice.Vdu], own,
			c.choice.Zone)
	}
}

const assetsPath = "$.vimAssets.softwareImages"

// only sets an image for a whole VDU, whose Pods must have a single container.
func (c *choosing) only(image string) {
	switch names := c.containers(); len(names) {
	case 0:
		c.tell(assetsPath, "the VDU %s has no workload among the manifests of the request that could have the image %s",
			c.choice.Vdu, image)
	case 1:
		c.image(names[0], image)
	default:
		c.tell(assetsPath, "the Pods of the VDU %s have the containers %s: Windlass cannot know which of them gets "+
			"the image %s", c.choice.Vdu, strings.Join(names, ", "), image)
	}
}

func (c *choosing) image(container, image string) {
	if slices.Contains(c.containers(), container) {
		c.choice.Images[container] = image
		return
	}
	c.tell(assetsPath, "the Pods of the VDU %s have no container %s that could have the image %s", c.choice.Vdu, container,
		image)
}

// containers are the names of the containers, without init containers.
func (c *choosing) containers() (names []string) {
	if c.object == nil {
		return nil
	}
	list, _, _ := unstructured.NestedSlice(c.object.Object,
		append(charts.PodSpec(c.object.GetKind()), "containers")...)
	for _, of := range list {
		if of, ok := of.(map[string]any); ok {
			name, _ := of["name"].(string)
			names = append(names, name)
		}
	}
	return names
}
