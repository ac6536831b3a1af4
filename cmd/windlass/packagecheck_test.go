package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nobody fails the test when a command sends a request.
func nobody(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent", r.Method, r.URL.Path)
		w.WriteHeader(http.StatusTeapot)
	})
}

func TestPackageCheck_readsDirectoriesAndFilesWithoutAServer(t *testing.T) {
	const dir = "../../vnfpkg/samples/k8s-ha"
	file := filepath.Join(t.TempDir(), "k8s-ha.zip")
	_, err := buildPackage(dir, file)
	require.NoError(t, err)
	for _, path := range []string{dir, file} {
		got := windlass(t, nobody(t), "package", "check", path)
		require.Zero(t, got.code, got.err)
		assert.Contains(t, got.out, path+" can be used")
		assert.Contains(t, got.out, "ha, simple")
	}
	got := windlass(t, nobody(t), "package", "check", file, "-o", "jsonpath={.flavours}")
	assert.Contains(t, got.out, `"ha"`, got.err)
}

func TestPackageCheck_tellsEveryMistakeWithItsPlace(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../vnfpkg/samples/k8s-ha")))
	broken, err := filepath.Glob(filepath.Join(dir, "BaseHOT", "*", "*.yaml"))
	require.NoError(t, err)
	require.Greater(t, len(broken), 1)
	for _, file := range broken[:2] {
		require.NoError(t, os.WriteFile(file, []byte("a: [\n"), 0o600))
	}
	got := windlass(t, nobody(t), "package", "check", dir)
	assert.Equal(t, 1, got.code)
	for _, file := range broken[:2] {
		name, err := filepath.Rel(dir, file)
		require.NoError(t, err)
		assert.Contains(t, got.err, name)
	}
	got = windlass(t, nobody(t), "package", "check", filepath.Join(dir, "nothing.zip"))
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "nothing.zip")
	text := filepath.Join(t.TempDir(), "text.zip")
	require.NoError(t, os.WriteFile(text, []byte("no zip"), 0o600))
	assert.Contains(t, windlass(t, nobody(t), "package", "check", text).err, "zip")
}
