package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnsupportedTasks_doNotExistForTheVnf(t *testing.T) {
	b := newBench(t)
	running := b.running("/vnflcm/v1")
	id := running[len("/vnflcm/v1"):]
	for root, tasks := range map[string][]string{
		"/vnflcm/v1": {"change_flavour"}, "/vnflcm/v2": {
			"change_flavour", "change_vnfpkg", "create_snapshot",
			"revert_to_snapshot",
		},
	} {
		fresh := b.create(root, string(b.instance(running).VnfdID))
		for _, task := range tasks {
			// This error takes precedence over the instance's state.
			for _, instance := range []string{root + id, fresh} {
				require.Contains(t, b.do("POST", instance+"/"+task, `{}`).problem(http.StatusNotFound), "does not support")
			}
			require.Contains(t, b.do("POST", root+"/vnf_instances/nothing/"+task, `{}`).problem(http.StatusNotFound),
				"There is no VNF instance")
			a := b.do("GET", fresh+"/"+task, nil)
			a.problem(http.StatusMethodNotAllowed)
			require.Contains(t, a.Header.Get("Allow"), http.MethodPost)
		}
	}
	b.do("POST", "/vnflcm/v1"+id+"/change_vnfpkg", `{}`).problem(http.StatusNotFound)
	require.Empty(t, b.starter.starts)
}
