package secrets_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestMain(m *testing.M) {
	if as := os.Getenv(actsAs); as != "" {
		os.Exit(actAsToken(as))
	}
	os.Exit(pgtest.Run(m))
}

// memory stores sealed secrets as the store does.
type memory struct {
	mu   sync.Mutex
	rows map[lcm.SecretRef]lcm.SealedSecret
}

func newMemory() *memory { return &memory{rows: map[lcm.SecretRef]lcm.SealedSecret{}} }

func (m *memory) PutSealed(_ context.Context, ref lcm.SecretRef, keyID string, sealed []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows[ref] = lcm.SealedSecret{Ref: ref, KeyID: keyID, Sealed: sealed}
	return nil
}

func (m *memory) InsertSealed(_ context.Context, ref lcm.SecretRef, keyID string, sealed []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.rows[ref]; ok {
		return false, nil
	}
	m.rows[ref] = lcm.SealedSecret{Ref: ref, KeyID: keyID, Sealed: sealed}
	return true, nil
}

func (m *memory) ReplaceSealed(_ context.Context, old lcm.SealedSecret, keyID string, sealed []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if row := m.rows[old.Ref]; row.KeyID != old.KeyID || !slices.Equal(row.Sealed, old.Sealed) {
		return false, nil
	}
	m.rows[old.Ref] = lcm.SealedSecret{Ref: old.Ref, KeyID: keyID, Sealed: sealed}
	return true, nil
}

func (m *memory) GetSealed(_ context.Context, ref lcm.SecretRef) (string, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, ok := m.rows[ref]
	if !ok {
		return "", nil, lcm.Errorf(lcm.KindNotFound, "There is no secret %s.", ref)
	}
	return row.KeyID, row.Sealed, nil
}

func (m *memory) DeleteSealed(context.Context, string) error {
	return errors.New("not used")
}

func (m *memory) AllSealed(context.Context) iter.Seq2[lcm.SealedSecret, error] {
	m.mu.Lock()
	rows := slices.Collect(maps.Values(m.rows))
	m.mu.Unlock()
	return func(yield func(lcm.SealedSecret, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func keyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, secrets.GenerateKeyFile(t.Context(), path, nil))
	return path
}

func load(t *testing.T, path string) *secrets.Keyring {
	t.Helper()
	k, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: path})
	require.NoError(t, err)
	return k
}

func TestVault_rotation(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	defer s.Close()
	path := keyFile(t)
	old := load(t, path)
	vault := secrets.NewVault(old, s)
	for i := range 300 {
		require.NoError(t, vault.Put(t.Context(), lcm.SecretRef(fmt.Sprintf("vnf/%d/password", i)), fmt.Sprint("secret", i)))
	}

	require.NoError(t, secrets.AddKey(t.Context(), path, secrets.Token{}))
	both := load(t, path)
	require.NotEqual(t, old.Active(), both.Active())
	rotated := secrets.NewVault(both, s)
	got, err := rotated.Get(t.Context(), "vnf/7/password")
	require.NoError(t, err)
	require.Equal(t, "secret7", got, "the old key still opens before the rotation")

	n, err := rotated.Rotate(t.Context())
	require.NoError(t, err)
	require.Equal(t, 300, n)
	n, err = rotated.Rotate(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "a second time changes nothing")

	// The new key alone opens everything; the old key alone opens nothing.
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	withoutOld := slices.DeleteFunc(strings.SplitAfter(string(content), "\n"), func(line string) bool {
		return strings.HasPrefix(line, old.Active()+":")
	})
	onlyNew := filepath.Join(t.TempDir(), "new")
	require.NoError(t, os.WriteFile(onlyNew, []byte(strings.Join(withoutOld, "")), 0o600))
	vaultOfNew := secrets.NewVault(load(t, onlyNew), s)
	for i := range 300 {
		got, err := vaultOfNew.Get(t.Context(), lcm.SecretRef(fmt.Sprintf("vnf/%d/password", i)))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("secret", i), got)
	}
	_, err = vault.Get(t.Context(), "vnf/7/password")
	require.Equal(t, lcm.KindDenied, lcm.KindOf(err))
	require.Contains(t, err.Error(), both.Active())
}

