package cnf

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Files reads the files of a VNF package. The error is NotFound if the package lacks the file.
type Files struct {
	One func(path string) ([]byte, error)
	// Below are the files of a folder, by their paths below it.
	Below func(folder string) (map[string][]byte, error)
	// Fetched is a file that was fetched for the VNF, by the key of its source. The error is NotFound if it was not
	// fetched.
	Fetched func(key string) ([]byte, error)
}

// Packages stores the files of packages, and the files fetched for VNFs.
type Packages interface {
	Fetched(ctx context.Context, id lcm.VnfInstanceID, key string) ([]byte, error)
	PackageFile(ctx context.Context, id lcm.VnfPkgID, path string) ([]byte, error)
	PackageFolder(ctx context.Context, id lcm.VnfPkgID, folder string) (map[string][]byte, error)
}

// FilesOf reads the files of a stored package and of a VNF.
func FilesOf(ctx context.Context, in Packages, id lcm.VnfPkgID, of lcm.VnfInstanceID) Files {
	return Files{
		Fetched: func(key string) ([]byte, error) { return in.Fetched(ctx, of, key) },
		One:     func(path string) ([]byte, error) { return in.PackageFile(ctx, id, path) },
		Below:   func(folder string) (map[string][]byte, error) { return in.PackageFolder(ctx, id, folder) },
	}
}

// manifest reads a file of manifests.
func (f Files) manifest(file string) ([]byte, error) {
	if isURL(file) {
		return f.Fetched(file)
	}
	return f.One(path.Clean(file))
}

// chart reads an archive or a folder.
func (f Files) chart(of chart) (c charts.Content, err error) {
	if of.source != nil {
		c.Archive, err = f.Fetched(of.source.Key())
		return c, err
	}
	file := path.Clean(of.file)
	if c.Archive, err = f.One(file); lcm.Is(err, lcm.KindNotFound) {
		c.Files, err = f.Below(file)
	}
	return c, err
}

// VNF is the result of a request with a package: the manifests and charts, and the VDUs' workloads among them.
type VNF struct {
	Params Params
	// Manifests are the manifests that the request names, or that Windlass makes from the VNFD.
	Manifests Manifests
	// Objects are the objects of the manifests, and of the charts with the values of the request.
	Objects   []unstructured.Unstructured
	Workloads map[string]Workload
	// Wrong are all problems except Manifests.Missing.
	Wrong []lcm.Problem

	releases []release
	// pullSecret is the Secret with which Pods of charts pull their images, "" for none.
	pullSecret string
	// described are the workloads of the VDUs whose Pods the VNFD describes; nil if the request names manifests or
	// charts.
	described map[string]Workload
	// keys are the keys of the chart values with the numbers of Pods, by VDU id; paths are their JSON paths in the
	// request.
	keys, paths map[string]string
}

// release is a chart with the settings of the request.
type release struct {
	charts.Release

	objects []unstructured.Unstructured
	at      string
}

// Problems are Manifests.Missing and Wrong together.
func (v *VNF) Problems() []lcm.Problem { return slices.Concat(v.Manifests.Missing, v.Wrong) }

// Resolve reads a request with the package's files. It renders charts for an unknown cluster.
func Resolve(
	ctx context.Context, f *descriptor.Flavour, additionalParams json.RawMessage, from Files, id lcm.VnfInstanceID,
) (*VNF, error) {
	v := &VNF{}
	v.Params, v.Wrong = ReadParams(additionalParams)
	wanted := v.Params.charts(id)
	if v.Params.named() {
		if err := v.read(from); err != nil {
			return nil, err
		}
	} else {
		wanted = v.describe(f, additionalParams, id)
	}
	v.pullSecrets(id, len(wanted) > 0)
	v.Objects = slices.Clone(v.Manifests.Objects)
	for _, c := range wanted {
		if err := v.add(ctx, c, from); err != nil {
			return nil, err
		}
	}
	var problems []lcm.Problem
	v.keys, v.paths, problems = v.Params.keys(f)
	v.Wrong = append(v.Wrong, problems...)
	if len(v.Problems()) > 0 {
		return v, nil // the VDUs' workloads depend on the rest
	}
	v.Workloads, v.Wrong = v.workloads(f)
	return v, nil
}

// read reads the manifests that the request names.
func (v *VNF) read(from Files) error {
	manifests, err := Read(v.Params, from)
	v.Manifests, v.Wrong = manifests, append(v.Wrong, manifests.Broken...)
	return err
}

// workloads are the workloads that the VNFD describes, and the VDUs' workloads among manifests and charts.
func (v *VNF) workloads(f *descriptor.Flavour) (map[string]Workload, []lcm.Problem) {
	if v.described == nil {
		return Workloads(f, v.Params, v.Objects)
	}
	others := *f
	others.Vdus = slices.DeleteFunc(slices.Clone(f.Vdus), func(of descriptor.Vdu) bool {
		_, described := v.described[of.ID]
		return described
	})
	out := maps.Clone(v.described)
	if len(others.Vdus) == 0 || len(v.releases) == 0 {
		return out, nil
	}
	found, problems := Workloads(&others, v.Params, v.Objects)
	maps.Copy(out, found)
	return out, problems
}

