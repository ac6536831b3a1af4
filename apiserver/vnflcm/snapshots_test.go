package vnflcm_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestSnapshots_areKept(t *testing.T) {
	b := servertest.New(t)
	made := b.Do("POST", servertest.SnapshotsPath, `{}`)
	doc := made.Want(http.StatusCreated)
	require.Equal(t, map[string]any{
		"id":     doc["id"],
		"_links": map[string]any{"self": map[string]any{"href": servertest.Endpoint + made.Path()}},
	}, doc)
	require.Equal(t, servertest.SnapshotsPath+"/"+doc["id"].(string), made.Path())
	require.Equal(t, b.Tag(made.Path()), made.Header.Get("ETag"))
	require.Equal(t, doc, b.Do("GET", made.Path(), nil).Want(http.StatusOK))

	changed := b.Do("PATCH", made.Path(), `{"vnfSnapshotPkgId":"pkg-1"}`, "Content-Type: application/merge-patch+json")
	require.Equal(t, map[string]any{"vnfSnapshotPkgId": "pkg-1"}, changed.Want(http.StatusOK))
	require.Equal(t, b.Tag(made.Path()), changed.Header.Get("ETag"))
	require.Equal(t, "pkg-1", b.Do("GET", made.Path(), nil).Want(http.StatusOK)["vnfSnapshotPkgId"])
	b.Do("PATCH", made.Path(), `{"vnfSnapshotPkgId":null}`).Want(http.StatusOK)
	require.NotContains(t, b.Do("GET", made.Path(), nil).Want(http.StatusOK), "vnfSnapshotPkgId")

	given := servertest.SnapshotRecord()
	given["_links"] = map[string]any{"self": map[string]any{"href": "http://192.0.2.7/elsewhere"}}
	inst := given["vnfInstance"].(map[string]any)
	inst["metadata"], inst["_links"] = map[string]any{"gone": nil}, given["_links"]
	filled := b.Do("PATCH", made.Path(), map[string]any{"vnfSnapshot": given}).Want(http.StatusOK)
	shown := b.Do("GET", made.Path(), nil)
	require.Equal(t, filled["vnfSnapshot"], shown.Want(http.StatusOK)["vnfSnapshot"])
	require.Contains(t, string(shown.Body), `"large":9007199254740993`, "numbers stay as they are")
	stored := filled["vnfSnapshot"].(map[string]any)
	require.NotContains(t, stored, "_links", "they lead elsewhere")
	of := stored["vnfInstance"].(map[string]any)
	require.NotContains(t, of, "_links")
	require.Empty(t, of["metadata"], "what is null is not there")
	access := of["vimConnectionInfo"].(map[string]any)["vim1"].(map[string]any)["accessInfo"]
	require.Equal(t, map[string]any{"username": "nfv", "password": "***"}, access)
	require.NotContains(t, string(b.Snapshot(servertest.LastPart(made.Path())).VnfSnapshot), servertest.Marker)

	for _, patch := range []string{`{"vnfSnapshotPkgId":"other"}`, `{"vnfSnapshot":null}`, `{}`} {
		require.Contains(t, b.Do("PATCH", made.Path(), patch).Problem(http.StatusConflict), "cannot be modified any more")
	}
	for _, accept := range []string{"application/json", "application/cms", "application/octet-stream"} {
		require.Contains(t, b.Do("GET", made.Path()+"/vnf_state_snapshot", nil,
			"Accept: "+accept).Problem(http.StatusConflict), "no state of a VNF")
	}
	require.Empty(t, b.Sealed(), "a snapshot keeps no secrets")
	b.Do("DELETE", made.Path(), nil).Want(http.StatusNoContent)
	b.Do("GET", made.Path(), nil).Problem(http.StatusNotFound)
	b.Do("DELETE", made.Path(), nil).Problem(http.StatusNotFound)
}

func TestSnapshots_ofAPackageComeWithTheirRecord(t *testing.T) {
	b := servertest.New(t)
	made := b.Do(
		"POST",
		servertest.SnapshotsPath,
		map[string]any{"vnfSnapshotPkgId": "pkg-1", "vnfSnapshot": servertest.SnapshotRecord()},
	)
	doc := made.Want(http.StatusCreated)
	require.Equal(t, "s1", doc["vnfSnapshot"].(map[string]any)["id"])
	require.Equal(t, doc, b.Do("GET", made.Path(), nil).Want(http.StatusOK))
	b.Do("PATCH", made.Path(), `{"vnfSnapshotPkgId":"pkg-2"}`).Problem(http.StatusConflict)
	alone := b.Do("POST", servertest.SnapshotsPath, `{"vnfSnapshotPkgId":"pkg-1"}`)
	require.Contains(t, alone.Problem(http.StatusUnprocessableEntity), "does not fetch records from VNF snapshot "+
		"packages")
	require.Equal(t, []string{"$.vnfSnapshot"}, alone.Paths())
}

