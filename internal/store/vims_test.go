package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

func newVim(name string) lcm.Vim {
	return lcm.Vim{
		ID: lcm.VimID(uuid.NewString()), ProjectID: lcm.DefaultProject, Name: name, Description: "a lab",
		Type: lcm.VimOpenStack, AuthURL: "http://127.0.0.1/v3",
		AuthCred: map[string]any{"username": "u", "password": map[string]any{"$secret": "vim/1/password"}},
		Project:  map[string]any{"name": "p"}, Regions: []string{"RegionOne"}, Status: "PENDING",
		Extra: map[string]any{"ssh_port": 2222.0},
	}
}

func TestVim_keepsEveryField(t *testing.T) {
	t.Parallel()
	s := open(t)
	want := newVim("lab")
	want.IsDefault = true
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), want))
	got, err := s.Vim(t.Context(), want.ID)
	require.NoError(t, err)
	want.Created, want.Updated = got.Created, got.Updated
	assert.Equal(t, want, got)

	byName, err := s.VimByName(in(t, lcm.DefaultProject), "lab")
	require.NoError(t, err)
	assert.Equal(t, got, byName)
	def, err := s.DefaultVim(in(t, lcm.DefaultProject))
	require.NoError(t, err)
	assert.Equal(t, got, def)

	want.Status, want.Regions, want.IsDefault = "REACHABLE", nil, false
	require.NoError(t, s.UpdateVim(t.Context(), want))
	all, err := s.Vims(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	want.Updated = all[0].Updated
	assert.Equal(t, want, all[0])
	_, err = s.DefaultVim(in(t, lcm.DefaultProject))
	requireKind(t, lcm.KindNotFound, err)
}

func TestVim_namesAreUnique(t *testing.T) {
	t.Parallel()
	s := open(t)
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), newVim("lab")))
	err := s.CreateVim(in(t, lcm.DefaultProject), newVim("lab"))
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), `"lab"`)

	other := newVim("other")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), other))
	other.Name = "lab"
	requireKind(t, lcm.KindConflict, s.UpdateVim(t.Context(), other))
}

func TestVim_onlyOneIsTheDefault(t *testing.T) {
	t.Parallel()
	s := open(t)
	first, second := newVim("first"), newVim("second")
	first.IsDefault, second.IsDefault = true, true
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), first))
	requireKind(t, lcm.KindConflict, s.CreateVim(in(t, lcm.DefaultProject), second))
}

func TestDeleteVim_refusesWhileAnInstanceNamesIt(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := newVim("lab")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	inst := newInstance(t, s)
	inst.Version = 1
	inst.VimConnections = []lcm.VimConnectionInfo{
		{ID: "other", VimID: "x"},
		{ID: "vim1", VimID: v.ID, VimType: "openstack"},
	}
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	err := s.DeleteVim(t.Context(), v.ID)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(inst.ID))

	inst.Version, inst.VimConnections = 2, nil
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	require.NoError(t, s.DeleteVim(t.Context(), v.ID))
}

// TestDeleteVim_isNotHeldByConnectionsThatAreCompleteWithoutIt checks that a complete connection may also name a VIM.
// It does not need the VIM, and so does not prevent its deletion.
func TestDeleteVim_isNotHeldByConnectionsThatAreCompleteWithoutIt(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := newVim("lab")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	own := lcm.VimConnectionInfo{
		ID: "own", VimID: v.ID, VimType: "openstack", InterfaceInfo: map[string]any{"endpoint": "https://c.example.com"},
		AccessInfo: map[string]any{"username": "u", "password": map[string]any{"$secret": "vnf/1/password"}, "project": "p"},
	}
	inst := newInstance(t, s)
	require.NoError(t, s.BeginOperation(t.Context(), instantiate(inst), own, lcm.VimConnectionInfo{
		ID: "unknown", VimID: "nobody-has-it", InterfaceInfo: own.InterfaceInfo, AccessInfo: own.AccessInfo,
	}))
	half := own
	half.ID, half.InterfaceInfo = "half", nil
	for _, c := range []lcm.VimConnectionInfo{
		half,
		{ID: "k8s", VimID: v.ID, VimType: "kubernetes", InterfaceInfo: own.InterfaceInfo},
	} {
		user := newInstance(t, s)
		user.Version, user.VimConnections = 1, []lcm.VimConnectionInfo{own, c}
		require.NoError(t, s.UpdateInstance(t.Context(), user))
		requireKind(t, lcm.KindConflict, s.DeleteVim(t.Context(), v.ID))
		user.Version, user.VimConnections = 2, nil
		require.NoError(t, s.UpdateInstance(t.Context(), user))
	}
	require.NoError(t, s.DeleteVim(t.Context(), v.ID))
}