// add reads a chart and renders it.
func (v *VNF) add(ctx context.Context, c chart, from Files) error {
	r := release{
		Release: charts.Release{
			Name: c.release, Namespace: v.Params.Namespace, Values: c.values, PullSecret: v.pullSecret,
		},
		at: c.at,
	}
	var err error
	if r.Content, err = from.chart(c); lcm.Is(err, lcm.KindNotFound) {
		v.Manifests.Missing = append(v.Manifests.Missing, lcm.Problem{
			Path: c.at, Detail: c.missing(),
		})
		return nil
	}
	if err == nil {
		err = r.render(ctx)
	}
	failed, ok := err.(*lcm.Error) //nolint:errorlint // render has made it
	switch {
	case ok && failed.Kind == lcm.KindInvalid:
		v.Wrong = append(v.Wrong, lcm.Problem{Path: c.at, Detail: failed.Detail})
		return nil
	case err != nil:
		return err
	}
	for i, o := range r.objects {
		if err := complete(o); err != nil {
			v.Wrong = append(v.Wrong, lcm.Problem{Path: c.at, Detail: fmt.Sprintf("%s, object %d %v", c.file, i+1, err)})
		}
	}
	v.releases, v.Objects = append(v.releases, r), append(v.Objects, r.objects...)
	return nil
}

func (c chart) missing() string {
	if c.source != nil {
		return fmt.Sprintf("%s was not fetched", c.file)
	}
	return fmt.Sprintf("the VNF package has no chart %q", c.file)
}

func (r *release) render(ctx context.Context) error {
	of := r.Release
	of.Namespace = cmp.Or(of.Namespace, "default")
	digest := of.Digest()
	var known bool
	if r.objects, known = rendered.get(digest); known {
		return nil
	}
	made, err := charts.Render(ctx, of, 1, charts.Capabilities{}, nil)
	if err != nil {
		return err
	}
	r.objects = made.Objects
	rendered.keep(digest, r.objects)
	return nil
}

// Sized tells whether the number of a VDU's Pods can be set. If not, why completes a sentence about the VDU.
func (v *VNF) Sized(vdu string) (why string, ok bool) {
	w, is := v.Workloads[vdu]
	switch {
	case !is:
		return "the manifests of the VNF's instantiation have no workload for it", false
	case !w.Scalable():
		return fmt.Sprintf("it is the %s, and Windlass can set the number of Pods only of Deployments, ReplicaSets "+
			"and StatefulSets", w), false
	case v.releaseOf(w) != nil && v.keys[vdu] == "":
		return fmt.Sprintf("it is the %s of a chart, and the request to instantiate the VNF did not name the chart's "+
			"value for its number of Pods (helm_value_names, or helm_replica_values in v1)", w), false
	}
	return "", true
}

// OfChart tells whether a chart makes the VDU's workload: then values set its number of Pods.
func (v *VNF) OfChart(vdu string) bool { return v.releaseOf(v.Workloads[vdu]) != nil }

func (v *VNF) releaseOf(w Workload) *release {
	for i := range v.releases {
		if find(v.releases[i].objects, w) != nil {
			return &v.releases[i]
		}
	}
	return nil
}

func find(objects []unstructured.Unstructured, w Workload) *unstructured.Unstructured {
	for i, o := range objects {
		if o.GetKind() == w.Kind && o.GetName() == w.Name && o.GroupVersionKind().Group == groups[w.Kind] {
			return &objects[i]
		}
	}
	return nil
}

// Releases are the charts, with values that set the numbers of Pods in capacity. It skips a VDU that no value sizes.
//
// Errors: Invalid, with its path, for a value that does not change the number.
func (v *VNF) Releases(ctx context.Context, capacity map[string]int) ([]charts.Release, error) {
	var out []charts.Release
	var problems []lcm.Problem
	for _, r := range v.releases {
		sizes := v.sizesIn(r, capacity)
		r.Values = copied(r.Values)
		for _, vdu := range sortedKeys(sizes) {
			if err := setAny(r.Values, v.keys[vdu], sizes[vdu]); err != nil {
				problems = append(problems, lcm.Problem{Path: v.paths[vdu], Detail: "cannot be a value of a " +
					"chart: " + err.Error()})
			}
		}
		if len(sizes) > 0 {
			if err := r.render(ctx); err != nil {
				return nil, err
			}
		}
		for _, vdu := range sortedKeys(sizes) {
			if why := r.differs(v.Workloads[vdu], sizes[vdu]); why != "" {
				problems = append(problems, lcm.Problem{
					Path: v.paths[vdu], Detail: fmt.Sprintf("the value %s of the chart does not set the number of Pods of the VDU %s: %s",
						v.keys[vdu], vdu, why),
				})
			}
		}
		out = append(out, r.Release)
	}
	return out, lcm.InvalidAll("The charts of the VNF cannot be used", problems)
}

// sizesIn are the numbers of Pods of the VDUs that values of the chart set.
func (v *VNF) sizesIn(r release, capacity map[string]int) map[string]int {
	out := maps.Clone(capacity)
	maps.DeleteFunc(out, func(vdu string, _ int) bool {
		w, ok := v.Workloads[vdu]
		return !ok || !w.Scalable() || v.keys[vdu] == "" || find(r.objects, w) == nil
	})
	return out
}

// differs describes a workload's number of Pods if it differs from the wanted one. It ignores a workload with an
// autoscaler.
func (r *release) differs(w Workload, want int) string {
	o := find(r.objects, w)
	if o == nil {
		return fmt.Sprintf("with it the chart makes no %s", w)
	}
	if slices.ContainsFunc(r.objects, func(o unstructured.Unstructured) bool { return scales(o, w) }) {
		return ""
	}
	have, ok, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !ok {
		have = 1
	}
	if have != int64(want) {
		return fmt.Sprintf("with the value %d, the %s has %d", want, w, have)
	}
	return ""
}

// copied is a deep copy of values.
func copied(values map[string]any) map[string]any {
	out := make(map[string]any, len(values))
	for key, v := range values {
		switch v := v.(type) {
		case map[string]any:
			out[key] = copied(v)
		case []any:
			list := slices.Clone(v)
			for i, item := range list {
				if of, ok := item.(map[string]any); ok {
					list[i] = copied(of)
				}
			}
			out[key] = list
		default:
			out[key] = v
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
