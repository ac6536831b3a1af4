package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForgetHostKey_letsTheNextContactPinAnother(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v1")
	path := "/windlass/v1" + instance[len("/vnflcm/v1"):] + "/host_keys/"
	pin := func(server, key string) string {
		got, err := b.store.PinHostKey(t.Context(), server, []byte(key))
		require.NoError(t, err)
		return string(got)
	}
	for _, name := range []string{"worker-1", "workerNode-worker-1", "node-worker-1"} { // ids of v1 and v2, the node
		pin("worker-1", "old")
		pin("worker-2", "old")
		for range 2 {
			b.do("DELETE", path+name, nil).want(http.StatusNoContent)
		}
		require.Equal(t, "new", pin("worker-1", "new"), name)
		require.Equal(t, "old", pin("worker-2", "new"), "no other is forgotten")
		require.NoError(t, b.store.ForgetHostKeys(t.Context(), "worker-1", "worker-2"))
	}
	require.Contains(t, b.do("DELETE", path+"nobody", nil).problem(http.StatusNotFound), "nobody")
	require.Contains(t, b.log.String(), "Host key forgotten on request")
}
