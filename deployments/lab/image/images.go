package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/windlass-nfv/windlass/internal/jobs"
)

// packImages writes the images of a cluster under the tags that this kubeadm asks for.
func (b *builder) packImages(ctx context.Context, dir string, _ jobs.Now) error {
	kubernetes, lab := b.path(b.recipe.bin["kubernetes"]), b.path(b.recipe.bin["lab"])
	programs := b.path(b.recipe.bin["programs"])
	out, err := exec.CommandContext(ctx, filepath.Join(kubernetes, "kubeadm"), "config", "images", "list",
		"--kubernetes-version", "v"+kubernetesVersion).Output()
	if err != nil {
		return fmt.Errorf("ask kubeadm for its images: %w", err)
	}
	tag := func(name string) string {
		return regexp.MustCompile(`(?m)^\S*/` + regexp.QuoteMeta(name) + `:\S+$`).FindString(string(out))
	}
	proxy, err := b.rulesTree(ctx, filepath.Join(dir, ".proxy"))
	if err != nil {
		return err
	}
	copier, err := b.copierTree(ctx, filepath.Join(dir, ".copier"))
	if err != nil {
		return err
	}
	web, err := b.webTree(ctx, filepath.Join(dir, ".web"))
	if err != nil {
		return err
	}
	archives := map[string]archive{
		"etcd": {Tag: tag("etcd"), Files: []archiveFile{
			{filepath.Join(programs, "etcd"), "/usr/local/bin/etcd"}, {filepath.Join(programs, "etcdctl"), "/usr/local/bin/etcdctl"},
		}},
		"coredns": {
			Tag: tag("coredns"), Entrypoint: []string{"/coredns"},
			Files: []archiveFile{{filepath.Join(programs, "coredns"), "/coredns"}},
		},
		"pause": {
			Tag: tag("pause"), Entrypoint: []string{"/pause"},
			Files: []archiveFile{{filepath.Join(lab, "pause"), "/pause"}},
		},
		"flannel": {Tag: "lab.local/flannel:v1", Files: []archiveFile{
			{proxy, "/"},
			{filepath.Join(lab, "flanneld"), "/opt/bin/flanneld"},
			{filepath.Join(lab, "install-conf"), "/opt/bin/install-conf"},
		}},
		"flannel-cni-plugin": {Tag: "lab.local/flannel-cni-plugin:v1", Files: []archiveFile{
			{copier, "/"}, {filepath.Join(programs, "flannel"), "/flannel"},
		}},
		"nfsprovisioner": {
			Tag: "lab.local/nfs-subdir-external-provisioner:v1", Entrypoint: []string{"/nfsprovisioner"},
			Files: []archiveFile{{filepath.Join(kubernetes, "nfsprovisioner"), "/nfsprovisioner"}},
		},
		"kube-proxy": {Tag: tag("kube-proxy"), Files: []archiveFile{
			{proxy, "/"}, {filepath.Join(kubernetes, "kube-proxy"), "/usr/local/bin/kube-proxy"},
		}},
		"web": {
			Tag: "lab.local/web:v1", Entrypoint: []string{"/usr/bin/python3", "-m", "http.server", "8080"},
			Files: []archiveFile{{web, "/"}},
		},
	}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		archives[name] = archive{
			Tag:   tag(name),
			Files: []archiveFile{{filepath.Join(kubernetes, name), "/usr/local/bin/" + name}},
		}
	}
	for name, a := range archives {
		if a.Tag == "" {
			return fmt.Errorf("kubeadm names no image %s", name)
		}
		if err := a.write(filepath.Join(dir, name+".tar")); err != nil {
			return fmt.Errorf("write image %s: %w", name, err)
		}
	}
	return errors.Join(os.RemoveAll(proxy), os.RemoveAll(copier), os.RemoveAll(web))
}

// copierTree is what copies a file.
func (b *builder) copierTree(ctx context.Context, dir string) (string, error) {
	return dir, copyPrograms(ctx, b.path(b.recipe.base), dir, []string{"/bin/cp"})
}

// rulesTree is what kube-proxy and flannel call. iptables loads its extensions at run time, so that their
// libraries are looked up too: libxt_statistic alone needs libm, and balances every Service.
func (b *builder) rulesTree(ctx context.Context, dir string) (string, error) {
	base := b.path(b.recipe.base)
	extensions, err := filepath.Glob(filepath.Join(base, "usr/lib/*/xtables/*.so"))
	if err != nil {
		return "", err
	}
	programs := []string{"/usr/sbin/xtables-nft-multi", "/usr/sbin/nft", "/usr/sbin/conntrack"}
	for _, extension := range extensions {
		programs = append(programs, strings.TrimPrefix(extension, base))
	}
	if err := copyPrograms(ctx, base, dir, programs); err != nil {
		return "", err
	}
	for _, name := range []string{
		"iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save",
		"ip6tables-restore",
	} {
		if err := os.Symlink("xtables-nft-multi", filepath.Join(dir, "usr/sbin", name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// webTree is a small workload with which a fresh cluster can be tried.
func (b *builder) webTree(ctx context.Context, dir string) (string, error) {
	base := b.path(b.recipe.base)
	interpreter, err := filepath.EvalSymlinks(filepath.Join(base, "usr/bin/python3"))
	if err != nil {
		return "", err
	}
	python := strings.TrimPrefix(interpreter, base)
	if err := copyPrograms(ctx, base, dir, []string{
		python, "/bin/sh", "/bin/ls", "/bin/cat", "/bin/sleep",
		"/usr/bin/curl",
	}); err != nil {
		return "", err
	}
	library := "usr/lib/" + filepath.Base(python)
	err = filepath.WalkDir(filepath.Join(base, library), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return copyFile(path, filepath.Join(dir, strings.TrimPrefix(path, base)), 0o644)
	})
	if err != nil {
		return "", err
	}
	return dir, os.Symlink(filepath.Base(python), filepath.Join(dir, "usr/bin/python3"))
}

// copyPrograms copies files of the root file system and the shared libraries they need.
func copyPrograms(ctx context.Context, root, dir string, programs []string) error {
	libraries := regexp.MustCompile(`/\S+\.so\S*`)
	for _, program := range programs {
		// ldd fails for what needs no library; then there is nothing to add.
		var out bytes.Buffer
		ldd := exec.CommandContext(ctx, "chroot", root, "ldd", program)
		ldd.Stdout = &out
		_ = ldd.Run()
		for _, file := range append([]string{program}, libraries.FindAllString(out.String(), -1)...) {
			if err := copyFile(filepath.Join(root, file), filepath.Join(dir, file), 0o755); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(source, target string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return errors.Join(out.Close(), os.Chmod(target, mode))
}
