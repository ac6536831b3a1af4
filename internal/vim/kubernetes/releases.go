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
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// heldRelease identifies a Helm release in a record. Digest is the hash of the chart and its values.
type heldRelease struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Digest    string `json:"digest"`
	Revision  int    `json:"revision"`
	// Back is the revision to which the rollback of an operation has gone back; 0 if there was none.
	Back int `json:"back,omitempty"`
}

func (h heldRelease) title() string { return "Release " + h.Namespace + "/" + h.Name }

// has reports whether an object belongs to the release.
func (h heldRelease) has(o *unstructured.Unstructured) bool {
	name, namespace := charts.Of(o)
	return name == h.Name && namespace == h.Namespace
}

// releasing is a release that an operation installs, upgrades or keeps.
type releasing struct {
	heldRelease

	// stored is the new revision, or the present one if nothing changes.
	stored  *release.Release
	objects []unstructured.Unstructured
	paths   []string // the chart's files for the objects, for a new revision
	hooks   []unstructured.Unstructured
	foreign bool
	// secrets are texts that the templates have looked up in the cluster.
	secrets []string
}

// active reports whether the release is not yet deployed in its wanted state.
func (r *releasing) active() bool { return r.stored.Info.Status != common.StatusDeployed }

func (r *releasing) installs() bool { return r.stored.Version == 1 }

// phase is how a revision begins and ends, in Helm's words.
type phase struct {
	pending       common.Status
	before, after release.HookEvent
	begins, ends  string
}

func (r *releasing) phase() phase {
	switch {
	case r.installs():
		return phase{
			common.StatusPendingInstall, release.HookPreInstall, release.HookPostInstall, "Initial install underway",
			"Install complete",
		}
	case r.Back > 0:
		return phase{
			common.StatusPendingRollback, release.HookPreRollback, release.HookPostRollback,
			fmt.Sprintf("Rolling back to %d", r.Back), fmt.Sprintf("Rollback to %d", r.Back),
		}
	}
	return phase{
		common.StatusPendingUpgrade, release.HookPreUpgrade, release.HookPostUpgrade, "Preparing upgrade", "Upgrade complete",
	}
}

// release works out the next revision of a chart. With unchanged inputs, it keeps the objects. That keeps the passwords
// that the templates generated.
func (c *Connection) release(
	ctx context.Context, chart charts.Release, have *record, owner string, on target,
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
	switch before := have.held(r.heldRelease); {
	case last == nil:
	case before.Digest == r.Digest && before.Revision == r.Revision:
		r.Back, r.stored, r.objects = before.Back, last, have.of(r.heldRelease)
		return r, r.readHooks()
	case have.undoes && r.is(last): // its change had not begun
		if r.objects, err = charts.Objects(last.Manifest); err != nil {
			return nil, r.unreadable(last, err)
		}
		r.stored = last
		return r, r.readHooks()
	}
	r.Revision++
	if !foreign {
		was, err := r.fromHistory(secrets)
		if err != nil {
			return nil, err
		}
		if have.undoes {
			r.Back = was
		}
	}
	if r.stored == nil {
		if err := r.render(ctx, chart, on.Capabilities, on.looker(r.Namespace)); err != nil {
			return nil, err
		}
	}
	r.stored.Labels = map[string]string{ownerLabel: owner, digestLabel: shortDigest(r.Digest)}
	if last != nil {
		r.stored.Info.FirstDeployed, r.stored.Info.Status = last.Info.FirstDeployed, common.StatusPendingUpgrade
	}
	return r, r.readHooks()
}

// is tells whether a revision is deployed, and was made of the same chart and values.
func (r *releasing) is(of *release.Release) bool {
	return of.Info.Status == common.StatusDeployed && of.Labels[digestLabel] == shortDigest(r.Digest)
}

func (r *releasing) unreadable(of *release.Release, err error) error {
	return lcm.Wrap(lcm.KindBroken, err, "The revision %d of the release %s cannot be read.", of.Version, r.Name)
}

