// Package charts renders Helm charts: what Kubernetes is to be told of a chart and its values. A chart is a program of
// a stranger, so a process of its own renders it, which has little time and memory and is killed when it wants more.
package charts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Content is a chart: an archive (.tgz), or the files of its folder by their paths below it.
type Content struct {
	Archive []byte            `json:"archive,omitempty"`
	Files   map[string][]byte `json:"files,omitempty"`
}

// Release is a chart with its values, under a name in a namespace.
type Release struct {
	Name      string         `json:"name"`
	Namespace string         `json:"namespace"`
	Content   Content        `json:"content"`
	Values    map[string]any `json:"values"` // on top of the chart's own
	// PullSecret is the Secret, in the release's namespace, with which its Pods pull their images beside those that the
	// chart names; "" for none.
	PullSecret string `json:"pullSecret,omitempty"`
}

// Digest tells releases apart that are not made of the same. It says nothing of what they are made of.
func (r Release) Digest() string {
	h := sha256.New()
	part := func(b []byte) { fmt.Fprintf(h, "%d:", len(b)); _, _ = h.Write(b) }
	part([]byte(r.Name))
	part([]byte(r.Namespace))
	part(r.Content.Archive)
	for _, path := range slices.Sorted(maps.Keys(r.Content.Files)) {
		part([]byte(path))
		part(r.Content.Files[path])
	}
	values, _ := json.Marshal(r.Values) // what came as JSON is written as JSON, its keys sorted
	part(values)
	if r.PullSecret != "" {
		part([]byte(r.PullSecret))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Cluster is what charts may ask of the cluster that they are for. That of a cluster nobody knows yet is empty.
type Cluster struct {
	Version string   `json:"version,omitempty"` // as v1.36.2
	APIs    []string `json:"apis,omitempty"`    // as apps/v1 and apps/v1/Deployment
}

// Rendered is what a release consists of.
type Rendered struct {
	// Objects come with the labels and annotations by which Helm knows them: the definitions of kinds in crds first, then
	// those of the templates.
	Objects []unstructured.Unstructured
	// Paths are the files of the chart of which the objects were made.
	Paths []string
	// Hooks are run beside them.
	Hooks []*release.Hook
	Notes string
	Chart *chart.Chart
}

// Render renders a release that has that revision: the first one is installed, later ones are upgrades.
//
// Errors: Invalid for what cannot be rendered, and for what takes too much time or memory.
func Render(ctx context.Context, r Release, revision int, on Cluster) (*Rendered, error) {
	job, err := json.Marshal(job{Release: r, Revision: revision, Cluster: on})
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The values of the release %s cannot be written.", r.Name)
	}
	said, err := inProcess(ctx, r.Name, job)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(said, &a); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "What the chart of the release %s has become cannot be read.", r.Name)
	}
	if a.Problem != "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s cannot be used: %s", r.Name, a.Problem)
	}
	out := &Rendered{Paths: a.Paths, Hooks: a.Hooks, Notes: a.Notes, Chart: a.Chart}
	var objects []any
	if err := utiljson.Unmarshal(a.Objects, &objects); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The objects of the release %s cannot be read.", r.Name)
	}
	for _, o := range objects {
		object, _ := o.(map[string]any) // the process has made sure of it
		out.Objects = append(out.Objects, unstructured.Unstructured{Object: object})
	}
	return out, nil
}

// job is what the process is told, answer what it says.
type (
	job struct {
		Release  Release `json:"release"`
		Revision int     `json:"revision"`
		Cluster  Cluster `json:"cluster"`
	}
	answer struct {
		Problem string          `json:"problem,omitempty"`
		Objects json.RawMessage `json:"objects,omitempty"`
		Paths   []string        `json:"paths,omitempty"`
		Hooks   []*release.Hook `json:"hooks,omitempty"`
		Notes   string          `json:"notes,omitempty"`
		Chart   *chart.Chart    `json:"chart,omitempty"`
	}
)

// The marks of what belongs to a release.
const (
	managedBy        = "app.kubernetes.io/managed-by"
	helm             = "Helm"
	releaseName      = "meta.helm.sh/release-name"
	releaseNamespace = "meta.helm.sh/release-namespace"
	policy           = "helm.sh/resource-policy"
	keep             = "keep"
)

// Of names the release that an object belongs to, and its namespace; "" for none.
func Of(o *unstructured.Unstructured) (name, namespace string) {
	a := o.GetAnnotations()
	return a[releaseName], a[releaseNamespace]
}

// Kept tells whether an object stays when its release goes.
func Kept(o *unstructured.Unstructured) bool { return o.GetAnnotations()[policy] == keep }

// Objects reads the manifest of a hook.
func Objects(manifest string) ([]unstructured.Unstructured, error) {
	objects, err := objectsOf(manifest)
	var out []unstructured.Unstructured
	for _, o := range objects {
		out = append(out, unstructured.Unstructured{Object: o})
	}
	return out, err
}

// readJob reads what the process is told.
func readJob(from io.Reader) (j job, err error) {
	d := json.NewDecoder(from)
	d.UseNumber()
	if err := d.Decode(&j); err != nil {
		return j, err
	}
	j.Release.Values, _ = plain(j.Release.Values).(map[string]any)
	return j, nil
}

// plain makes numbers of what JSON has for them: templates print those as they were written.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, of := range v {
			v[key] = plain(of)
		}
	case []any:
		for i, of := range v {
			v[i] = plain(of)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return v
}
