package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// heldRelease is what a record remembers of a release of Helm: which one it is, and what it was made of.
type heldRelease struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Digest    string `json:"digest"`
	Revision  int    `json:"revision"`
}

func (h heldRelease) title() string { return "Release " + h.Namespace + "/" + h.Name }

// has tells whether an object is of the release.
func (h heldRelease) has(o *unstructured.Unstructured) bool {
	name, namespace := charts.Of(o)
	return name == h.Name && namespace == h.Namespace
}

// releasing is a release in an operation.
type releasing struct {
	heldRelease

	// stored is the revision that it becomes, or is.
	stored  *release.Release
	objects []unstructured.Unstructured
	paths   []string // the chart's files for the objects, for a new revision
	hooks   []unstructured.Unstructured
	foreign bool
}

// active reports whether the release is not yet deployed in its wanted state.
func (r *releasing) active() bool { return r.stored.Info.Status != common.StatusDeployed }

func (r *releasing) installs() bool { return r.stored.Version == 1 }

// release works out the next revision of a chart. With unchanged inputs, it keeps the objects, and so the passwords
// that the templates generated.
func (c *Cluster) release(
	ctx context.Context, chart charts.Release, have *record, owner string, on charts.Cluster,
) (*releasing, error) {
	chart.Namespace = cmp.Or(chart.Namespace, c.namespace)
	r := &releasing{heldRelease: heldRelease{Name: chart.Name, Namespace: chart.Namespace, Digest: chart.Digest()}}
	secrets, foreign, err := c.revisions(ctx, r.Namespace, r.Name, owner)
	if err != nil {
		return nil, err
	}
	var last *release.Release
	if r.foreign = foreign; len(secrets) > 0 && !foreign {
		if last, err = unpackRelease(secrets[0]); err != nil {
			return nil, err
		}
		r.Revision = last.Version
	}
	if last != nil && slices.Contains(have.Releases, r.heldRelease) {
		r.stored, r.objects = last, have.of(r.heldRelease)
		return r, r.readHooks()
	}
	r.Revision++
	if !foreign {
		if err := r.fromHistory(secrets); err != nil {
			return nil, err
		}
	}
	if r.stored == nil {
		if err := r.render(ctx, chart, on); err != nil {
			return nil, err
		}
	}
	r.stored.Labels = map[string]string{ownerLabel: owner, digestLabel: shortDigest(r.Digest)}
	if last != nil {
		r.stored.Info.FirstDeployed, r.stored.Info.Status = last.Info.FirstDeployed, common.StatusPendingUpgrade
	}
	return r, r.readHooks()
}

// render makes a new revision of the chart.
func (r *releasing) render(ctx context.Context, chart charts.Release, on charts.Cluster) error {
	made, err := charts.Render(ctx, chart, r.Revision, on)
	if err != nil {
		return err
	}
	r.objects, r.paths = made.Objects, made.Paths
	r.stored = r.revision(&release.Release{Chart: made.Chart, Config: chart.Values, Hooks: made.Hooks}, made.Notes)
	return nil
}

// fromHistory makes the new revision of what a former one was, when the release becomes what it was then: passwords
// that templates have thought out come back with the rest.
func (r *releasing) fromHistory(secrets []corev1.Secret) error {
	was := slices.IndexFunc(secrets, func(s corev1.Secret) bool {
		status := s.Labels["status"]
		return s.Labels[digestLabel] == shortDigest(r.Digest) &&
			(status == common.StatusDeployed.String() || status == common.StatusSuperseded.String())
	})
	if was < 0 {
		return nil
	}
	old, err := unpackRelease(secrets[was])
	if err != nil {
		return err
	}
	if r.objects, err = charts.Objects(old.Manifest); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The revision %d of the release %s cannot be read.", old.Version, r.Name)
	}
	r.stored = r.revision(old, old.Info.Notes)
	r.stored.Manifest = old.Manifest
	return nil
}

