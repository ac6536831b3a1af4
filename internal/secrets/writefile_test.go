package secrets_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

// TestAddKey_keepsTheOwnerAndTheLink checks the new file: a server of another account must be able to read it, where it
// looks for it.
func TestAddKey_keepsTheOwnerAndTheLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "keys"), filepath.Join(dir, "link")
	require.NoError(t, secrets.GenerateKeyFile(t.Context(), file, nil))
	require.NoError(t, os.Symlink(file, link))
	owner := os.Geteuid()
	if owner == 0 {
		owner = 12345
		require.NoError(t, os.Chown(file, owner, owner))
		t.Cleanup(func() { require.NoError(t, os.Chown(file, 0, 0)) })
	}
	require.NoError(t, secrets.AddKey(t.Context(), link, secrets.Token{}))
	info, err := os.Lstat(file)
	require.NoError(t, err)
	require.EqualValues(t, owner, info.Sys().(*syscall.Stat_t).Uid)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	target, err := os.Readlink(link)
	require.NoError(t, err, "the link is still one")
	require.Equal(t, file, target)
	require.Equal(t, 2, keysIn(t, file))
}

// TestAddKey_losesNoKeyOfOthers adds keys at the same time: a server may already have sealed with each.
func TestAddKey_losesNoKeyOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, secrets.GenerateKeyFile(t.Context(), file, nil))
	const others = 20
	var all sync.WaitGroup
	for range others {
		all.Go(func() { _ = secrets.AddKey(t.Context(), file, secrets.Token{}) })
	}
	all.Wait()
	require.Equal(t, 1+others, keysIn(t, file))
}

func keysIn(t *testing.T, file string) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}