func TestSnapshots_refuseWhatIsNone(t *testing.T) {
	b := servertest.New(t)
	one := b.Do("POST", servertest.SnapshotsPath, `{}`).Path()
	without := func(name string) map[string]any {
		r := servertest.SnapshotRecord()
		delete(r, name)
		return map[string]any{"vnfSnapshot": r}
	}
	spoiled := servertest.SnapshotRecord()
	maps.Copy(spoiled, map[string]any{
		"vnfcSnapshots": []any{map[string]any{"id": 1, "vnfcResourceInfoId": 7, "creationFinishedAt": "never"}},
		"vnfInstance":   "there", "userDefinedData": []any{}, "creationStartedAt": "yesterday",
	})
	for _, c := range []struct {
		body  any
		paths []string
	}{
		{`{"vnfSnapshotPkgId":7}`, []string{"$.vnfSnapshotPkgId"}},
		{`{"vnfSnapshot":"s1"}`, []string{"$.vnfSnapshot"}},
		{without("id"), []string{"$.vnfSnapshot.id"}},
		{without("vnfInstanceId"), []string{"$.vnfSnapshot.vnfInstanceId"}},
		{without("vnfdId"), []string{"$.vnfSnapshot.vnfdId"}},
		{without("vnfcSnapshots"), []string{"$.vnfSnapshot.vnfcSnapshots"}},
		{map[string]any{"vnfSnapshot": spoiled}, []string{
			"$.vnfSnapshot.vnfInstance", "$.vnfSnapshot.vnfcSnapshots[0].id", "$.vnfSnapshot.vnfcSnapshots[0].vnfcInstanceId",
			"$.vnfSnapshot.userDefinedData",
			"$.vnfSnapshot.vnfcSnapshots[0].vnfcResourceInfoId", "$.vnfSnapshot.vnfcSnapshots[0].creationFinishedAt",
			"$.vnfSnapshot.creationStartedAt",
		}},
		{`{"VnfSnapshot":{"anything":1}}`, []string{"$.VnfSnapshot"}},
		{`{"vnfSnapshotPkgId":"p","VNFSNAPSHOTPKGID":"q"}`, []string{"$.VNFSNAPSHOTPKGID"}},
		{`{`, nil},
		{`[]`, []string{"$"}},
	} {
		for method, path := range map[string]string{"POST": servertest.SnapshotsPath, "PATCH": one} {
			refused := b.Do(method, path, c.body)
			refused.Problem(http.StatusBadRequest)
			require.ElementsMatch(t, c.paths, refused.Paths(), "%s %v", method, c.body)
		}
	}
	fixed := b.Do("PATCH", one, `{"id":"x","_links":{}}`)
	fixed.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{"$.id", "$._links"}, fixed.Paths())
	for _, nothing := range []string{`{}`, `{"vnfSnapshot":null}`, `{"surprise":1}`} {
		require.Contains(t, b.Do("PATCH", one, nothing).Problem(http.StatusBadRequest), "changes nothing")
	}
	require.Equal(t, int64(1), b.Snapshot(servertest.LastPart(one)).Version)

	b.Do("POST", servertest.SnapshotsPath, `{}`, "Content-Type: text/plain").Problem(http.StatusUnsupportedMediaType)
	b.Do("POST", servertest.SnapshotsPath, `{}`, "Version: ").Problem(http.StatusBadRequest)
	b.Do("GET", one+"?fields=id", nil).Problem(http.StatusBadRequest)
	for path, methods := range map[string][]string{servertest.SnapshotsPath: {"PUT", "PATCH", "DELETE"}, one: {"PUT", "POST"}, one +
		"/vnf_state_snapshot": {"PUT", "DELETE"}} {
		for _, method := range methods {
			a := b.Do(method, path, `{}`)
			a.Problem(http.StatusMethodNotAllowed)
			require.Contains(t, a.Header.Get("Allow"), http.MethodGet)
		}
	}
	for path, methods := range map[string][]string{"/1": {"GET", "PATCH", "DELETE"}, "/" +
		servertest.SomeID: {"GET", "PATCH", "DELETE"}, "/" + servertest.SomeID + "/vnf_state_snapshot": {"GET"}} {
		for _, method := range methods {
			require.Contains(
				t,
				b.Do(method, servertest.SnapshotsPath+path, `{}`).Problem(http.StatusNotFound),
				"There is no VNF snapshot",
			)
		}
	}
	b.Do("GET", "/vnflcm/v1/vnf_snapshots", nil).Problem(http.StatusNotFound)
}

