package kubernetes

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// plan is the wanted state of a deployment.
type plan struct {
	objects  []prepared // of manifests and charts
	hooks    []prepared
	releases []*releasing
	// secrets are values that charts generated: nobody knew them before.
	secrets []string
}

// plan works out the definition for this cluster. Members that the definition of a change omits stay as they were.
// Charts look up objects of the cluster with look, if it is not nil.
func (c *Connection) plan(
	ctx context.Context, of Definition, have *record, owner string, look lookerIn,
) (*plan, error) {
	p := &plan{}
	if of.Objects == nil {
		of.Objects = have.manifests()
	}
	if err := c.planReleases(ctx, p, of, have, owner, look); err != nil {
		return nil, err
	}
	var hooks []unstructured.Unstructured
	of.Objects = slices.Clone(of.Objects)
	for _, r := range p.releases {
		of.Objects = append(of.Objects, r.objects...)
		hooks = append(hooks, r.hooks...)
		p.secrets = append(p.secrets, r.secrets...)
	}
	p.secrets = append(p.secrets, SecretsOf(slices.Concat(of.Objects, hooks))...)
	count := len(of.Objects)
	of.Objects = append(of.Objects, hooks...)
	all, err := c.prepare(ctx, of, owner, of.Workloads)
	if err != nil {
		return nil, err
	}
	p.objects, p.hooks = all[:count:count], all[count:]
	if err := c.leaveToOthers(ctx, p.objects, of, owner); err != nil {
		return nil, err
	}
	if err := c.attach(ctx, of, have, p.objects); err != nil {
		return nil, err
	}
	choose(of.Choices, of.Workloads, p.objects)
	markTemplates(p.objects)
	for _, r := range p.releases {
		r.setManifest(p.objects)
	}
	return p, nil
}

func (c *Connection) planReleases(
	ctx context.Context, p *plan, of Definition, have *record, owner string, look lookerIn,
) error {
	if of.Charts == nil {
		for _, held := range have.Releases {
			r := &releasing{heldRelease: held, objects: have.of(held)}
			var err error
			if r.stored, err = c.latest(ctx, held.Namespace, held.Name, owner); err == nil && r.stored != nil {
				err = r.readHooks()
			}
			switch {
			case err != nil:
				return err
			case r.stored == nil:
				return lcm.Errorf(lcm.KindBroken, "The release %s in the namespace %s, which is of this VNF, is gone.", held.Name,
					held.Namespace)
			}
			p.releases = append(p.releases, r)
		}
		return nil
	}
	on := target{lookerIn: look}
	for i, chart := range of.Charts {
		var err error
		if i == 0 {
			on.Capabilities, err = c.capabilities(ctx)
		}
		if err != nil {
			return err
		}
		r, err := c.release(ctx, chart, have, owner, on)
		if err != nil {
			return err
		}
		r.objects = inNamespace(r.objects, r.Namespace)
		p.releases = append(p.releases, r)
	}
	return nil
}

// rehearsePlan rehearses objects, hooks and releases. It cannot rehearse an existing hook, because the hook is deleted
// and made again.
func (c *Connection) rehearsePlan(ctx context.Context, p *plan, owner string) error {
	objects := slices.Clone(p.objects)
	for _, h := range p.hooks {
		if h.mapping == nil {
			continue
		}
		there, err := c.ownerOf(ctx, h)
		if err != nil {
			return err
		}
		if !there.is || there.foreign(owner) {
			objects = append(objects, h)
		}
	}
	told, kind, err := c.rehearseReleases(ctx, p.releases, namespacesIn(p.objects))
	if err != nil {
		return err
	}
	err = c.rehearse(ctx, objects, owner)
	if len(told) == 0 {
		return err
	}
	failed, ok := err.(*lcm.Error) //nolint:errorlint // rehearse has made it
	switch {
	case err != nil && (!ok || failed.Problems == nil):
		return err
	case err == nil:
		failed = c.refusal(kind, nil)
	}
	failed.Kind, failed.Problems = kind, slices.Concat(told, failed.Problems)
	return failed
}

func (c *Connection) refusal(kind lcm.ErrorKind, problems []lcm.Problem) *lcm.Error {
	return &lcm.Error{
		Kind: kind, Problems: problems,
		Detail: "The VIM " + c.name + " would refuse objects of the VNF; nothing was made.",
	}
}

// take writes the wanted state into the record. The record keeps the objects to remove until they are gone.
func (r *record) take(operation string, of Definition, p *plan) {
	before := slices.Concat(r.Objects, r.Dropped)
	r.Operation, r.Objects = operation, unprepared(p.objects)
	if of.Workloads != nil {
		r.Workloads = of.Workloads
	}
	if of.Attachments != nil {
		r.Attachments = of.Attachments
	}
	r.Dropped = except(before, r.Objects)
	r.Hooks = except(slices.Concat(unprepared(p.hooks), r.Hooks), nil)
	var releases []heldRelease
	for _, of := range p.releases {
		releases = append(releases, of.heldRelease)
	}
	for _, old := range slices.Concat(r.Releases, r.Former) {
		if !slices.ContainsFunc(releases, old.same) && !slices.ContainsFunc(r.Former, old.same) {
			r.Former = append(r.Former, old)
		}
	}
	r.Former = slices.DeleteFunc(r.Former, func(f heldRelease) bool { return slices.ContainsFunc(releases, f.same) })
	r.Releases = releases
}

// held returns the release of the record that is the same as h; the zero value if there is none.
func (r *record) held(h heldRelease) (found heldRelease) {
	if i := slices.IndexFunc(r.Releases, h.same); i >= 0 {
		found = r.Releases[i]
	}
	return found
}

func (h heldRelease) same(other heldRelease) bool {
	return h.Name == other.Name && h.Namespace == other.Namespace
}

// except returns the objects that are not among others, each once.
func except(objects, others []unstructured.Unstructured) (out []unstructured.Unstructured) {
	known := map[string]bool{}
	for _, o := range others {
		known[key(&o)] = true
	}
	for _, o := range objects {
		if k := key(&o); !known[k] {
			known[k] = true
			out = append(out, o)
		}
	}
	return out
}

// manifests returns the objects that belong to no release.
func (r *record) manifests() (out []unstructured.Unstructured) {
	for _, o := range r.Objects {
		if !slices.ContainsFunc(r.Releases, func(h heldRelease) bool { return h.has(&o) }) {
			out = append(out, o)
		}
	}
	return out
}

// of are the objects of a release.
func (r *record) of(h heldRelease) (out []unstructured.Unstructured) {
	for _, o := range r.Objects {
		if h.has(&o) {
			out = append(out, o)
		}
	}
	return out
}
