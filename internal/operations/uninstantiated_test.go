package operations

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestOf_conflictsWhenTheInstanceIsNotInstantiated checks operations that the API server planned while a TERMINATE
// ended: the answer is a conflict, not a mistake of the client.
func TestOf_conflictsWhenTheInstanceIsNotInstantiated(t *testing.T) {
	t.Parallel()
	r := withVault(t, pgtest.URL(t))
	ctx := lcm.InProject(t.Context(), lcm.DefaultProject)
	id := lcm.VnfInstanceID(uuid.NewString())
	pkg, err := r.Store.Package(ctx, onboarded(t, r, "../../tests/programs/bench/server"))
	require.NoError(t, err)
	require.NoError(t, r.Store.CreateInstance(ctx, lcm.VnfInstance{
		ID: id, VnfPkgID: pkg.ID, VnfdID: pkg.VnfdID, InstantiationState: lcm.NotInstantiated, Version: 1,
	}))
	for _, op := range []lcm.Operation{
		lcm.OpScale, lcm.OpScaleToLevel, lcm.OpHeal, lcm.OpOperate, lcm.OpChangeExtConn, lcm.OpChangeVnfPkg,
		lcm.OpTerminate,
	} {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			_, err := r.Of(ctx, lcm.VnfLcmOpOcc{Operation: op, VnfInstanceID: id, Params: []byte(`{}`)})
			require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
			require.ErrorContains(t, err, "The VNF instance "+string(id)+" is not instantiated.")
		})
	}
}
