package grants

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestKeepGrant_keepsTheSecretsWhenTheDatabasesAnswerIsLost loses the answer to the commit that stores a grant. The
// secrets that the NFVO has sent with the grant must stay.
func TestKeepGrant_keepsTheSecretsWhenTheDatabasesAnswerIsLost(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	way := pgtest.NewLosing(t, url)
	o := withVault(t, way.URL)
	db := o.Operations.Store
	ctx := lcm.InProject(t.Context(), "edge")
	pkg := lcm.VnfPkg{ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, VnfdID: "vnfd"}
	require.NoError(t, db.CreatePackage(ctx, pkg))
	inst := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg.ID, InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(t, db.CreateInstance(ctx, inst))
	op := lcm.VnfLcmOpOcc{
		ID: lcm.OpOccID(uuid.NewString()), VnfInstanceID: inst.ID, Operation: lcm.OpInstantiate, APIVersion: 2,
	}
	require.NoError(t, db.BeginOperation(ctx, op))
	const prefix = "vnf/of-the-test/grant/1"
	const ref = lcm.SecretRef(prefix + "/password")
	require.NoError(t, o.Vault.Put(ctx, ref, "hunter2"))
	grant := lcm.Grant{ID: "grant-1", VnfInstanceID: inst.ID, OpOccID: op.ID}

	away := lcm.Errorf(lcm.KindUnavailable, "The database does not answer.")
	require.ErrorIs(t, o.orKept(ctx, op.ID, prefix, away), away, "it was not kept")
	_, err := o.Vault.Get(ctx, ref)
	require.True(t, lcm.Is(err, lcm.KindNotFound))

	require.NoError(t, o.Vault.Put(ctx, ref, "hunter2"))
	way.LoseNext()
	err = db.KeepGrant(ctx, op.ID, grant, nil)
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.Equal(t, 1, way.Lost())
	require.NoError(t, o.orKept(ctx, op.ID, prefix, err))
	clear, err := o.Vault.Get(ctx, ref)
	require.NoError(t, err)
	require.Equal(t, "hunter2", clear)
}
