package store_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

func in(t *testing.T, project lcm.ProjectID) context.Context {
	return lcm.InProject(t.Context(), project)
}

func TestProjects_whatIsMadeBelongsToTheContexts(t *testing.T) {
	t.Parallel()
	s := open(t)
	pkg := lcm.VnfPkg{ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, VnfdID: "vnfd"}
	require.NoError(t, s.CreatePackage(in(t, "edge"), pkg))
	inst := lcm.VnfInstance{ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg.ID, InstantiationState: lcm.NotInstantiated}
	require.NoError(t, s.CreateInstance(in(t, "edge"), inst))
	op := instantiate(inst)
	require.NoError(t, s.BeginOperation(t.Context(), op), "Windlass's own work is of no project")
	vim := lcm.Vim{ID: lcm.VimID(uuid.NewString()), Name: "cloud", IsDefault: true}
	require.NoError(t, s.CreateVim(in(t, "edge"), vim))

	got, err := s.Operation(in(t, "edge"), op.ID)
	require.NoError(t, err)
	require.Equal(t, lcm.ProjectID("edge"), got.ProjectID, "that of its instance")
	_, err = s.Operation(in(t, "core"), op.ID)
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.Instance(in(t, "core"), inst.ID)
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.Package(in(t, "core"), pkg.ID)
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.PackageByVnfd(in(t, "core"), "vnfd")
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.PackageByVnfd(t.Context(), "vnfd")
	requireKind(t, lcm.KindNotFound, err) // names are of one project, also for who sees all
	for _, read := range []func(context.Context) (lcm.Vim, error){
		func(ctx context.Context) (lcm.Vim, error) { return s.Vim(ctx, vim.ID) },
		func(ctx context.Context) (lcm.Vim, error) { return s.VimByName(ctx, "cloud") },
		s.DefaultVim,
	} {
		_, err := read(in(t, "core"))
		requireKind(t, lcm.KindNotFound, err)
		got, err := read(in(t, "edge"))
		require.NoError(t, err)
		require.Equal(t, lcm.ProjectID("edge"), got.ProjectID)
	}
	other := lcm.Vim{ID: lcm.VimID(uuid.NewString()), Name: "cloud", IsDefault: true}
	require.NoError(t, s.CreateVim(in(t, "core"), other))
	other.ID = lcm.VimID(uuid.NewString())
	requireKind(t, lcm.KindConflict, s.CreateVim(in(t, "core"), other))

	for project, want := range map[lcm.ProjectID]int{"edge": 1, "core": 0} {
		instances, err := s.InstancePage(in(t, project), store.Page{})
		require.NoError(t, err)
		require.Len(t, instances, want)
	}
	vims, err := s.Vims(t.Context())
	require.NoError(t, err)
	require.Len(t, vims, 2)
}

func TestProjects_aFormerServersRowsAreOfTheDefaultOne(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	defer pool.Close()
	id := uuid.NewString()
	// As a server of the former release writes it, during an upgrade.
	_, err = pool.Exec(t.Context(), `
		insert into vim (id, name, description, type, auth_url, is_default, status) values ($1, 'old', '', 'openstack', '', false, '')`, id)
	require.NoError(t, err)
	vim, err := s.Vim(in(t, lcm.DefaultProject), lcm.VimID(id))
	require.NoError(t, err)
	require.Equal(t, lcm.DefaultProject, vim.ProjectID)
}
