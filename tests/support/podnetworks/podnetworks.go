// Package podnetworks has the pod networks of docs/how-to/pod-network.md for tests: the files that their projects publish
// in Go modules, edited with the commands of the page.
package podnetworks

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const (
	flannel = "github.com/flannel-io/flannel@v0.28.10"
	calico  = "github.com/projectcalico/calico@v1.11.0-cni-plugin.0.20250813170300-a0db560f0520"
	cilium  = "github.com/cilium/cilium@v1.20.2"
)

// Flannel is flannel's manifest as the page edits it.
func Flannel(t testing.TB) []byte {
	t.Helper()
	command := find(t, `(?m)^(sed .* kube-flannel\.yml > pod-network\.yaml)$`)
	dir := t.TempDir()
	manifest := read(t, filepath.Join(module(t, flannel), "Documentation/kube-flannel.yml"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kube-flannel.yml"), manifest, 0o600))
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return read(t, filepath.Join(dir, "pod-network.yaml"))
}

var (
	images  = regexp.MustCompile(`(?m)image: \S+/(flannel|flannel-cni-plugin):\S+$`)
	version = regexp.MustCompile(`"cniVersion": "[^"]+"`)
)

// FlannelOfLab is Flannel with the images of the lab, and with the version of CNI that the lab's plugin speaks.
func FlannelOfLab(t testing.TB) []byte {
	t.Helper()
	text := images.ReplaceAll(Flannel(t), []byte("image: lab.local/$1:v1"))
	return version.ReplaceAll(text, []byte(`"cniVersion": "0.4.0"`))
}

// Calico is Calico's manifest, unchanged.
func Calico(t testing.TB) []byte {
	t.Helper()
	return read(t, filepath.Join(module(t, calico), "manifests/calico-vxlan.yaml"))
}

// Cilium is the archive of Cilium's chart, with the values of the page.
func Cilium(t testing.TB) (archive, values []byte) {
	t.Helper()
	archive = pack(t, filepath.Join(module(t, cilium), "install/kubernetes/cilium"))
	return archive, []byte(find(t, "(?s)```yaml\n(ipam:.*?)```"))
}

// find finds a group of the pattern in the page.
func find(t testing.TB, pattern string) string {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	page := read(t, filepath.Join(root, "docs/how-to/pod-network.md"))
	found := regexp.MustCompile(pattern).FindSubmatch(page)
	require.NotNil(t, found, "docs/how-to/pod-network.md has no text like %s", pattern)
	return string(found[1])
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return content
}

// module downloads a Go module, and returns its directory.
func module(t testing.TB, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", name)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	var of struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &of))
	return of.Dir
}

// pack makes the archive of a chart's folder.
func pack(t testing.TB, dir string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(dir), path)
		if err != nil {
			return err
		}
		content := read(t, path)
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	}))
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}
