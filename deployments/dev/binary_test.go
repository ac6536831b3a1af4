package dev

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFindTemporal_buildsItOnceForTheSameSource has a tiny program in the place of windlass-temporal.
func TestFindTemporal_buildsItOnceForTheSameSource(t *testing.T) {
	root, out := t.TempDir(), bytes.Buffer{}
	write := func(name, content string) {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	}
	source := func(says string) {
		write("deployments/dev/temporal/main.go", "package main\n\nfunc main() { println(\""+says+"\") }\n")
	}
	write("go.mod", modulePath)
	write("deployments/dev/temporal/go.mod", "module tiny\n\ngo 1.26\n")
	t.Chdir(root)
	tree := &tree{opts: Options{Out: &out, Executable: filepath.Join(root, "elsewhere/windlass")}}
	say := func() string {
		file, err := tree.findTemporal(t.Context())
		require.NoError(t, err)
		said, err := exec.CommandContext(t.Context(), file).CombinedOutput()
		require.NoError(t, err)
		return string(said)
	}
	source("first")
	assert.Equal(t, "first\n", say())
	assert.Contains(t, out.String(), "Building windlass-temporal")
	out.Reset()
	assert.Equal(t, "first\n", say())
	assert.Empty(t, out.String(), "it is there")
	source("second")
	assert.Equal(t, "second\n", say())
	old, err := filepath.Glob(filepath.Join(root, ".build", temporalBinary+"-*"))
	require.NoError(t, err)
	assert.Len(t, old, 1, "the former one is gone")

	write("elsewhere/windlass-temporal", "#!/bin/sh\necho beside\n")
	require.NoError(t, os.Chmod(filepath.Join(root, "elsewhere/windlass-temporal"), 0o755)) //nolint:gosec // a program
	assert.Equal(t, "beside\n", say())
	write("deployments/dev/temporal/main.go", "no Go")
	require.NoError(t, os.Remove(filepath.Join(root, "elsewhere/windlass-temporal")))
	_, err = tree.findTemporal(t.Context())
	require.ErrorContains(t, err, "windlass-temporal cannot be built:\n")
}
