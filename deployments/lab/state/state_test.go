package state_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

type server struct {
	Name string
	Tags []string
}

const servers = state.Table[server]("servers")

func TestDocumentsSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.db")
	s, err := state.Open(path)
	require.NoError(t, err)
	require.NoError(t, state.Save(s, servers, "a/1", server{Name: "one", Tags: []string{"x"}}))
	require.NoError(t, state.Save(s, servers, "a/2", server{Name: "two"}))
	require.NoError(t, state.Save(s, servers, "b/1", server{Name: "three"}))
	require.NoError(t, s.Close())

	s, err = state.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	v, found := state.Load(s, servers, "a/1")
	require.True(t, found)
	require.Equal(t, server{Name: "one", Tags: []string{"x"}}, v)
	require.Len(t, state.LoadAll(s, servers, "a/"), 2)

	require.NoError(t, s.Update(func(tx *state.Tx) error { return servers.DeletePrefix(tx, "a/") }))
	require.Len(t, state.LoadAll(s, servers, ""), 1)
}

func TestFailedChangeWritesNothing(t *testing.T) {
	s, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, state.Save(s, servers, "a", server{Name: "before"}))

	refused := errors.New("refused")
	_, found, err := state.Change(s, servers, "a", func(v *server) error {
		v.Name = "after"
		return refused
	})
	require.True(t, found)
	require.ErrorIs(t, err, refused)
	v, _ := state.Load(s, servers, "a")
	require.Equal(t, "before", v.Name)

	_, found, err = state.Change(s, servers, "absent", func(*server) error { return nil })
	require.NoError(t, err)
	require.False(t, found)
}

func TestSecondProcessIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.db")
	s, err := state.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, err = state.Open(path)
	require.ErrorIs(t, err, state.ErrLocked)
}