// revision is a new one of what another one is made of.
func (r *releasing) revision(of *release.Release, notes string) *release.Release {
	now := time.Now()
	return &release.Release{
		Name: r.Name, Namespace: r.Namespace, Version: r.Revision, Chart: of.Chart, Config: of.Config, Hooks: of.Hooks,
		Info:        &release.Info{FirstDeployed: now, LastDeployed: now, Status: common.StatusPendingInstall, Notes: notes},
		ApplyMethod: string(release.ApplyMethodServerSideApply),
	}
}

// readHooks reads the objects of the hooks that are run; tests are not.
func (r *releasing) readHooks() error {
	for _, h := range r.stored.Hooks {
		if !slices.ContainsFunc(h.Events, func(e release.HookEvent) bool { return e != release.HookTest }) {
			continue
		}
		objects, err := charts.Objects(h.Manifest)
		if err != nil {
			return lcm.Wrap(lcm.KindBroken, err, "The hook %s of the release %s cannot be read.", h.Name, r.Name)
		}
		r.hooks = append(r.hooks, inNamespace(objects, r.Namespace)...)
	}
	return nil
}

// inNamespace puts objects that name none into a namespace.
func inNamespace(objects []unstructured.Unstructured, namespace string) []unstructured.Unstructured {
	for i := range objects {
		if objects[i].GetNamespace() == "" {
			objects[i].SetNamespace(namespace) // of a kind that is in none it is taken away again
		}
	}
	return objects
}

// setManifest writes down what a new revision consists of.
func (r *releasing) setManifest(objects []prepared) {
	if r.paths == nil {
		return
	}
	var out strings.Builder
	n := 0
	for _, o := range objects {
		if !r.has(&o.Unstructured) {
			continue
		}
		doc, _ := yaml.Marshal(o.Object) // was read from YAML
		fmt.Fprintf(&out, "---\n# Source: %s\n%s", r.paths[min(n, len(r.paths)-1)], doc)
		n++
	}
	r.stored.Manifest = out.String()
}

// capabilities are what templates may ask of the cluster.
func (c *Cluster) capabilities(ctx context.Context) (out charts.Cluster, err error) {
	version, err := c.kinds.client.ServerVersionWithContext(ctx)
	if err != nil {
		return out, translate("tell its version", err)
	}
	out.Version = version.GitVersion
	_, lists, err := c.kinds.known().client.ServerGroupsAndResourcesWithContext(ctx)
	if err != nil && len(lists) == 0 {
		return out, translate("tell which kinds of objects it has", err)
	}
	for _, list := range lists {
		out.APIs = append(out.APIs, list.GroupVersion)
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") {
				out.APIs = append(out.APIs, list.GroupVersion+"/"+r.Kind)
			}
		}
	}
	return out, nil
}

// rehearseReleases looks whether releases of the names are somebody else's, and whether they can be recorded.
// kind is that of the last problem.
func (c *Cluster) rehearseReleases(
	ctx context.Context, all []*releasing, coming []string,
) (problems []lcm.Problem, kind lcm.Kind, err error) {
	for _, r := range all {
		if r.foreign {
			kind = lcm.KindConflict
			problems = append(problems, lcm.Problem{Path: r.title(), Detail: "is there already, and not of this VNF: give the " +
				"release another name, or choose another namespace"})
			continue
		}
		if slices.Contains(coming, r.Namespace) {
			if _, err := c.core.Namespaces().Get(ctx, r.Namespace, metav1.GetOptions{}); err != nil {
				continue // nothing can be asked of a namespace that is not there
			}
		}
		err := c.rehearseRelease(ctx, r.stored)
		failed, ok := err.(*lcm.Error) //nolint:errorlint // translate has made it
		switch {
		case err == nil:
		case !ok || failed.Kind == lcm.KindUnavailable:
			return nil, "", err
		default:
			kind = failed.Kind
			problems = append(problems, lcm.Problem{Path: r.title(), Detail: failed.Detail})
		}
	}
	return problems, kind, nil
}
