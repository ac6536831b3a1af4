package kubernetes

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Definition describes a deployment on a Kubernetes: it is vim.Definition of Kubernetes.
type Definition struct {
	// Objects are the manifests in the order of the package; nil in a change that leaves them as they are.
	Objects []unstructured.Unstructured
	// Charts are the sources of Helm releases; nil in a change that leaves the releases as they are.
	Charts []charts.Release
	// Namespace is for objects that name none; "" means the VIM's namespace. With Override, it is for all objects.
	Namespace string
	Override  bool
	// Workloads are the workloads of the VDUs, by their ids; nil in a change that leaves them.
	Workloads map[string]Workload
	// Replicas are the numbers of Pods of VDUs, by their ids. A missing VDU has the number in its manifest.
	Replicas map[string]int
	// Attachments are the networks of Pods beside the cluster's own; nil in a change that leaves them.
	Attachments []Attachment
	// Choices are an NFVO's choices for Pods.
	Choices []Choice
	// Scaled are the VDUs whose number of Pods the change sets.
	Scaled []string
	// Patience is how long trouble that can end by itself may last before the deployment fails; 0 for the default.
	Patience time.Duration
	// ReadyTimeout is how long to wait until the objects are ready; 0 for the deployment's own limit.
	ReadyTimeout time.Duration
}

// Workload is the object of a VDU: it has Pods, or is one.
type Workload struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

func definitionOf(d vim.Definition) (Definition, error) {
	switch d := d.(type) {
	case nil:
		return Definition{}, nil
	case Definition:
		return d, nil
	default:
		return Definition{}, lcm.Errorf(lcm.KindBug, "A deployment on a Kubernetes is defined by %T.", d)
	}
}