func TestVault_rotationKeepsWhatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	path := keyFile(t)
	m := newMemory()
	require.NoError(t, secrets.NewVault(load(t, path), m).Put(t.Context(), "a", "stale"))
	require.NoError(t, secrets.AddKey(t.Context(), path, secrets.Token{}))
	vault := secrets.NewVault(load(t, path), &writtenMeanwhile{memory: m, write: func(v *secrets.Vault) {
		assert.NoError(t, v.Put(t.Context(), "a", "fresh"))
	}, vault: secrets.NewVault(load(t, path), m)})
	_, err := vault.Rotate(t.Context())
	require.NoError(t, err)
	got, err := vault.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "fresh", got)
}

// writtenMeanwhile calls write between the rotation's read and its write.
type writtenMeanwhile struct {
	*memory
	vault *secrets.Vault
	write func(*secrets.Vault)
}

func (w *writtenMeanwhile) ReplaceSealed(
	ctx context.Context, old lcm.SealedSecret, keyID string, sealed []byte,
) (bool, error) {
	w.write(w.vault)
	return w.memory.ReplaceSealed(ctx, old, keyID, sealed)
}

func TestVault_rotationReportsWhatDoesNotOpen(t *testing.T) {
	t.Parallel()
	path, m := keyFile(t), newMemory()
	require.NoError(t, secrets.NewVault(load(t, keyFile(t)), m).Put(t.Context(), "foreign", "x"))
	require.NoError(t, secrets.NewVault(load(t, path), m).Put(t.Context(), "ours", "y"))
	require.NoError(t, secrets.AddKey(t.Context(), path, secrets.Token{}))
	n, err := secrets.NewVault(load(t, path), m).Rotate(t.Context())
	assert.Equal(t, 1, n)
	require.Equal(t, lcm.KindBroken, lcm.KindOf(err))
	assert.Contains(t, err.Error(), "foreign")
}

func TestVault_sealedValueOpensUnderItsOwnNameOnly(t *testing.T) {
	t.Parallel()
	m := newMemory()
	vault := secrets.NewVault(load(t, keyFile(t)), m)
	require.NoError(t, vault.Put(t.Context(), "a", "hunter2"))
	assert.NotContains(t, string(m.rows["a"].Sealed), "hunter2")
	m.rows["b"] = m.rows["a"]
	_, err := vault.Get(t.Context(), "b")
	require.Equal(t, lcm.KindDenied, lcm.KindOf(err))

	m.rows["a"].Sealed[20] ^= 1
	_, err = vault.Get(t.Context(), "a")
	require.Equal(t, lcm.KindDenied, lcm.KindOf(err))
	m.rows["a"] = lcm.SealedSecret{Ref: "a", KeyID: m.rows["a"].KeyID}
	_, err = vault.Get(t.Context(), "a")
	require.Equal(t, lcm.KindDenied, lcm.KindOf(err))
}

func TestVault_ensureGivesAllTheSame(t *testing.T) {
	t.Parallel()
	vault := secrets.NewVault(load(t, keyFile(t)), newMemory())
	got := make([]string, 16)
	var race sync.WaitGroup
	for i := range got {
		race.Go(func() {
			var err error
			got[i], err = vault.Ensure(t.Context(), "vnf/1/vrrp", func() (string, error) { return fmt.Sprint(i), nil })
			assert.NoError(t, err)
		})
	}
	race.Wait()
	for _, g := range got {
		assert.Equal(t, got[0], g)
	}
	_, err := vault.Ensure(t.Context(), "other", func() (string, error) { return "", errors.New("no entropy") })
	require.ErrorContains(t, err, "no entropy")
	_, err = vault.Get(t.Context(), "other")
	require.Equal(t, lcm.KindNotFound, lcm.KindOf(err))
}
