package image

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/internal/gobuild"
	"github.com/windlass-nfv/windlass/internal/jobs"
)

func (b *builder) bootstrap(ctx context.Context, dir string, _ jobs.Now) error {
	args := []string{"--quiet", "--variant=minbase", "--include=" + strings.Join(packages, ","), suite, dir}
	if b.mirror != "" {
		args = append(args, b.mirror)
	}
	return b.command(ctx, "", "mmdebstrap", args...)
}

// programs is the build of a module's programs. They are static, so that they run on the node and in images alike.
func (b *builder) programs(m module, dir string) gobuild.Build {
	build := gobuild.Build{
		Dir: filepath.Join(b.source, m.dir), LinkerFlags: strings.TrimSpace(gobuild.Stripped + " " + m.flags),
		Plain: m.plain,
	}
	for _, name := range slices.Sorted(maps.Keys(m.programs)) {
		build.Programs = append(build.Programs, gobuild.Program{Package: m.programs[name], File: filepath.Join(dir, name)})
	}
	return build
}

// install makes an overlay layer of packages: that of storage servers and registries, and that of Ansible servers. It
// lies on Debian alone, so that it is made while the programs of the node are compiled.
func (b *builder) install(packages []string) maker {
	return func(ctx context.Context, dir string, _ jobs.Now) error { return b.installPackages(ctx, dir, packages) }
}

func (b *builder) installPackages(ctx context.Context, dir string, packages []string) error {
	work, err := os.MkdirTemp(b.dir, ".work-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, d := range []string{"root", "work", "lists", "cache"} {
		if err := os.Mkdir(filepath.Join(work, d), 0o755); err != nil {
			return err
		}
	}
	env := []string{
		"LOWER=" + b.path(b.recipe.base), "UPPER=" + dir, "WORK=" + work, "PACKAGES=" + strings.Join(packages, " "),
	}
	return b.commandEnv(ctx, "", env, "unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c",
		servicesScript)
}

// makeNode makes the overlay layer that turns Debian into a node.
func (b *builder) makeNode(ctx context.Context, dir string, _ jobs.Now) error {
	work, err := os.MkdirTemp(b.dir, ".work-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	root := filepath.Join(work, "root")
	for _, d := range []string{root, filepath.Join(work, "work")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", b.path(b.recipe.base), dir, filepath.Join(work, "work"))
	if err := unix.Mount("overlay", root, "overlay", 0, options); err != nil {
		return fmt.Errorf("mount overlay: %w", err)
	}
	defer func() { _ = unix.Unmount(root, unix.MNT_DETACH) }()
	if err := copyNodeFiles(root); err != nil {
		return err
	}
	for _, p := range []struct{ module, name, target string }{
		{"kubernetes", "kubeadm", "usr/bin/kubeadm"},
		{"kubernetes", "kubelet", "usr/bin/kubelet"},
		{"kubernetes", "kubectl", "usr/bin/kubectl"},
		{"programs", "etcdctl", "usr/bin/etcdctl"},
		{"lab", "mountnfs", "usr/sbin/mount.nfs"},
	} {
		if err := copyFile(filepath.Join(b.path(b.recipe.bin[p.module]), p.name), filepath.Join(root, p.target),
			0o755); err != nil {
			return err
		}
	}
	return b.command(ctx, "", "chroot", root, "/bin/sh", "-c", nodeSetup)
}

func copyNodeFiles(root string) error {
	return fs.WalkDir(nodeFiles, "node", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(root, strings.TrimPrefix(path, "node"))
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := nodeFiles.ReadFile(path)
		if err != nil {
			return err
		}
		// embed keeps no modes.
		mode := fs.FileMode(0o644)
		switch {
		case strings.HasPrefix(path, "node/usr/"):
			mode = 0o755
		case strings.HasPrefix(path, "node/etc/sudoers.d/"):
			mode = 0o440
		}
		if err := os.WriteFile(target, content, mode); err != nil {
			return err
		}
		return os.Chmod(target, mode)
	})
}

// preload imports the images once, so that no machine spends a quarter of a minute on it.
func (b *builder) preload(ctx context.Context, dir string, _ jobs.Now) error {
	work, err := os.MkdirTemp(b.dir, ".work-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, d := range []string{"root", "upper", "work"} {
		if err := os.Mkdir(filepath.Join(work, d), 0o755); err != nil {
			return err
		}
	}
	env := []string{
		"LOWER=" + b.path(b.recipe.node) + ":" + b.path(b.recipe.base), "WORK=" + work, "STATE=" + dir,
		"IMAGES=" + b.path(b.recipe.images),
	}
	// --kill-child: containerd and its mounts go with the build, however it ends.
	return b.commandEnv(ctx, "", env, "unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "/bin/sh", "-c",
		preloadScript)
}
