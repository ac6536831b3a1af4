package servertest

import (
	"net/http"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Sealed lists the references of all stored secrets.
func (b *Bench) Sealed() []lcm.SecretRef {
	b.Helper()
	var refs []lcm.SecretRef
	for s, err := range b.Store.AllSealed(b.Context()) {
		require.NoError(b, err)
		refs = append(refs, s.Ref)
	}
	return refs
}

// SecretsOf lists the references of a VIM's secrets.
func SecretsOf(vim lcm.Vim) []lcm.SecretRef {
	return slices.Concat(rest.References(vim.AuthCred), rest.References(vim.Extra))
}

// Snapshot reads a stored snapshot by its id.
func (b *Bench) Snapshot(id string) lcm.VnfSnapshotInfo {
	b.Helper()
	s, err := b.Store.Snapshot(b.Context(), lcm.VnfSnapshotInfoID(id))
	require.NoError(b, err)
	return s
}

// Tag reads the entity tag of a resource.
func (b *Bench) Tag(path string) string {
	b.Helper()
	a := b.Do("GET", path, nil)
	a.Want(http.StatusOK)
	tag := a.Header.Get("ETag")
	require.Regexp(b, `^"[^"]+"$`, tag, path)
	require.Equal(b, tag, b.Do("GET", path, nil).Header.Get("ETag"), "it stays while the resource does")
	return tag
}