func TestVim_absent(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, err := s.Vim(t.Context(), "not-a-uuid")
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.VimByName(in(t, lcm.DefaultProject), "absent")
	requireKind(t, lcm.KindNotFound, err)
	requireKind(t, lcm.KindNotFound, s.UpdateVim(t.Context(), newVim("absent")))
	requireKind(t, lcm.KindNotFound, s.DeleteVim(t.Context(), "absent"))
	all, err := s.Vims(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)
}

func TestDeleteClusterVim_removesItFromTheClustersConnections(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := newVim("cluster")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	cluster, user := newInstance(t, s), newInstance(t, s)
	connection := lcm.VimConnectionInfo{ID: "k8s", VimID: v.ID, VimType: lcm.VimKubernetes}
	cluster.Version, user.Version = 1, 1
	cluster.VimConnections = []lcm.VimConnectionInfo{{ID: "vim1", VimID: "openstack"}, {ID: "inline"}, connection}
	user.VimConnections = []lcm.VimConnectionInfo{connection}
	require.NoError(t, s.UpdateInstance(t.Context(), cluster))
	require.NoError(t, s.UpdateInstance(t.Context(), user))

	err := s.DeleteClusterVim(t.Context(), v.ID, cluster.ID)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(user.ID))
	user.Version, user.VimConnections = 2, nil
	require.NoError(t, s.UpdateInstance(t.Context(), user))

	require.NoError(t, s.DeleteClusterVim(t.Context(), v.ID, cluster.ID))
	require.NoError(t, s.DeleteClusterVim(t.Context(), v.ID, cluster.ID), "the second time changes nothing")
	got, err := s.Instance(t.Context(), cluster.ID)
	require.NoError(t, err)
	assert.Equal(t, cluster.VimConnections[:2], got.VimConnections)
	assert.EqualValues(t, 3, got.Version)
	_, err = s.Vim(t.Context(), v.ID)
	requireKind(t, lcm.KindNotFound, err)
}

func TestReleaseVim_ofInstancesThatHaveNothingThere(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := newVim("cluster")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	user := newInstance(t, s)
	user.Version, user.InstantiationState = 1, lcm.Instantiated
	user.VimConnections = []lcm.VimConnectionInfo{{ID: "inline"}, {ID: "k8s", VimID: v.ID, VimType: lcm.VimKubernetes}}
	require.NoError(t, s.UpdateInstance(t.Context(), user))
	requireKind(t, lcm.KindConflict, s.ReleaseVim(t.Context(), v.ID, user.ID))

	user.Version, user.InstantiationState = 2, lcm.NotInstantiated
	require.NoError(t, s.UpdateInstance(t.Context(), user))
	op := instantiate(user)
	require.NoError(t, s.BeginOperation(t.Context(), op))
	requireKind(t, lcm.KindConflict, s.ReleaseVim(t.Context(), v.ID, user.ID))
	record := recorder(s, t, op.ID)
	for _, state := range []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.Failed} {
		record(state)
	}

	for range 2 {
		require.NoError(t, s.ReleaseVim(t.Context(), v.ID, user.ID))
	}
	got, err := s.Instance(t.Context(), user.ID)
	require.NoError(t, err)
	assert.Equal(t, user.VimConnections[:1], got.VimConnections)
	users, err := s.VimUsers(t.Context(), v.ID)
	require.NoError(t, err)
	assert.Empty(t, users)
}

