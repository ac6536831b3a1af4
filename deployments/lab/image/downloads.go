package image

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/windlass-nfv/windlass/internal/jobs"
)

// downloadsDir is where machines have kubespray's downloads.
const downloadsDir = "usr/local/share/downloads"

// packDownloads makes the layer with what kubespray downloads and no package of Debian has: programs, and the image of
// the proxy that runs on every worker.
func (b *builder) packDownloads(ctx context.Context, dir string, _ jobs.Now) error {
	target := filepath.Join(dir, downloadsDir)
	for _, p := range []struct{ module, name string }{
		{"programs", "etcd"},
		{"programs", "etcdctl"},
		{downloads.name, "etcdutl"},
		{downloads.name, "crictl"},
	} {
		if err := copyFile(filepath.Join(b.path(b.recipe.bin[p.module]), p.name), filepath.Join(target, p.name),
			0o755); err != nil {
			return err
		}
	}
	return b.packHAProxy(ctx, filepath.Join(target, "haproxy.tar"))
}

// packHAProxy makes an image of Debian's HAProxy that starts as the project's own image does.
func (b *builder) packHAProxy(ctx context.Context, file string) error {
	tree, err := os.MkdirTemp(filepath.Dir(file), ".haproxy-")
	if err != nil {
		return err
	}
	if err := copyPrograms(ctx, b.path(b.recipe.base), tree, []string{"/usr/sbin/haproxy"}); err != nil {
		return err
	}
	err = archive{
		Tag:        "lab.local/haproxy:v1",
		Entrypoint: []string{"/usr/sbin/haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"},
		Files:      []archiveFile{{tree, "/"}},
	}.write(file)
	return errors.Join(err, os.RemoveAll(tree))
}
