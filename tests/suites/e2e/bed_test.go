// Package e2e drives Windlass over its API as an NFVO does, mostly with the lab as the cloud. The tests follow the
// demo, and cause failures on its way.
package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// bed is a cloud and a Windlass for one group of tests.
type bed struct{ *testbed.Bed }

// newBed starts a lab with that kind of machines and a Windlass, and on-boards the sample package.
func newBed(t *testing.T, machines string, labArgs ...string) *bed {
	t.Helper()
	return &bed{testbed.New(t, machines, labArgs...)}
}

// terminate terminates and deletes an instance, and records the workflow.
func (b *bed) terminate(t *testing.T, vnf string) {
	t.Helper()
	b.record(t, b.Terminate(t, vnf), "terminate")
}

// changedPackage copies a package of the samples, with other texts in its files.
func (b *bed) changedPackage(t *testing.T, sample string, change *strings.Replacer) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, sample))))
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
