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
		"/vnflcm/v1": {"change_flavour"}, "/vnflcm/v2": {"change_flavour", "change_vnfpkg", "create_snapshot", "revert_to_snapshot"},
	} {
		fresh := b.create(root, string(b.instance(running).VnfdID))
		for _, task := range tasks {
			for _, instance := range []string{root + id, fresh} { // it comes before the state
				require.Contains(t, b.do("POST", instance+"/"+task, `{}`).problem(http.StatusNotFound), "does not support")
			}
			require.Contains(t, b.do("POST", root+"/vnf_instances/nothing/"+task, `{}`).problem(http.StatusNotFound), "There is no VNF instance")
			a := b.do("GET", fresh+"/"+task, nil)
			a.problem(http.StatusMethodNotAllowed)
			require.Contains(t, a.Header.Get("Allow"), http.MethodPost)
		}
	}
	b.do("POST", "/vnflcm/v1"+id+"/change_vnfpkg", `{}`).problem(http.StatusNotFound)
	require.Empty(t, b.starter.starts)
}

func TestSnapshots_areAnEmptyList(t *testing.T) {
	b := newBench(t)
	const snapshots = "/vnflcm/v2/vnf_snapshots"
	for _, query := range []string{"", "?all_fields", "?exclude_default&fields=vnfSnapshot", "?filter=" + escape("(eq,id,1)"), "?all_records=yes"} {
		require.Equal(t, "[]", string(b.do("GET", snapshots+query, nil).Body), query)
	}
	for _, query := range []string{"?nothing=1", "?filter=(eq,id", "?all_fields&exclude_default", "?nextpage_opaque_marker=x"} {
		b.do("GET", snapshots+query, nil).problem(http.StatusBadRequest)
	}
	b.do("GET", snapshots, nil, "Version: ").problem(http.StatusBadRequest)
	b.do("GET", snapshots, nil, "Accept: text/plain").problem(http.StatusNotAcceptable)
	for _, body := range []string{`{}`, `{"vnfSnapshotPkgId":"p","vnfSnapshot":{"id":"s"}}`} {
		require.Contains(t, b.do("POST", snapshots, body).problem(http.StatusConflict), "No VNF here supports snapshots")
	}
	b.do("POST", snapshots, `{"vnfSnapshotPkgId":7}`).problem(http.StatusBadRequest)
	b.do("POST", snapshots, `{`).problem(http.StatusBadRequest)
	b.do("POST", snapshots, `{}`, "Content-Type: text/plain").problem(http.StatusUnsupportedMediaType)
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		a := b.do(method, snapshots, `{}`)
		a.problem(http.StatusMethodNotAllowed)
		require.Contains(t, a.Header.Get("Allow"), http.MethodGet)
	}
	for path, methods := range map[string][]string{snapshots + "/1": {"GET", "PATCH", "DELETE"}, snapshots + "/1/vnf_state_snapshot": {"GET"}} {
		for _, method := range methods {
			require.Contains(t, b.do(method, path, `{}`).problem(http.StatusNotFound), "no VNF snapshot", method+" "+path)
		}
	}
	b.do("PUT", snapshots+"/1", `{}`).problem(http.StatusMethodNotAllowed)
	b.do("GET", "/vnflcm/v1/vnf_snapshots", nil).problem(http.StatusNotFound)
}
