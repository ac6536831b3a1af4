// Package charts renders Helm charts with values into the objects for Kubernetes. A chart is a stranger's program. So a
// separate process renders it, with little time and memory, and is killed when it exceeds them.
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
	// PullSecret is a Secret in the release's namespace. Its Pods use it to pull their images, beside the Secrets that
	// the chart names; "" for none.
	PullSecret string `json:"pullSecret,omitempty"`
}

// Digest distinguishes releases with different content, and does not reveal the content.
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
	values, _ := json.Marshal(r.Values) // JSON values are encoded again as JSON, with sorted keys
	part(values)
	if r.PullSecret != "" {
		part([]byte(r.PullSecret))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Capabilities are what charts may read of their cluster, as Helm calls it. It is empty if the cluster is not known
// yet.
type Capabilities struct {
	Version string   `json:"version,omitempty"` // e.g. v1.36.2
	APIs    []string `json:"apis,omitempty"`    // e.g. apps/v1 and apps/v1/Deployment
}

// Rendered is the content of a release.
type Rendered struct {
	// Objects have the labels and annotations by which Helm recognises them: first the CustomResourceDefinitions in crds,
	// then the objects of the templates.
	Objects []unstructured.Unstructured
	// Paths are the chart's files that the objects come from.
	Paths []string
	// Hooks run in addition to the objects.
	Hooks []*release.Hook
	Notes string
	Chart *chart.Chart
	// Secrets are texts that templates have looked up and that no message may show.
	Secrets []string
}

// Render renders a revision of a release: revision 1 is an install, later revisions are upgrades. Templates look up
// objects of the release's namespace with look. Without look they find nothing.
//
// Errors: Invalid for a chart that cannot be rendered, or that takes too much time or memory; those of look.
func Render(ctx context.Context, r Release, revision int, on Capabilities, look Looker) (*Rendered, error) {
	var known answers
	for stage := 0; ; stage++ {
		a, err := attempt(ctx, job{Release: r, Revision: revision, Capabilities: on, Asks: look != nil, Answers: known})
		switch {
		case err != nil:
			return nil, err
		case len(a.Open) == 0:
			return a.rendered(r.Name, known)
		case stage == mostStages:
			return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s cannot be used: what its templates look up "+
				"depends on what they have looked up, in more than %d stages.", r.Name, mostStages)
		}
		if known, err = known.ask(ctx, r.Name, a.Open, look); err != nil {
			return nil, err
		}
	}
}

// attempt renders a release with the answers that it has.
func attempt(ctx context.Context, j job) (a answer, err error) {
	doc, err := json.Marshal(j)
	if err != nil {
		return a, lcm.Wrap(lcm.KindBug, err, "The values of the release %s cannot be written.", j.Release.Name)
	}
	said, err := inProcess(ctx, j.Release.Name, doc)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(said, &a); err != nil {
		return a, lcm.Wrap(lcm.KindBug, err, "Windlass cannot read the rendered chart of the release %s.", j.Release.Name)
	}
	if a.Problem != "" {
		return a, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s cannot be used: %s", j.Release.Name, a.Problem)
	}
	return a, nil
}

// rendered reads the output of the process.
func (a answer) rendered(name string, known answers) (*Rendered, error) {
	out := &Rendered{Paths: a.Paths, Hooks: a.Hooks, Notes: a.Notes, Chart: a.Chart, Secrets: known.secrets()}
	var objects []any
	if err := utiljson.Unmarshal(a.Objects, &objects); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The objects of the release %s cannot be read.", name)
	}
	for _, o := range objects {
		object, _ := o.(map[string]any) // the process guarantees it
		out.Objects = append(out.Objects, unstructured.Unstructured{Object: object})
	}
	return out, nil
}

// job is the input of the process, answer its output.
type (
	job struct {
		Release      Release      `json:"release"`
		Revision     int          `json:"revision"`
		Capabilities Capabilities `json:"cluster"`
		// Asks says that the open questions of templates get answers; Answers are the present ones.
		Asks    bool    `json:"asks,omitempty"`
		Answers answers `json:"answers,omitempty"`
	}
	answer struct {
		Problem string          `json:"problem,omitempty"`
		Objects json.RawMessage `json:"objects,omitempty"`
		Paths   []string        `json:"paths,omitempty"`
		Hooks   []*release.Hook `json:"hooks,omitempty"`
		Notes   string          `json:"notes,omitempty"`
		Chart   *chart.Chart    `json:"chart,omitempty"`
		// Open are questions about the cluster that have no answer yet. There is nothing else then.
		Open []Lookup `json:"open,omitempty"`
	}
)

// The labels and annotations of objects that belong to a release.
const (
	managedBy        = "app.kubernetes.io/managed-by"
	helm             = "Helm"
	releaseName      = "meta.helm.sh/release-name"
	releaseNamespace = "meta.helm.sh/release-namespace"
	policy           = "helm.sh/resource-policy"
	keep             = "keep"
)

// Of is the release of an object, with the release's namespace; "" for none.
func Of(o *unstructured.Unstructured) (name, namespace string) {
	a := o.GetAnnotations()
	return a[releaseName], a[releaseNamespace]
}

// Kept tells whether an object stays when its release is uninstalled.
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

// readJob reads the input of the process.
func readJob(from io.Reader) (j job, err error) {
	d := json.NewDecoder(from)
	d.UseNumber()
	if err := d.Decode(&j); err != nil {
		return j, err
	}
	j.Release.Values, _ = plain(j.Release.Values).(map[string]any)
	return j, nil
}

// plain converts JSON numbers into Go numbers, so that templates print them as they were written.
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
