package image

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/jobs"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestEnsure_buildsTheImage needs root and the network, and takes minutes: it runs when
// WINDLASS_LAB_BUILD_IMAGE names the directory to build in.
func TestEnsure_buildsTheImage(t *testing.T) {
	dir := os.Getenv("WINDLASS_LAB_BUILD_IMAGE")
	if dir == "" {
		t.Skip("not run: set WINDLASS_LAB_BUILD_IMAGE to the directory to build in")
	}
	img, err := Ensure(t.Context(), Options{Dir: dir, Progress: os.Stderr})
	require.NoError(t, err)
	require.DirExists(t, filepath.Join(img.Containerd, "io.containerd.snapshotter.v1.overlayfs"))
	again, ok := Find(Options{Dir: dir})
	require.True(t, ok)
	require.Equal(t, img.Layers("registry"), again.Layers("registry"))
	require.NoError(t, img.EnsureLayers(t.Context(), "registry", "ansible"))
	_, ok = Find(Options{Dir: dir, Layers: []Layer{Services, Ansible}})
	require.True(t, ok)
}

func TestArchive_isAnImageThatOthersRead(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	require.NoError(t, os.MkdirAll(filepath.Join(tree, "usr/bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(tree, "usr/bin/tool"), []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.Symlink("tool", filepath.Join(tree, "usr/bin/alias")))
	a := archive{
		Tag: "lab.local/tool:v1", Entrypoint: []string{"/usr/bin/tool", "-v"},
		Files: []archiveFile{{tree, "/"}, {filepath.Join(tree, "usr/bin/tool"), "/usr/local/bin/other"}},
	}
	first, second := filepath.Join(dir, "a.tar"), filepath.Join(dir, "b.tar")
	require.NoError(t, a.write(first))
	require.NoError(t, a.write(second))
	require.Equal(t, read(t, first), read(t, second), "the same files must make the same archive")

	tag, err := name.NewTag("lab.local/tool:v1")
	require.NoError(t, err)
	img, err := tarball.ImageFromPath(first, &tag)
	require.NoError(t, err)
	config, err := img.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, a.Entrypoint, config.Config.Entrypoint)
	layers, err := img.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	diff, err := layers[0].DiffID()
	require.NoError(t, err)
	require.Equal(t, config.RootFS.DiffIDs[0], diff)
	content, err := layers[0].Uncompressed()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{
		"usr/": 0o755, "usr/bin/": 0o755, "usr/bin/tool": 0o755, "usr/bin/alias": 0o777, "tmp/": 0o1777,
		"usr/local/": 0o755, "usr/local/bin/": 0o755, "usr/local/bin/other": 0o755,
	}, modes(t, content))
}

func modes(t *testing.T, r io.Reader) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	for tr := tar.NewReader(r); ; {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		found[header.Name] = header.Mode
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

func TestRecipe_changesWithWhatAnArtefactIsMadeOfAndWithNothingElse(t *testing.T) {
	source, err := findSource("")
	require.NoError(t, err)
	one, err := readRecipe(source, "")
	require.NoError(t, err)
	same, err := readRecipe(source, "")
	require.NoError(t, err)
	require.Equal(t, one, same)

	mirrored, err := readRecipe(source, "http://mirror.example/debian")
	require.NoError(t, err)
	require.NotEqual(t, one.base, mirrored.base)
	require.NotEqual(t, one.layers[Downloads], mirrored.layers[Downloads], "HAProxy is Debian's")
	require.NotEqual(t, one.containerd, mirrored.containerd, "what lies above a changed layer is built again")
	require.Equal(t, one.bin, mirrored.bin, "programs do not depend on Debian")
}

func TestLayers_ofStorageServersAndRegistriesHaveTheServices(t *testing.T) {
	img := Image{Base: "base", Node: "node", Services: "services"}
	for _, name := range []string{"debian-12-services", "Image for storage server", "Private-REGISTRY"} {
		require.Equal(t, []string{"services", "node", "base"}, img.Layers(name), name)
	}
	require.Equal(t, []string{"services", "node", "base"}, img.Layers("debian-12-k8s", "stack-storage-server-x7"),
		"the machine's own name counts, too")
	require.Equal(t, []string{"node", "base"}, img.Layers("debian-12-k8s", "stack-workernode-x7"))
}

func TestLayers_ofAnAnsibleServerHaveAnsible(t *testing.T) {
	img := Image{Base: "base", Node: "node", Services: "services", Ansible: "ansible"}
	require.Equal(t, []string{"ansible", "node", "base"}, img.Layers("debian-12-ansible"))
	require.Equal(t, []string{"ansible", "node", "base"}, img.Layers("debian-12-k8s", "Ansible-server"))
	require.Equal(t, []string{"services", "node", "base"}, img.Layers("debian-12-services"))
}

func TestLayers_ofAMachineThatIsOfflineHaveKubespraysDownloads(t *testing.T) {
	img := Image{Base: "base", Node: "node", Services: "services", Ansible: "ansible", Downloads: "downloads"}
	require.Equal(t, []string{"downloads", "ansible", "node", "base"}, img.Layers("debian-12-offline", "stack-workernode-x7"))
}

func TestEnsure_withoutTheRepositorySaysSo(t *testing.T) {
	_, err := Ensure(t.Context(), Options{Source: t.TempDir(), Dir: t.TempDir()})
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "repository")
}

func TestArtefact_ofAnInterruptedBuildIsMadeAgain(t *testing.T) {
	source, err := findSource("")
	require.NoError(t, err)
	b, err := newBuilder(Options{Source: source, Dir: t.TempDir()})
	require.NoError(t, err)
	broken := errors.New("interrupted")
	now := func(string, ...any) {}
	half := func(_ context.Context, dir string, _ jobs.Now) error {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
		return broken
	}
	require.ErrorIs(t, b.artefact(t.Context(), "thing-1", "thing", half, now), broken)
	require.NoFileExists(t, b.path("thing-1"))

	built := 0
	whole := func(_ context.Context, dir string, _ jobs.Now) error {
		built++
		require.NoFileExists(t, filepath.Join(dir, "half"))
		return nil
	}
	require.NoError(t, b.artefact(t.Context(), "thing-1", "thing", whole, now))
	require.NoError(t, b.artefact(t.Context(), "thing-1", "thing", whole, now))
	require.Equal(t, 1, built)
}

// titles returns the titles of the jobs that build what is missing.
func titles(t *testing.T, opts Options) (list []string) {
	t.Helper()
	work, err := Jobs(opts)
	require.NoError(t, err)
	for _, job := range work {
		list = append(list, job.Title)
	}
	return list
}

func TestJobs_buildWhatIsMissingAndNoLayerThatNobodyAsksFor(t *testing.T) {
	dir := t.TempDir()
	all := titles(t, Options{Dir: dir})
	require.Contains(t, all, "Kubernetes "+kubernetesVersion)
	require.Contains(t, all, "containerd with its images")
	require.NotContains(t, all, layers[Ansible].title)
	require.NotContains(t, all, layers[Services].title)

	b, err := newBuilder(Options{Dir: dir})
	require.NoError(t, err)
	for _, artefact := range b.wanted() {
		require.NoError(t, os.Mkdir(b.path(artefact), 0o755))
	}
	require.Empty(t, titles(t, Options{Dir: dir}), "the image is there")
	img, ok := Find(Options{Dir: dir})
	require.True(t, ok)
	require.NoError(t, img.EnsureLayers(t.Context(), "debian-12-k8s", "worker-1"), "a node needs no further layer")

	more := titles(t, Options{Dir: dir, Layers: []Layer{Ansible}})
	require.Contains(t, more, layers[Ansible].title)
	require.NotContains(t, more, "Debian "+suite, "what is there is not built again")
	require.NotContains(t, more, downloads.title)

	most := titles(t, Options{Dir: dir, Layers: []Layer{Downloads}})
	require.Subset(t, most, []string{downloads.title, layers[Downloads].title})
	require.NotContains(t, most, layers[Ansible].title)
}

func TestJobs_waitForThePackagesOfTheHost(t *testing.T) {
	host := &jobs.Job{Title: "Debian packages"}
	work, err := Jobs(Options{Dir: t.TempDir(), After: host})
	require.NoError(t, err)
	require.Equal(t, []*jobs.Job{host}, work[0].After)
}
