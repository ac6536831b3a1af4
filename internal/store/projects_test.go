package store_test

import (
	"context"
	"strings"
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
	inst := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg.ID, InstantiationState: lcm.NotInstantiated,
	}
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
	_, err = s.PackageByVnfd(lcm.WithScope(t.Context(), lcm.Scope{Project: "core", All: true}), "vnfd")
	requireKind(t, lcm.KindNotFound, err) // names belong to one project, also for a client that sees all projects
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
	// A server of the former release writes such a row during an upgrade.
	_, err = pool.Exec(t.Context(), `
		insert into vim (id, name, description, type, auth_url, is_default, status) values ($1, 'old', '', 'openstack', '', false, '')`, id)
	require.NoError(t, err)
	vim, err := s.Vim(in(t, lcm.DefaultProject), lcm.VimID(id))
	require.NoError(t, err)
	require.Equal(t, lcm.DefaultProject, vim.ProjectID)
}

// TestProjects_namesAndNewThingsWithoutAProjectAreABug checks that a request without a project neither reads from nor
// writes to the default project.
func TestProjects_namesAndNewThingsWithoutAProjectAreABug(t *testing.T) {
	t.Parallel()
	s := open(t)
	def := in(t, lcm.DefaultProject)
	require.NoError(t, s.CreateVim(def, lcm.Vim{ID: lcm.VimID(uuid.NewString()), Name: "trap", IsDefault: true}))
	require.NoError(t, s.CreatePackage(def, lcm.VnfPkg{
		ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, VnfdID: "vnfd",
	}))
	id := uuid.NewString()
	for _, nobodys := range []context.Context{t.Context(), in(t, "")} {
		for what, do := range map[string]func(context.Context) error{
			"VIM by name":     func(ctx context.Context) error { _, err := s.VimByName(ctx, "trap"); return err },
			"default VIM":     func(ctx context.Context) error { _, err := s.DefaultVim(ctx); return err },
			"package by VNFD": func(ctx context.Context) error { _, err := s.PackageByVnfd(ctx, "vnfd"); return err },
			"new VIM": func(ctx context.Context) error {
				return s.CreateVim(ctx,
					lcm.Vim{ID: lcm.VimID(id), Name: "new"})
			},
			"new package": func(ctx context.Context) error { return s.CreatePackage(ctx, lcm.VnfPkg{ID: lcm.VnfPkgID(id)}) },
			"adopted package": func(ctx context.Context) error {
				_, err := s.AdoptPackage(ctx, lcm.VnfPkg{ID: lcm.VnfPkgID(id)}, "vnfd")
				return err
			},
			"new instance": func(ctx context.Context) error {
				return s.CreateInstance(ctx, lcm.VnfInstance{ID: lcm.VnfInstanceID(id)})
			},
			"new snapshot": func(ctx context.Context) error {
				return s.CreateSnapshot(ctx, lcm.VnfSnapshotInfo{ID: lcm.VnfSnapshotInfoID(id)})
			},
			"new subscription": func(ctx context.Context) error {
				_, err := s.CreateSubscription(ctx, lcm.Subscription{ID: "s"}, 0, true)
				return err
			},
		} {
			err := do(nobodys)
			require.True(t, lcm.Is(err, lcm.KindBug), "%s: %v", what, err)
			require.ErrorContains(t, err, "did not know the project")
		}
	}
}

func TestProjects_theProjectOfWork(t *testing.T) {
	t.Parallel()
	s := open(t)
	edge := in(t, "edge")
	pkg := lcm.VnfPkg{ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, VnfdID: "vnfd"}
	require.NoError(t, s.CreatePackage(edge, pkg))
	sub, err := s.CreateSubscription(edge, lcm.Subscription{
		ID: "s", API: lcm.APILcm, APIVersion: 2, CallbackURI: "http://127.0.0.1/", Verbosity: lcm.VerbosityFull,
	}, 0, true)
	require.NoError(t, err)
	inst := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg.ID, InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(t, s.CreateInstance(edge, inst))
	op := instantiate(inst)
	require.NoError(t, s.BeginOperation(edge, op))
	delivery, err := s.NextDelivery(t.Context(), sub.ID)
	require.NoError(t, err)
	for _, of := range []lcm.Subject{
		{OpOccID: op.ID},
		{VnfInstanceID: inst.ID},
		{VnfPkgID: pkg.ID},
		{SubscriptionID: sub.ID},
		{DeliveryID: delivery.ID},
	} {
		project, err := s.ProjectOf(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, lcm.ProjectID("edge"), project)
	}
	_, err = s.ProjectOf(t.Context(), lcm.Subject{OpOccID: "absent"})
	requireKind(t, lcm.KindNotFound, err)
	_, err = s.ProjectOf(t.Context(), lcm.Subject{})
	requireKind(t, lcm.KindBug, err)
}

// TestProjects_filesOfPackagesAreOfTheirProject checks that a client that knows the id of another project's package
// cannot read in it.
func TestProjects_filesOfPackagesAreOfTheirProject(t *testing.T) {
	t.Parallel()
	s := open(t)
	pkg := lcm.VnfPkg{ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, VnfdID: "vnfd"}
	require.NoError(t, s.CreatePackage(in(t, "edge"), pkg))
	_, _, err := s.SavePackageContent(in(t, "edge"), pkg.ID, strings.NewReader("archive"))
	require.NoError(t, err)
	require.NoError(t, s.SavePackageFiles(in(t, "edge"), pkg.ID, func(yield func(lcm.PkgArtifact, []byte) bool) {
		yield(lcm.PkgArtifact{Path: "a.yaml"}, []byte("a"))
	}))
	for project, sees := range map[lcm.ProjectID]bool{"edge": true, "core": false, "": false} {
		_, err := s.PackageFile(in(t, project), pkg.ID, "a.yaml")
		require.Equal(t, !sees, lcm.Is(err, lcm.KindNotFound), "%q: %v", project, err)
		_, _, err = s.PackageContent(in(t, project), pkg.ID)
		require.Equal(t, !sees, lcm.Is(err, lcm.KindNotFound), "%q: %v", project, err)
	}
}

// TestProjects_anInstanceHoldsNoVimOfAnother checks that a connection never leads to another project's VIM, whichever
// project recorded it.
func TestProjects_anInstanceHoldsNoVimOfAnother(t *testing.T) {
	t.Parallel()
	s := open(t)
	trap := lcm.Vim{ID: lcm.VimID(uuid.NewString()), Name: "cloud", IsDefault: true}
	require.NoError(t, s.CreateVim(in(t, lcm.DefaultProject), trap))
	pkg := lcm.VnfPkg{ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, VnfdID: "vnfd"}
	require.NoError(t, s.CreatePackage(in(t, "edge"), pkg))
	inst := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg.ID, InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(t, s.CreateInstance(in(t, "edge"), inst))
	requireKind(t, lcm.KindConflict, s.BeginOperation(t.Context(), instantiate(inst),
		lcm.VimConnectionInfo{ID: "c", VimID: trap.ID}))
}
