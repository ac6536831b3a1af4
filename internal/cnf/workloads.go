package cnf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Workload is the object of a VDU: a controller of Pods, or a Pod.
type Workload struct{ Kind, Name string }

// String names a workload for people.
func (w Workload) String() string { return w.Kind + " " + w.Name }

// Scalable tells whether the number of the workload's Pods can be set.
func (w Workload) Scalable() bool {
	return w.Kind == "Deployment" || w.Kind == "ReplicaSet" || w.Kind == "StatefulSet"
}

// groups maps the kinds of workloads to their API groups.
var groups = map[string]string{
	"Pod": "", "Deployment": "apps", "ReplicaSet": "apps", "StatefulSet": "apps", "DaemonSet": "apps",
}

// Workloads finds the VDUs' workloads among the manifests: by the request's mapping or, without one, by name (the
// property "name" of a VDU, which a chart may extend). A mapping must contain all VDUs. Without a mapping some VDUs may have no workload, because
// a package may have VDUs for several sets of manifests; but at least one VDU must have one.
func Workloads(
	f *descriptor.Flavour, p Params, manifests []unstructured.Unstructured,
) (map[string]Workload, []lcm.Problem) {
	r := &resolution{flavour: f, found: workloadsOf(p, manifests), of: map[string]Workload{}, at: p.at(), objects: manifests}
	if len(p.VduMapping) > 0 {
		r.byMapping(p.VduMapping)
	} else {
		r.byName()
	}
	r.checkShared()
	return r.of, r.problems
}

type resolution struct {
	flavour *descriptor.Flavour
	// found are the workloads of the manifests, with their namespaces.
	found    map[Workload][]string
	of       map[string]Workload
	problems []lcm.Problem
	at       string // the path for problems that concern all VDUs
	objects  []unstructured.Unstructured
}

func workloadsOf(p Params, manifests []unstructured.Unstructured) map[Workload][]string {
	out := map[Workload][]string{}
	for _, o := range manifests {
		group, known := groups[o.GetKind()]
		if !known || o.GroupVersionKind().Group != group {
			continue
		}
		w, namespace := Workload{Kind: o.GetKind(), Name: o.GetName()}, o.GetNamespace()
		if release, _ := charts.Of(&o); p.Namespace != "" && (release == "" || namespace == "") {
			namespace = p.Namespace
		}
		if !slices.Contains(out[w], namespace) {
			out[w] = append(out[w], namespace)
		}
	}
	return out
}

func (r *resolution) tell(path, format string, args ...any) {
	r.problems = append(r.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (r *resolution) byMapping(mapping map[string]VduMapping) {
	for _, id := range slices.Sorted(maps.Keys(mapping)) {
		path := lcm.MemberPath(mappingPath, id)
		if _, ok := r.flavour.Vdu(id); !ok {
			r.tell(path, "the flavour %s has no VDU %q", r.flavour.ID, id)
			continue
		}
		w := Workload{Kind: mapping[id].Kind, Name: mapping[id].Name}
		if r.found[w] == nil {
			r.tell(path, "the manifests have no %s", w)
			continue
		}
		if release := mapping[id].HelmReleaseName; release != "" && !r.in(release, w) {
			r.tell(path+".helmreleasename", "the release %q has no %s", release, w)
			continue
		}
		r.take(id, w, path)
	}
	for _, v := range r.flavour.Vdus {
		if _, ok := mapping[v.ID]; !ok {
			r.tell(lcm.MemberPath(mappingPath, v.ID), "is missing: a mapping must have all VDUs of the flavour")
		}
	}
}

// in tells whether a workload belongs to a release.
func (r *resolution) in(release string, w Workload) bool {
	return slices.ContainsFunc(r.objects, func(o unstructured.Unstructured) bool {
		name, _ := charts.Of(&o)
		return name == release && o.GetKind() == w.Kind && o.GetName() == w.Name
	})
}

func (r *resolution) byName() {
	var wanted []string
	for _, v := range r.flavour.Vdus {
		called := r.called(func(w Workload) bool { return w.Name == v.Name })
		if len(called) == 0 {
			called = r.called(func(w Workload) bool { return r.extends(w, v.Name) })
		}
		switch len(called) {
		case 0:
			wanted = append(wanted, fmt.Sprintf("%q (%s)", v.Name, v.ID))
		case 1:
			r.take(v.ID, called[0], r.at)
		default:
			r.tell(r.at, "the VDU %s may be the %s or the %s: choose one in vdu_mapping", v.ID, called[0],
				called[1])
		}
	}
	if len(r.of) == 0 && len(r.problems) == 0 {
		r.tell(r.at, "the manifests have no Pod, Deployment, ReplicaSet, StatefulSet or DaemonSet with the name of a "+
			"VDU: %s. Use these names, or name the workloads of the VDUs in vdu_mapping", strings.Join(wanted, ", "))
	}
}

// called returns the workloads whose names suit a VDU.
func (r *resolution) called(suits func(Workload) bool) (out []Workload) {
	for w := range r.found {
		if suits(w) {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b Workload) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// extends tells whether a chart has made the workload's name of the VDU's name: charts append the release's name.
// Tacker takes any text without a dash there.
func (r *resolution) extends(w Workload, vdu string) bool {
	suffix, ok := strings.CutPrefix(w.Name, vdu+"-")
	anothers := slices.ContainsFunc(r.flavour.Vdus, func(v descriptor.Vdu) bool { return v.Name == w.Name })
	if !ok || suffix == "" || anothers {
		return false
	}
	return slices.ContainsFunc(r.objects, func(o unstructured.Unstructured) bool {
		release, _ := charts.Of(&o)
		return release != "" && o.GetKind() == w.Kind && o.GetName() == w.Name &&
			(suffix == release || !strings.Contains(suffix, "-"))
	})
}

// take assigns a workload to a VDU. The manifests must contain the workload exactly once.
func (r *resolution) take(vdu string, w Workload, path string) {
	if in := r.found[w]; len(in) > 1 {
		r.tell(path, "the VDU %s may be the %s of the namespace %q or of %q: give them different names",
			vdu, w, in[0], in[1])
		return
	}
	r.of[vdu] = w
}

// checkShared refuses a workload of several VDUs: nothing could tell which VDU a Pod belongs to.
func (r *resolution) checkShared() {
	first := map[Workload]string{}
	for _, v := range r.flavour.Vdus {
		w, ok := r.of[v.ID]
		if !ok {
			continue
		}
		if other, taken := first[w]; taken {
			r.tell(r.at, "the VDUs %s and %s are both the %s", other, v.ID, w)
		}
		first[w] = v.ID
	}
}
