// Package manifests makes what a Kubernetes is told of a containerised VNF whose package has manifests: these, where
// they go, what the VDUs are among them, and how many Pods these have.
package manifests

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// Definer makes definitions. Each comes with the secrets in it, which must not be shown.
type Definer struct{ *operations.Resolver }

// Whole defines the VNF as it is, or as it is instantiated.
func (o *Definer) Whole(ctx context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	j, err := o.read(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	capacity, err := j.capacity()
	if err != nil {
		return nil, nil, err
	}
	place := cnf.PlaceOf(j.params, j.objects)
	return kubernetes.Definition{
		Objects: j.objects, Namespace: place.Namespace, Override: place.Override, Workloads: j.named(),
		Replicas: j.replicas(capacity),
	}, secretsOf(j.objects), nil
}

// Sized defines a change of the VNF to those sizes. Its objects stay as they are but for their numbers of Pods.
func (o *Definer) Sized(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	j, err := o.read(ctx, of)
	if err == nil {
		err = j.checkGroups()
	}
	if err != nil {
		return nil, nil, err
	}
	return kubernetes.Definition{Replicas: j.replicas(j.sizes(sizes))}, secretsOf(j.objects), nil
}

// Renewed refuses to define a change of the VNF's connections: they are in its manifests.
func (*Definer) Renewed(context.Context, *operations.Operation, string) (vim.Definition, []string, error) {
	return nil, nil, lcm.Errorf(lcm.KindInvalid, "The external connections of a VNF of containers are what its manifests "+
		"say: they cannot be changed without these.")
}

// job is an operation whose VNF is made of manifests.
type job struct {
	*operations.Operation
	params    cnf.Params
	objects   []unstructured.Unstructured
	workloads map[string]cnf.Workload
}

// read reads the manifests of the operation's request, in the VNF's package.
func (o *Definer) read(ctx context.Context, of *operations.Operation) (*job, error) {
	const unusable = "The manifests of the VNF cannot be used"
	j := &job{Operation: of}
	var problems []lcm.Problem
	if j.params, problems = cnf.ReadParams(of.Request.AdditionalParams); len(problems) > 0 {
		return nil, lcm.InvalidAll(unusable, problems)
	}
	manifests, err := cnf.Read(j.params, func(path string) ([]byte, error) {
		return o.Store.PackageFile(ctx, of.Instance.VnfPkgID, path)
	})
	if err == nil {
		err = lcm.InvalidAll(unusable, manifests.Problems())
	}
	if err != nil {
		return nil, err
	}
	j.objects = manifests.Objects
	j.workloads, problems = cnf.Workloads(of.Flavour, j.params, j.objects)
	return j, lcm.InvalidAll(unusable, problems)
}

// capacity is how many Pods each VDU has. A VNF that is instantiated through /vnflcm/v1 without a level begins as its
// manifests are, which is then nil.
func (j *job) capacity() (map[string]int, error) {
	switch {
	case j.Instance.Instantiated != nil:
		return j.Capacity()
	case j.OpOcc.APIVersion == 1 && j.Request.InstantiationLevelID == "":
		return nil, nil
	default:
		return j.Flavour.Capacity(j.Request.InstantiationLevelID)
	}
}

// sizes are how many Pods each VDU of a VNF that is there has, or gets.
func (j *job) sizes(sizes vim.Sizes) map[string]int {
	capacity := j.Recorded()
	if p := j.OpOcc.Plan; p != nil && sizes != vim.SizesRecorded {
		for _, g := range p.Groups {
			if sizes == vim.SizesPlanned || g.To > g.From {
				capacity[g.VduID] = g.To
			}
		}
	}
	return capacity
}

// checkGroups refuses a plan that gives another size to what has none that can be set.
func (j *job) checkGroups() error {
	if j.OpOcc.Plan == nil {
		return nil
	}
	for _, g := range j.OpOcc.Plan.Groups {
		w, ok := j.workloads[g.VduID]
		switch {
		case g.To == g.From || w.Scalable():
		case !ok:
			return lcm.Errorf(lcm.KindInvalid, "The VDU %s cannot be scaled: it has no workload among the manifests with which "+
				"the VNF was instantiated.", g.VduID)
		default:
			return lcm.Errorf(lcm.KindInvalid, "The VDU %s cannot be scaled: it is the %s, and only Deployments, "+
				"ReplicaSets and StatefulSets have a number of Pods that can be set.", g.VduID, w)
		}
	}
	return nil
}

// replicas are the sizes of those VDUs that have one that can be set.
func (j *job) replicas(capacity map[string]int) map[string]int {
	out := maps.Clone(capacity)
	maps.DeleteFunc(out, func(vdu string, _ int) bool { return !j.workloads[vdu].Scalable() })
	return out
}

// named are the workloads as the VIM takes them.
func (j *job) named() map[string]kubernetes.Workload {
	out := make(map[string]kubernetes.Workload, len(j.workloads))
	for vdu, w := range j.workloads {
		out[vdu] = kubernetes.Workload(w)
	}
	return out
}
