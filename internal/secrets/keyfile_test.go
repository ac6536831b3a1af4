package secrets_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

var someKey = base64.StdEncoding.EncodeToString(make([]byte, 32))

func TestGenerateKeyFile(t *testing.T) {
	t.Parallel()
	path := keyFile(t)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	err = secrets.GenerateKeyFile(t.Context(), path, nil)
	require.Equal(t, lcm.KindConflict, lcm.KindOf(err), "never over an existing one")
	require.NoError(t, secrets.AddKey(t.Context(), path, secrets.Token{}))
	info, err = os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	load(t, path)
	require.Error(t, secrets.GenerateKeyFile(t.Context(), filepath.Join(path, "below"), nil))
}

func TestLoadKeyring_refusesFileOthersCanRead(t *testing.T) {
	t.Parallel()
	path := keyFile(t)
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o777} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: path})
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
		assert.Contains(t, err.Error(), "chmod 600")
		require.Error(t, secrets.AddKey(t.Context(), path, secrets.Token{}))
	}
	require.NoError(t, os.Chmod(path, 0o400))
	_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: path})
	assert.NoError(t, err)
}

func TestLoadKeyring_reportsAllMistakesWithoutShowingKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	content := "# comment\n\nnocolonhunter2\nshort:aHVudGVyMg==\nbad id:" + someKey + "\nk1:" + someKey + "\nk1:" +
		someKey + "\nk3:!!hunter2\n"
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: path})
	e, ok := errors.AsType[*lcm.Error](err)
	require.True(t, ok)
	require.Len(t, e.Problems, 5)
	assert.True(t, strings.HasSuffix(e.Problems[0].Path, "line 3"))
	assert.NotContains(t, err.Error(), "hunter2")
	assert.NotContains(t, err.Error(), someKey)
}

func TestLoadKeyring_absentOrEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(empty, []byte("# nothing\n"), 0o600))
	for _, path := range []string{empty, dir, filepath.Join(dir, "absent")} {
		_, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: path})
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), path)
	}
}

func TestLoadKeyring_fromEnvironment(t *testing.T) {
	t.Setenv("TEST_KEYS", "new:"+someKey+", old:"+someKey)
	k, err := secrets.LoadKeyring(t.Context(), secrets.Source{Env: "TEST_KEYS"})
	require.NoError(t, err)
	assert.Equal(t, "new", k.Active())
	t.Setenv("TEST_KEYS", " ")
	_, err = secrets.LoadKeyring(t.Context(), secrets.Source{Env: "TEST_KEYS"})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
	assert.Contains(t, err.Error(), "TEST_KEYS")
}
