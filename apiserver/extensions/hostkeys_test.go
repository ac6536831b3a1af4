package extensions_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestForgetHostKey_letsTheNextContactPinAnother(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v1")
	path := "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/host_keys/"
	inst := lcm.VnfInstanceID(filepath.Base(instance))
	pin := func(server, key string) string {
		got, err := b.Store.PinHostKey(t.Context(), inst, server, []byte(key))
		require.NoError(t, err)
		return string(got)
	}
	// The ids of v1 and v2, and the node.
	for _, name := range []string{"worker-1", "workerNode-worker-1", "node-worker-1"} {
		pin("worker-1", "old")
		pin("worker-2", "old")
		for range 2 {
			b.Do("DELETE", path+name, nil).Want(http.StatusNoContent)
		}
		require.Equal(t, "new", pin("worker-1", "new"), name)
		require.Equal(t, "old", pin("worker-2", "new"), "no other is forgotten")
		require.NoError(t, b.Store.ForgetHostKeys(t.Context(), inst, "worker-1", "worker-2"))
	}
	require.Contains(t, b.Do("DELETE", path+"nobody", nil).Problem(http.StatusNotFound), "nobody")
	require.Contains(t, b.Logged.String(), "Host key forgotten on request")
}
