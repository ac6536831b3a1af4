package image

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/gobuild"
	"github.com/windlass-nfv/windlass/internal/jobs"
)

// maker fills the directory of an artefact.
type maker func(ctx context.Context, dir string, now jobs.Now) error

// Jobs returns the jobs that build what is missing of the image: Debian and Go sources come over the network at the same
// time, and what is made of both comes last. It returns none if nothing is missing.
func Jobs(opts Options) ([]*jobs.Job, error) {
	b, err := newBuilder(opts)
	if err != nil {
		return nil, err
	}
	if _, ok := Find(opts); ok {
		return nil, nil
	}
	l := &jobList{b: b}
	host := &jobs.Job{Title: "packages of this host", Run: b.ensurePackages}
	if b.after != nil {
		host.After = []*jobs.Job{b.after}
	}
	l.list = append(l.list, host)
	base := l.add(b.recipe.base, "Debian "+suite, b.bootstrap, host)
	bin := l.compile(modules...)
	node := l.add(b.recipe.node, "node layer", b.makeNode, base, bin["kubernetes"], bin["programs"], bin["lab"])
	images := l.add(b.recipe.images, "container images", b.packImages, base, bin["kubernetes"], bin["programs"], bin["lab"])
	l.add(b.recipe.containerd, "containerd with its images", b.preload, node, images)
	for _, layer := range b.layers {
		l.layer(layer, base, bin["programs"])
	}
	return l.list, nil
}

// layer adds the jobs for a further layer.
func (l *jobList) layer(layer Layer, base, programs *jobs.Job) {
	artefact, title := l.b.recipe.layers[layer], layers[layer].title
	switch {
	case l.b.has(artefact):
	case layer == Downloads:
		l.add(artefact, title, l.b.packDownloads, base, programs, l.compile(downloads)[downloads.name])
	default:
		l.add(artefact, title, l.b.install(layers[layer].packages), base)
	}
}

// jobList collects the jobs for what is missing.
type jobList struct {
	b    *builder
	list []*jobs.Job
}

// add adds the job for an artefact. It returns nil if the artefact is there.
func (l *jobList) add(artefact, title string, makeIt maker, after ...*jobs.Job) *jobs.Job {
	if l.b.has(artefact) {
		return nil
	}
	job := &jobs.Job{Title: title, After: present(after), Run: func(ctx context.Context, now jobs.Now) error {
		return l.b.artefact(ctx, artefact, title, makeIt, now)
	}}
	l.list = append(l.list, job)
	return job
}

// compile adds the jobs that fetch and compile the programs, and returns those that compile, by module.
func (l *jobList) compile(list ...module) map[string]*jobs.Job {
	made := map[string]*jobs.Job{}
	for _, m := range list {
		artefact := l.b.recipe.bin[m.name]
		if l.b.has(artefact) {
			continue
		}
		packages := 0
		fetch := &jobs.Job{Title: "sources of " + m.title, Run: func(ctx context.Context, now jobs.Now) (err error) {
			packages, err = l.b.programs(m, "").Fetch(ctx, now)
			return err
		}}
		l.list = append(l.list, fetch)
		made[m.name] = l.add(artefact, m.title, func(ctx context.Context, dir string, now jobs.Now) error {
			return l.b.programs(m, dir).Compile(ctx, packages, now)
		}, fetch)
		made[m.name].Lane = gobuild.Lane
	}
	return made
}

// present leaves out the jobs that are not needed.
func present(list []*jobs.Job) (out []*jobs.Job) {
	for _, job := range list {
		if job != nil {
			out = append(out, job)
		}
	}
	return out
}
