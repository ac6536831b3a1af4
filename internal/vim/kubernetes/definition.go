package kubernetes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Definition is what a deployment on a Kubernetes is made of: vim.Definition of Kubernetes.
type Definition struct {
	// Objects are the manifests in the order of the package; nil in a change that leaves them as they are.
	Objects []unstructured.Unstructured
	// Namespace is where objects are that name none, "" for that of the VIM; with Override it is where all are.
	Namespace string
	Override  bool
	// Workloads are what VDUs are on the cluster, by their ids; nil in a change that leaves them.
	Workloads map[string]Workload
	// Replicas are how many Pods VDUs have, by their ids. A VDU that is not named has as many as its manifest says.
	Replicas map[string]int
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

// Manifests reads the documents of a file, which names it in problems. Lists are taken apart, empty documents left out.
func Manifests(file string, text []byte) (out []unstructured.Unstructured, problems []lcm.Problem) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for n := 1; ; n++ {
		tell := func(format string, args ...any) {
			problems = append(problems, lcm.Problem{
				Path: file, Detail: fmt.Sprintf("document %d ", n) + fmt.Sprintf(format, args...),
			})
		}
		var o unstructured.Unstructured
		err := decoder.Decode(&o.Object)
		switch {
		case errors.Is(err, io.EOF):
			return out, problems
		case err != nil:
			tell("is no manifest: %v", err)
			return out, problems // where the next one begins is not known
		case len(o.Object) == 0:
		case o.GetAPIVersion() == "" || o.GetKind() == "":
			tell("has no apiVersion or no kind")
		case o.IsList():
			_ = o.EachListItem(func(item runtime.Object) error {
				if item, ok := item.(*unstructured.Unstructured); ok {
					out = append(out, *item)
				}
				return nil
			})
		case o.GetName() == "":
			tell("is a %s without a name (metadata.name)", o.GetKind())
		default:
			out = append(out, o)
		}
	}
}
