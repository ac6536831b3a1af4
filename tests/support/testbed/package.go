package testbed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Onboard on-boards a package: a directory or a file, below the root of the checkout or with its whole path.
func (b *Bed) Onboard(t testing.TB, pkg string) {
	t.Helper()
	out, err := b.Windlass(t.Context(), "package", "create", pkg).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// OnboardOnce on-boards a package unless it, or another one with its VNFD, is there.
func (b *Bed) OnboardOnce(t testing.TB, pkg string) {
	t.Helper()
	if _, again := b.packages.LoadOrStore(pkg, true); again {
		return
	}
	if out, err := b.Windlass(t.Context(), "package", "create", pkg).CombinedOutput(); err != nil {
		require.Contains(t, string(out), "already", "%s", out)
	}
}

// ChangedPackage copies the directory of a package, with other texts in its files. The directory is below the root of
// the checkout, or has its whole path.
func (b *Bed) ChangedPackage(t testing.TB, pkg string, change *strings.Replacer) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if !filepath.IsAbs(pkg) {
		pkg = filepath.Join(b.Root, pkg)
	}
	require.NoError(t, os.CopyFS(dir, os.DirFS(pkg)))
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(change.Replace(string(text))), 0o600)
	}))
	return dir
}
