package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
)

// TestMigrate_findsTheNamesOfVims checks that operations of a former release, which are under way, keep the names of the
// VIMs that they will register.
func TestMigrate_findsTheNamesOfVims(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := openURL(t, url)
	named, unnamed, other := begun(t, s), begun(t, s), begun(t, s)
	require.NoError(t, store.MigrateTo(t.Context(), url, 25))
	for op, body := range map[lcm.OpOccID]string{
		named.ID:   `{"additionalParams":{"k8s_cluster_installation_param":{"vim_name":"edge"}}}`,
		unnamed.ID: `{"additionalParams":{"k8s_cluster_installation_param":{"vim_name":""}}}`,
		other.ID:   `{"additionalParams":{"vim_name":"no cluster"}}`,
	} {
		require.NoError(t, s.Exec(t.Context(), `update vnf_lcm_op_occ set params = $1 where id = $2`, body, op))
	}
	require.NoError(t, store.Migrate(t.Context(), url))
	asking := newInstance(t, s)
	asking.ProjectID = lcm.DefaultProject
	for name, holder := range map[string]lcm.OpOccID{
		"edge": named.ID, k8s.DefaultVimName + string(unnamed.VnfInstanceID): unnamed.ID,
		"no cluster": "", k8s.DefaultVimName + string(other.VnfInstanceID): "",
	} {
		found, err := s.VimNameHolder(t.Context(), asking, name)
		require.NoError(t, err)
		require.Equal(t, holder, found.OpOccID, name)
	}
}
