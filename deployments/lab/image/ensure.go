package image

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/jobs"
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
	// Progress gets a line for each artefact, and at least every ten seconds while something is built.
	Progress io.Writer
	// Layers are further layers to build now. Others are built when the first machine needs them.
	Layers []Layer
	// After is a job after which this host has the packages of Debian that the build needs; nil: the build installs them.
	After *jobs.Job
}

// Ensure returns the image of this repository, and builds what of it is not there yet. A build that
// was interrupted goes on where it stopped; two at once wait for each other.
func Ensure(ctx context.Context, opts Options) (Image, error) {
	if img, ok := Find(opts); ok {
		return img, nil
	}
	list, err := Jobs(opts)
	if err != nil {
		return Image{}, err
	}
	if os.Geteuid() != 0 {
		return Image{}, lcm.Errorf(lcm.KindDenied, "There is no node image yet, and its build needs root.")
	}
	if err := jobs.Run(ctx, cmp.Or(opts.Progress, io.Discard), list); err != nil {
		return Image{}, err
	}
	img, ok := Find(opts)
	if !ok {
		return Image{}, lcm.Errorf(lcm.KindBug, "The lab has built the node image in %s, but it is not there.", opts.Dir)
	}
	return img, nil
}

// Find returns the image of this repository when it is built, with the layers of the options.
func Find(opts Options) (Image, bool) {
	b, err := newBuilder(opts)
	if err != nil {
		return Image{}, false
	}
	for _, artefact := range b.wanted() {
		if !b.has(artefact) {
			return Image{}, false
		}
	}
	return Image{
		Base: b.path(b.recipe.base), Node: b.path(b.recipe.node), Services: b.path(b.recipe.layers[Services]),
		Ansible: b.path(b.recipe.layers[Ansible]), Downloads: b.path(b.recipe.layers[Downloads]),
		Containerd: b.path(b.recipe.containerd),
		Kubernetes: "v" + kubernetesVersion,
		Programs:   b.path(b.recipe.bin["kubernetes"]), Etcd: b.path(b.recipe.bin["programs"]),
		options: opts,
	}, true
}

// builder makes the artefacts of one recipe.
type builder struct {
	dir, source, mirror string
	layers              []Layer
	after               *jobs.Job
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
	b := &builder{dir: dir, source: source, mirror: opts.Mirror, layers: opts.Layers, after: opts.After}
	if b.recipe, err = readRecipe(source, opts.Mirror); err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot read the recipe of the node image.")
	}
	return b, nil
}

func (b *builder) path(artefact string) string { return filepath.Join(b.dir, artefact) }

func (b *builder) has(artefact string) bool {
	_, err := os.Stat(b.path(artefact))
	return err == nil
}

// wanted lists the artefacts that stay in use after the build.
func (b *builder) wanted() []string {
	list := []string{b.recipe.base, b.recipe.node, b.recipe.containerd, b.recipe.bin["kubernetes"], b.recipe.bin["programs"]}
	for _, layer := range b.layers {
		list = append(list, b.recipe.layers[layer])
	}
	return list
}

// artefact makes a directory unless it is there. It appears under its name when it is whole. Of two builds at once, one
// makes it, and the other waits.
func (b *builder) artefact(ctx context.Context, name, title string, makeIt maker, now jobs.Now) error {
	if b.has(name) {
		return nil
	}
	unlock, err := b.lock(ctx, name, now)
	if err != nil {
		return err
	}
	defer unlock()
	if b.has(name) {
		return nil
	}
	temp := b.path(".new-" + name)
	if err := os.RemoveAll(temp); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot remove the remains of an interrupted build in %s.", temp)
	}
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab cannot write to the image directory %s.", b.dir)
	}
	if err := makeIt(ctx, temp, now); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return lcm.Wrap(lcm.KindBroken, err, "The lab could not build the %s.", title)
	}
	if err := os.Rename(temp, b.path(name)); err != nil {
		return lcm.Wrap(lcm.KindBroken, err, "The lab could not store the %s.", title)
	}
	return nil
}

// lock makes other builds of an artefact wait.
func (b *builder) lock(ctx context.Context, name string, now jobs.Now) (unlock func(), err error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot create the image directory %s.", b.dir)
	}
	f, err := os.OpenFile(b.path(".lock-"+name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The lab cannot lock the image directory %s.", b.dir)
	}
	for unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		now("another process builds it")
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return func() { _ = f.Close() }, nil
}
