package operations

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestBalancersBefore_areThoseOfTheCluster checks that a VNF on a cluster of Windlass uses the load balancers that the
// cluster has now. Clients can write any cluster into the extra of a VIM, so the cluster's VNF must also record the
// VIM.
func TestBalancersBefore_areThoseOfTheCluster(t *testing.T) {
	t.Parallel()
	o := withVault(t, pgtest.URL(t))
	ctx := lcm.InProject(t.Context(), lcm.DefaultProject)
	pkg := onboarded(t, o, "../../vnfpkg/samples/cnf-nodeport")
	pair := lcm.Nodes{{Name: "lb-1", ServerID: "1", Address: "10.0.0.31"}, {Name: "lb-2", ServerID: "2", Address: "10.0.0.32"}}
	home := lcm.VnfInstance{ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg, InstantiationState: lcm.NotInstantiated}
	require.NoError(t, o.Store.CreateInstance(ctx, home))
	on := func(extra map[string]any, knownAs bool) lcm.OpOccID {
		t.Helper()
		v := lcm.Vim{
			ID: lcm.VimID(uuid.NewString()), Name: uuid.NewString(), Type: lcm.VimKubernetes, AuthURL: "https://127.0.0.1:6443",
			AuthCred: map[string]any{}, Project: map[string]any{}, Extra: extra,
		}
		require.NoError(t, o.Store.CreateVim(ctx, v))
		if knownAs {
			now, err := o.Store.Instance(ctx, home.ID)
			require.NoError(t, err)
			now.InstantiationState = lcm.Instantiated
			now.Instantiated = &lcm.InstantiatedVnfInfo{ClusterVimID: v.ID, Balancers: pair}
			require.NoError(t, o.Store.UpdateInstance(ctx, now))
		}
		web := lcm.VnfInstance{ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: pkg, InstantiationState: lcm.NotInstantiated}
		require.NoError(t, o.Store.CreateInstance(ctx, web))
		op := lcm.VnfLcmOpOcc{
			ID: lcm.OpOccID(uuid.NewString()), VnfInstanceID: web.ID, Operation: lcm.OpInstantiate, APIVersion: 2,
			Params: json.RawMessage(`{"flavourId":"simple","vimConnectionInfo":{"k":{"vimId":"` + string(v.ID) + `","vimType":"kubernetes"}}}`),
		}
		require.NoError(t, o.Store.BeginOperation(ctx, op, lcm.VimConnectionInfo{ID: "k", VimID: v.ID, VimType: lcm.VimKubernetes}))
		return op.ID
	}
	found := func(op lcm.OpOccID) lcm.Nodes {
		t.Helper()
		list, err := o.BalancersBefore(ctx, op)
		require.NoError(t, err)
		return list
	}
	ofHome := map[string]any{lcm.ClusterOfParam: string(home.ID)}
	claimed := on(ofHome, false)
	require.Empty(t, found(claimed), "the instance is no cluster")
	op := on(ofHome, true)
	require.Equal(t, pair, found(op))
	_, err := o.ClusterBelow(ctx, claimed)
	require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
	require.Empty(t, found(claimed), "the instance is the cluster of another VIM")
	foreign := on(nil, false)
	require.Empty(t, found(foreign))
	strange := on(map[string]any{lcm.ClusterOfParam: 7}, false)
	require.Empty(t, found(strange))
	missing := on(map[string]any{lcm.ClusterOfParam: uuid.NewString()}, false)
	require.Empty(t, found(missing))
}
