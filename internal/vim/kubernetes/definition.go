package kubernetes

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Definition is what a deployment on a Kubernetes is made of: vim.Definition of Kubernetes.
type Definition struct {
	// Objects are the manifests in the order of the package; nil in a change that leaves them as they are.
	Objects []unstructured.Unstructured
	// Charts are what releases of Helm are made of; nil in a change that leaves them as they are.
	Charts []charts.Release
	// Namespace is where objects are that name none, "" for that of the VIM; with Override it is where all are.
	Namespace string
	Override  bool
	// Workloads are what VDUs are on the cluster, by their ids; nil in a change that leaves them.
	Workloads map[string]Workload
	// Replicas are how many Pods VDUs have, by their ids. A VDU that is not named has as many as its manifest says.
	Replicas map[string]int
	// Attachments are the networks that Pods are on beside that of the cluster; nil in a change that leaves them.
	Attachments []Attachment
	// Choices are what an NFVO has chosen for Pods.
	Choices []Choice
	// Scaled are the VDUs of which the change is to set the number of Pods.
	Scaled []string
	// Patience is how long trouble may last that may heal itself, before the deployment has failed; 0 for the usual.
	Patience time.Duration
}

// Workload is what a VDU is: an object that has Pods, or is one.
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
