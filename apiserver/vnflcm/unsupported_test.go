package vnflcm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestUnsupportedTasks_doNotExistForTheVnf(t *testing.T) {
	b := servertest.New(t)
	running := b.Running("/vnflcm/v1")
	id := running[len("/vnflcm/v1"):]
	for root, tasks := range map[string][]string{
		"/vnflcm/v2": {"change_vnfpkg", "create_snapshot", "revert_to_snapshot"},
	} {
		fresh := b.Create(root, string(b.Instance(running).VnfdID))
		for _, task := range tasks {
			// This error takes precedence over the instance's state.
			for _, instance := range []string{root + id, fresh} {
				require.Contains(t, b.Do("POST", instance+"/"+task, `{}`).Problem(http.StatusNotFound), "does not support")
			}
			require.Contains(t, b.Do("POST", root+"/vnf_instances/nothing/"+task, `{}`).Problem(http.StatusNotFound),
				"There is no VNF instance")
			a := b.Do("GET", fresh+"/"+task, nil)
			a.Problem(http.StatusMethodNotAllowed)
			require.Contains(t, a.Header.Get("Allow"), http.MethodPost)
		}
	}
	b.Do("POST", "/vnflcm/v1"+id+"/change_vnfpkg", `{}`).Problem(http.StatusNotFound)
	require.Empty(t, b.Starter.Starts)
}