func TestDeleteVim_refusesFromTheBeginningOfAnInstantiation(t *testing.T) {
	t.Parallel()
	s := open(t)
	old, v := newVim("old"), newVim("lab")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), old))
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	inst := newInstance(t, s)
	inst.Version = 1
	inst.VimConnections = []lcm.VimConnectionInfo{
		{ID: "other", VimID: "x", VimType: "kubernetes"},
		{ID: "vim1", VimID: old.ID, VimType: "openstack"},
	}
	require.NoError(t, s.UpdateInstance(t.Context(), inst))

	op := instantiate(inst)
	given := lcm.VimConnectionInfo{
		ID: "vim1", VimID: v.ID, VimType: "openstack",
		AccessInfo: map[string]any{"password": map[string]any{"$secret": "vnf/1/password"}},
	}
	require.NoError(t, s.BeginOperation(t.Context(), op, given))
	record := recorder(s, t, op.ID)
	record(lcm.Processing)
	record(lcm.FailedTemp)
	err := s.DeleteVim(t.Context(), v.ID)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(inst.ID))
	require.NoError(t, s.DeleteVim(t.Context(), old.ID), "the entry of the same id is replaced")
	got, err := s.Instance(t.Context(), inst.ID)
	require.NoError(t, err)
	assert.Equal(t, []lcm.VimConnectionInfo{inst.VimConnections[0], given}, got.VimConnections)
	assert.EqualValues(t, 3, got.Version)
}

func TestBeginOperation_thatIsRefusedKeepsNoVim(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := newVim("lab")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	op := begun(t, s)
	inst := lcm.VnfInstance{ID: op.VnfInstanceID}
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), instantiate(inst),
		lcm.VimConnectionInfo{ID: "vim1", VimID: v.ID}))
	require.NoError(t, s.DeleteVim(t.Context(), v.ID))

	recorder(s, t, op.ID)(lcm.RolledBack)
	err := s.BeginOperation(t.Context(), instantiate(inst), lcm.VimConnectionInfo{ID: "vim1", VimID: v.ID})
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(v.ID))
}

func TestDeleteVim_waitsForAnOperationThatIsJustBeginning(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	v, inst := newVim("lab"), newInstance(t, s)
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	op := instantiate(inst)

	// BeginOperation takes this lock last, after all its writes.
	_, err = conn.Exec(t.Context(), `select pg_advisory_lock(1, hashtext($1))`, op.ID)
	require.NoError(t, err)
	waiting := func(n int) bool {
		var got int
		err := conn.QueryRow(t.Context(), `
			select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).Scan(&got)
		return err == nil && got == n
	}
	begin, del := make(chan error, 1), make(chan error, 1)
	go func() { begin <- s.BeginOperation(t.Context(), op, lcm.VimConnectionInfo{ID: "vim1", VimID: v.ID}) }()
	require.Eventually(t, func() bool { return waiting(1) }, time.Minute, 5*time.Millisecond)
	go func() { del <- s.DeleteVim(t.Context(), v.ID) }()
	require.Eventually(t, func() bool { return waiting(2) || len(del) > 0 }, time.Minute, 5*time.Millisecond)
	_, err = conn.Exec(t.Context(), `select pg_advisory_unlock(1, hashtext($1))`, op.ID)
	require.NoError(t, err)
	require.NoError(t, <-begin)
	err = <-del
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), string(inst.ID))
}

func TestUpdateVim_refusesWhatWasReadBeforeAnotherChange(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := newVim("lab")
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), v))
	first, err := s.Vim(t.Context(), v.ID)
	require.NoError(t, err)
	second := first
	first.AuthCred, second.Name = map[string]any{"password": map[string]any{"$secret": "vim/2/password"}}, "north"
	require.NoError(t, s.UpdateVim(t.Context(), first))
	err = s.UpdateVim(t.Context(), second)
	requireKind(t, lcm.KindConflict, err)
	assert.Contains(t, err.Error(), "was changed meanwhile; read it again")

	got, err := s.Vim(t.Context(), v.ID)
	require.NoError(t, err)
	assert.Equal(t, first.AuthCred, got.AuthCred)
	assert.Equal(t, "lab", got.Name)
	assert.True(t, got.Updated.After(first.Updated))
	got.Name = "north"
	require.NoError(t, s.UpdateVim(t.Context(), got))
	v.Name = "anyhow"
	require.NoError(t, s.UpdateVim(t.Context(), v), "one that was not read replaces what is there")
}
