package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestSealed_putInsertReplace(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx := t.Context()
	require.NoError(t, s.PutSealed(ctx, "a", "k1", []byte("one")))
	require.NoError(t, s.PutSealed(ctx, "a", "k1", []byte("two")))
	inserted, err := s.InsertSealed(ctx, "a", "k1", []byte("three"))
	require.NoError(t, err)
	assert.False(t, inserted)
	key, sealed, err := s.GetSealed(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, "k1", key)
	assert.Equal(t, "two", string(sealed))

	replaced, err := s.ReplaceSealed(ctx, lcm.SealedSecret{Ref: "a", KeyID: "k1", Sealed: []byte("one")}, "k2",
		[]byte("stale"))
	require.NoError(t, err)
	assert.False(t, replaced)
	replaced, err = s.ReplaceSealed(ctx, lcm.SealedSecret{Ref: "a", KeyID: "k1", Sealed: []byte("two")}, "k2",
		[]byte("four"))
	require.NoError(t, err)
	assert.True(t, replaced)

	_, _, err = s.GetSealed(ctx, "absent")
	requireKind(t, lcm.KindNotFound, err)
}

func TestDeleteSealed_takesWholeNamesOnly(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, ref := range []lcm.SecretRef{"vnf/1", "vnf/1/request/a", "vnf/1/request/b.c", "vnf/10/a", "vnf/1-x", "vim/1"} {
		require.NoError(t, s.PutSealed(t.Context(), ref, "k", []byte("x")))
	}
	require.NoError(t, s.DeleteSealed(t.Context(), "vnf/1/"))
	assert.Equal(t, []lcm.SecretRef{"vim/1", "vnf/1-x", "vnf/10/a"}, refs(t, s))
	require.NoError(t, s.DeleteSealed(t.Context(), "absent"))
	requireKind(t, lcm.KindBug, s.DeleteSealed(t.Context(), "/"))
}

func TestAllSealed_readsPageByPage(t *testing.T) {
	t.Parallel()
	s := open(t)
	var want []lcm.SecretRef
	for i := range 401 {
		ref := lcm.SecretRef(fmt.Sprintf("s/%03d", i))
		want = append(want, ref)
		require.NoError(t, s.PutSealed(t.Context(), ref, "k", []byte{byte(i)}))
	}
	assert.Equal(t, want, refs(t, s))
	for _, err := range s.AllSealed(t.Context()) {
		require.NoError(t, err)
		break // the iterator may be ended early
	}
}

func refs(t *testing.T, s *store.Store) []lcm.SecretRef {
	t.Helper()
	var out []lcm.SecretRef
	for secret, err := range s.AllSealed(t.Context()) {
		require.NoError(t, err)
		out = append(out, secret.Ref)
	}
	return out
}
