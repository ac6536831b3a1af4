package machines

import (
	"bufio"
	"crypto/md5" //nolint:gosec // dpkg's own
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
)

// TestImage_differsFromDebianAsThePageSays holds the lab's node to Debian's own packages: what works on a node of the lab
// only because the lab has another file than a user's image is a mistake that no other test finds.
func TestImage_differsFromDebianAsThePageSays(t *testing.T) {
	img := builtImage(t, image.Services, image.Ansible)
	reasons := namedOnThePage(t)
	used := map[string]bool{}
	for _, file := range filesOf(t, img.Node, img.Base) {
		pattern := slices.IndexFunc(reasons, func(pattern string) bool {
			matches, err := path.Match(pattern, file)
			require.NoError(t, err, pattern)
			return matches
		})
		if assert.GreaterOrEqual(t, pattern, 0, "docs/lab.md gives no reason why %s differs from Debian", file) {
			used[reasons[pattern]] = true
		}
	}
	for _, pattern := range reasons {
		assert.True(t, used[pattern], "docs/lab.md gives a reason for %s, which the node does not have", pattern)
	}
	for name, layers := range map[string][]string{
		"a node": img.Layers("node"), "a storage server": img.Layers("services"), "an Ansible server": img.Layers("ansible"),
	} {
		checkConfigurations(t, name, layers)
	}
}

// namedOnThePage returns the patterns of files in the table of docs/lab.md.
func namedOnThePage(t *testing.T) (patterns []string) {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/lab.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(page), "\n## What differs from Debian\n")
	require.True(t, found)
	section, _, _ := strings.Cut(after, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`(/[^`]*)`").FindAllStringSubmatch(cells[1], -1) {
			patterns = append(patterns, name[1])
		}
	}
	require.NotEmpty(t, patterns)
	return patterns
}

// filesOf lists what an overlay's layer has, or removes, of files and links: not directories, unless one hides another.
func filesOf(t *testing.T, layer, below string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(layer, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, layer)
		if e.IsDir() {
			opaque := make([]byte, 1)
			n, _ := unix.Lgetxattr(file, "trusted.overlay.opaque", opaque)
			_, err := os.Lstat(below + name)
			assert.False(t, n == 1 && opaque[0] == 'y' && err == nil, "%s hides Debian's directory", name)
			return nil
		}
		files = append(files, name)
		return nil
	}))
	return files
}

// checkConfigurations compares the configuration files of all packages of a machine with those in the packages.
func checkConfigurations(t *testing.T, name string, layers []string) {
	t.Helper()
	status := uppermost(layers, "/var/lib/dpkg/status")
	require.NotEmpty(t, status, name)
	list, err := os.Open(status)
	require.NoError(t, err)
	defer list.Close()
	// A line of the field Conffiles: a space, the file, its MD5 sum.
	conffile, checked := regexp.MustCompile(`^ (/\S+) ([0-9a-f]{32})$`), 0
	for lines := bufio.NewScanner(list); lines.Scan(); {
		field := conffile.FindStringSubmatch(lines.Text())
		if field == nil {
			continue
		}
		checked++
		file := uppermost(layers, field[1])
		if !assert.NotEmpty(t, file, "%s has no %s", name, field[1]) {
			continue
		}
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		sum := md5.Sum(b) //nolint:gosec // dpkg's own
		assert.Equal(t, field[2], hex.EncodeToString(sum[:]), "%s has another %s than Debian ships", name, field[1])
	}
	require.Greater(t, checked, 50, name)
}

// uppermost returns the file in the uppermost layer that has it, or "" if none has it, or one removes it.
func uppermost(layers []string, name string) string {
	for _, layer := range layers {
		info, err := os.Lstat(layer + name)
		switch {
		case err != nil:
		case info.Mode()&fs.ModeCharDevice != 0: // how an overlay removes a file
			return ""
		default:
			return layer + name
		}
	}
	return ""
}

func builtImage(t *testing.T, layers ...image.Layer) image.Image {
	t.Helper()
	images := image.Options{Dir: image.DefaultDir, Layers: layers}
	if dir := os.Getenv("WINDLASS_LAB_IMAGE_DIR"); dir != "" {
		images.Dir = dir
	}
	if os.Geteuid() != 0 {
		t.Skip("not run: real machines need root")
	}
	images.Progress = os.Stderr
	img, err := image.Ensure(t.Context(), images) // the tests on real machines may be about to build it, too
	require.NoError(t, err)
	return img
}