// render makes a new revision of the chart.
func (r *releasing) render(ctx context.Context, chart charts.Release, on charts.Capabilities, look charts.Looker) error {
	made, err := charts.Render(ctx, chart, r.Revision, on, look)
	if err != nil {
		return err
	}
	r.objects, r.paths, r.secrets = made.Objects, made.Paths, made.Secrets
	r.stored = r.revision(&release.Release{Chart: made.Chart, Config: chart.Values, Hooks: made.Hooks}, made.Notes)
	return nil
}

// fromHistory makes the new revision from an earlier revision with the same digest, if there is one, and returns its
// number. That restores the passwords that the templates generated.
func (r *releasing) fromHistory(secrets []corev1.Secret) (revision int, err error) {
	was := slices.IndexFunc(secrets, func(s corev1.Secret) bool {
		status := s.Labels["status"]
		return s.Labels[digestLabel] == shortDigest(r.Digest) &&
			(status == common.StatusDeployed.String() || status == common.StatusSuperseded.String())
	})
	if was < 0 {
		return 0, nil
	}
	old, err := unpackRelease(secrets[was])
	if err != nil {
		return 0, err
	}
	if r.objects, err = charts.Objects(old.Manifest); err != nil {
		return 0, r.unreadable(old, err)
	}
	r.stored = r.revision(old, old.Info.Notes)
	r.stored.Manifest = old.Manifest
	return old.Version, nil
}

// revision returns a new revision with the chart, values and hooks of the given one.
func (r *releasing) revision(of *release.Release, notes string) *release.Release {
	now := time.Now()
	return &release.Release{
		Name: r.Name, Namespace: r.Namespace, Version: r.Revision, Chart: of.Chart, Config: of.Config, Hooks: of.Hooks,
		Info:        &release.Info{FirstDeployed: now, LastDeployed: now, Status: common.StatusPendingInstall, Notes: notes},
		ApplyMethod: string(release.ApplyMethodServerSideApply),
	}
}

// readHooks reads the objects of the hooks. It skips test hooks: Windlass does not run them.
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

// inNamespace sets the namespace of objects that name none.
func inNamespace(objects []unstructured.Unstructured, namespace string) []unstructured.Unstructured {
	for i := range objects {
		if objects[i].GetNamespace() == "" {
			objects[i].SetNamespace(namespace) // prepare clears it if the kind is cluster-scoped
		}
	}
	return objects
}

// setManifest writes the objects of a new revision into its manifest.
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

// capabilities returns the cluster's version and APIs: templates may read them.
func (c *Connection) capabilities(ctx context.Context) (out charts.Capabilities, err error) {
	version, err := c.kinds.client.ServerVersionWithContext(ctx)
	if err != nil {
		return out, translate("report its version", err)
	}
	out.Version = version.GitVersion
	have := c.kinds.known()
	_, lists, err := have.client.ServerGroupsAndResourcesWithContext(have.budget.In(ctx))
	if err != nil && len(lists) == 0 {
		return out, translate("list the kinds of its objects", err)
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

// rehearseReleases checks that no release name is taken by another owner, and that Windlass can store the releases.
// kind is the kind of the last problem.
func (c *Connection) rehearseReleases(
	ctx context.Context, all []*releasing, coming []string,
) (problems []lcm.Problem, kind lcm.ErrorKind, err error) {
	for _, r := range all {
		if r.foreign {
			kind = lcm.KindConflict
			problems = append(problems, lcm.Problem{Path: r.title(), Detail: "exists already and does not belong to " +
				"this VNF: give the release another name, or choose another namespace"})
			continue
		}
		if slices.Contains(coming, r.Namespace) {
			_, err := c.core.Namespaces().Get(ctx, r.Namespace, metav1.GetOptions{})
			if errors.IsNotFound(err) {
				continue // the API server accepts no dry run in a missing namespace
			}
			if err != nil {
				return nil, "", translate("read the namespace "+r.Namespace, err)
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
