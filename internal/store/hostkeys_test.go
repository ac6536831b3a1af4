package store_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestPinHostKey_firstOneStays(t *testing.T) {
	t.Parallel()
	s := open(t)
	inst := newInstance(t, s).ID
	_, known, err := s.HostKey(t.Context(), inst, "server")
	require.NoError(t, err)
	assert.False(t, known)

	pinned := make([][]byte, 10)
	var race sync.WaitGroup
	for i := range pinned {
		race.Go(func() {
			var err error
			pinned[i], err = s.PinHostKey(t.Context(), inst, "server", []byte{byte(i)})
			assert.NoError(t, err)
		})
	}
	race.Wait()
	key, known, err := s.HostKey(t.Context(), inst, "server")
	require.NoError(t, err)
	assert.True(t, known)
	for _, p := range pinned {
		assert.Equal(t, key, p)
	}

	require.NoError(t, s.ForgetHostKeys(t.Context(), inst, "server", "other"))
	require.NoError(t, s.ForgetHostKeys(t.Context(), inst))
	_, known, err = s.HostKey(t.Context(), inst, "server")
	require.NoError(t, err)
	assert.False(t, known)
}

// TestPinHostKey_aServersIDIsOfItsInstance uses the same server id in two projects: a cloud chooses the ids of its
// servers, so the cloud of one project could choose the same ids as another's.
func TestPinHostKey_aServersIDIsOfItsInstance(t *testing.T) {
	t.Parallel()
	s := open(t)
	ours, theirs := newInstance(t, s).ID, newInstance(t, s).ID
	for inst, key := range map[lcm.VnfInstanceID]string{ours: "of ours", theirs: "of theirs"} {
		pinned, err := s.PinHostKey(t.Context(), inst, "server", []byte(key))
		require.NoError(t, err)
		require.Equal(t, key, string(pinned), "no other instance's server has pinned a key")
	}
	require.NoError(t, s.ForgetHostKeys(t.Context(), theirs, "server"))
	pinned, err := s.PinHostKey(t.Context(), ours, "server", []byte("of an impostor"))
	require.NoError(t, err)
	require.Equal(t, "of ours", string(pinned), "nor forgotten it")

	require.NoError(t, s.DeleteInstance(t.Context(), ours))
	_, known, err := s.HostKey(t.Context(), ours, "server")
	require.NoError(t, err)
	require.False(t, known, "keys go with their instance")
	_, err = s.PinHostKey(t.Context(), ours, "server", []byte("late"))
	requireKind(t, lcm.KindNotFound, err)
}

func TestMigrate_hostKeysGoToTheInstanceThatHasTheServer(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	with := func(servers ...string) lcm.VnfInstanceID {
		inst := newInstance(t, s)
		stored, err := s.Instance(t.Context(), inst.ID)
		require.NoError(t, err)
		stored.Instantiated = &lcm.InstantiatedVnfInfo{}
		for _, server := range servers {
			stored.Instantiated.VnfcResources = append(stored.Instantiated.VnfcResources, lcm.VnfcResourceInfo{
				ID: "vnfc-" + server, ComputeResource: lcm.ResourceHandle{ResourceID: server},
			})
		}
		require.NoError(t, s.UpdateInstance(t.Context(), stored))
		return inst.ID
	}
	first, second, none := with("one", "both"), with("two", "both"), newInstance(t, s).ID
	require.NoError(t, store.MigrateTo(t.Context(), url, 13))
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	defer pool.Close()
	_, err = pool.Exec(t.Context(),
		`insert into host_key (server_id, key) values ('one', 'key one'), ('two', 'key two'), ('both', 'whose'), ('gone', 'nobody''s')`)
	require.NoError(t, err)
	require.NoError(t, store.Migrate(t.Context(), url))
	for _, want := range []struct {
		inst        lcm.VnfInstanceID
		server, key string
	}{
		{first, "one", "key one"},
		{second, "two", "key two"},
		{first, "both", ""},
		{second, "both", ""},
		{first, "two", ""},
		{none, "gone", ""},
	} {
		key, known, err := s.HostKey(t.Context(), want.inst, want.server)
		require.NoError(t, err)
		require.Equal(t, want.key, string(key), want.server)
		require.Equal(t, want.key != "", known, want.server)
	}
}
