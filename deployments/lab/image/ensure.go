package image

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// DefaultDir is where root keeps built images.
const DefaultDir = "/var/cache/windlass-lab"

// Options of Ensure.
type Options struct {
	// Dir keeps what is built, each artefact under a name that ends with the hash of its recipe.
	Dir string
	// Source is the repository; by default that around the working directory or the executable.
	Source string
	// Mirror of Debian's archive; empty is mmdebstrap's own default.
	Mirror string
	// Progress gets a line whenever something is built or waited for.
	Progress io.Writer
}

// Ensure returns the image of this repository, and builds what of it is not there yet. A build that
// was interrupted goes on where it stopped; two at once wait for each other.
func Ensure(ctx context.Context, opts Options) (Image, error) {
	b, err := newBuilder(opts)
	if err != nil {
		return Image{}, err
	}
	if img, ok := b.find(); ok {
		return img, nil
	}
	if os.Geteuid() != 0 {
		return Image{}, lcm.Errorf(lcm.KindDenied, "There is no node image yet, and its build needs root.")
	}
	unlock, err := b.lock(ctx)
	if err != nil {
		return Image{}, err
	}
	defer unlock()
	if err := b.ensurePackages(ctx); err != nil {
		return Image{}, err
	}
	if err := b.build(ctx); err != nil {
		return Image{}, err
	}
	img, ok := b.find()
	if !ok {
		return Image{}, lcm.Errorf(lcm.KindBug, "The lab has built the node image in %s, but it is not there.", b.dir)
	}
	return img, nil
}

// Find returns the image of this repository when it is built completely.
func Find(opts Options) (Image, bool) {
	b, err := newBuilder(opts)
	if err != nil {
		return Image{}, false
	}
	return b.find()
}

// builder makes the artefacts of one recipe.
type builder struct {
	dir, source, mirror string
	progress            io.Writer
	began               time.Time
	recipe              recipe
}

func newBuilder(opts Options) (*builder, error) {
	source, err := findSource(opts.Source)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(cmp.Or(opts.Dir, DefaultDir))
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The image directory %s has no absolute path.", opts.Dir)
	}
	b := &builder{dir: dir, source: source, mirror: opts.Mirror, progress: opts.Progress, began: time.Now()}
	if b.progress == nil {
		b.progress = io.Discard
	}
	if b.recipe, err = readRecipe(source, opts.Mirror); err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot read the recipe of the node image.")
	}
	return b, nil
}

func (b *builder) path(artefact string) string { return filepath.Join(b.dir, artefact) }

func (b *builder) find() (Image, bool) {
	for _, artefact := range []string{
		b.recipe.base, b.recipe.services, b.recipe.ansible, b.recipe.node, b.recipe.containerd,
		b.recipe.bin["kubernetes"], b.recipe.bin["etcd"],
	} {
		if _, err := os.Stat(b.path(artefact)); err != nil {
			return Image{}, false
		}
	}
	return Image{
		Base: b.path(b.recipe.base), Node: b.path(b.recipe.node), Services: b.path(b.recipe.services), Ansible: b.path(b.recipe.ansible),
		Containerd: b.path(b.recipe.containerd), Kubernetes: "v" + kubernetesVersion,
		Programs: b.path(b.recipe.bin["kubernetes"]), Etcd: b.path(b.recipe.bin["etcd"]),
	}, true
}

// build goes from Debian and Go sources, which come over the network at the same time, to what
// is made of both.
func (b *builder) build(ctx context.Context) error {
	downloads, downloading := errgroup.WithContext(ctx)
	downloads.Go(func() error {
		if err := b.artefact(downloading, b.recipe.base, "Debian "+suite+" root file system", b.bootstrap); err != nil {
			return err
		}
		if err := b.artefact(downloading, b.recipe.services, "layer of storage servers and registries",
			b.install(servicePackages)); err != nil {
			return err
		}
		return b.artefact(downloading, b.recipe.ansible, "layer of Ansible servers", b.install(ansiblePackages))
	})
	downloads.Go(func() error {
		for _, m := range modules {
			if err := b.artefact(downloading, b.recipe.bin[m.name], m.title, b.compile(m)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := downloads.Wait(); err != nil {
		return err
	}
	for _, a := range []struct {
		name, title string
		make        func(context.Context, string) error
	}{
		{b.recipe.node, "node layer", b.makeNode},
		{b.recipe.images, "container images", b.packImages},
		{b.recipe.containerd, "preloaded containerd", b.preload},
	} {
		if err := b.artefact(ctx, a.name, a.title, a.make); err != nil {
			return err
		}
	}
	return nil
}

// artefact makes a directory unless it is there. It appears under its name when it is whole.
func (b *builder) artefact(ctx context.Context, name, title string, makeIt func(context.Context, string) error) error {
	if _, err := os.Stat(b.path(name)); err == nil {
		return nil
	}
	temp := b.path(".new-" + name)
	if err := os.RemoveAll(temp); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot remove the remains of an interrupted build in %s.", temp)
	}
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot write to the image directory %s.", b.dir)
	}
	b.say("building %s", title)
	began := time.Now()
	if err := makeIt(ctx, temp); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return lcm.Wrap(lcm.KindBroken, err, "The lab could not build the %s.", title)
	}
	if err := os.Rename(temp, b.path(name)); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab could not store the %s.", title)
	}
	b.say("built %s in %.1f s", title, time.Since(began).Seconds())
	return nil
}

func (b *builder) say(format string, args ...any) {
	fmt.Fprintf(b.progress, "image +%4.0fs  %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
}

func (b *builder) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot create the image directory %s.", b.dir)
	}
	f, err := os.OpenFile(filepath.Join(b.dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot lock the image directory %s.", b.dir)
	}
	for said := false; unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil; said = true {
		if !said {
			b.say("waiting for another build in %s", b.dir)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return func() { _ = f.Close() }, nil
}