func TestSnapshots_areListed(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.API.PageSize = 2 })
	require.Equal(t, "[]", string(b.Do("GET", servertest.SnapshotsPath, nil).Body))
	var ids []any
	for range 3 {
		ids = append(ids, b.Do("POST", servertest.SnapshotsPath, `{}`).Want(http.StatusCreated)["id"])
	}
	full := b.Do("POST", servertest.SnapshotsPath, map[string]any{
		"vnfSnapshotPkgId": "pkg-1",
		"vnfSnapshot":      servertest.SnapshotRecord(),
	}).Want(http.StatusCreated)
	first := b.Do("GET", servertest.SnapshotsPath, nil)
	require.Len(t, first.List(), 2)
	require.Contains(t, first.Header.Get("Link"), `rel="next"`)
	require.Len(t, b.Do("GET", servertest.SnapshotsPath+"?all_records=yes", nil).List(), 4)
	for query, shows := range map[string]bool{
		"": false, "&exclude_default": false, "&all_fields": true,
		"&fields=vnfSnapshot/vnfInstanceId": true, "&exclude_fields=vnfSnapshot": false,
	} {
		list := b.Do("GET", servertest.SnapshotsPath+"?filter="+escape("(eq,vnfSnapshotPkgId,pkg-1)")+query, nil).List()
		require.Len(t, list, 1, query)
		require.Equal(t, full["id"], list[0]["id"])
		_, shown := list[0]["vnfSnapshot"]
		require.Equal(t, shows, shown, query)
	}
	large := b.Do(
		"GET",
		servertest.SnapshotsPath+"?filter="+escape("(eq,vnfSnapshotPkgId,pkg-1)")+"&fields=vnfSnapshot/userDefinedData",
		nil,
	)
	require.Contains(t, string(large.Body), `"large":9007199254740993`, "numbers stay as they are")
	for filter, count := range map[string]int{
		"(eq,id," + ids[0].(string) + ")": 1, "(eq,vnfSnapshot/vnfcSnapshots/vnfcInstanceId,master-r1)": 1,
		"(eq,vnfSnapshot/vnfInstanceId,nobody)": 0, "(neq,vnfSnapshotPkgId,pkg-1)": 0,
	} {
		require.Len(
			t,
			b.Do("GET", servertest.SnapshotsPath+"?all_records=yes&filter="+escape(filter), nil).List(),
			count,
			filter,
		)
	}
	for _, query := range []string{
		"?nothing=1", "?filter=(eq,id", "?all_fields&exclude_default",
		"?nextpage_opaque_marker=x",
	} {
		b.Do("GET", servertest.SnapshotsPath+query, nil).Problem(http.StatusBadRequest)
	}
	b.Do("GET", servertest.SnapshotsPath, nil, "Version: ").Problem(http.StatusBadRequest)
	b.Do("GET", servertest.SnapshotsPath, nil, "Accept: text/plain").Problem(http.StatusNotAcceptable)
}

// TestSnapshots_areFilledOnce sends several requests at once. One of them stores the record; the others are refused,
// because they were about another state.
func TestSnapshots_areFilledOnce(t *testing.T) {
	b := servertest.New(t)
	for late, headers := range map[int][]string{
		http.StatusConflict:           nil,
		http.StatusPreconditionFailed: {`If-Match: "1"`},
	} {
		one := b.Do("POST", servertest.SnapshotsPath, `{}`).Path()
		var g errgroup.Group
		statuses := make([]int, 6)
		for i := range statuses {
			g.Go(func() error {
				statuses[i] = b.Do("PATCH", one, map[string]any{"vnfSnapshot": servertest.SnapshotRecord()}, headers...).Status
				return nil
			})
		}
		require.NoError(t, g.Wait())
		slices.Sort(statuses)
		require.Equal(t, []int{http.StatusOK, late, late, late, late, late}, statuses)
	}
}
