package apiserver

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

const snapshots = "/vnflcm/v2/vnf_snapshots"

// record returns a VnfSnapshot.
func record() map[string]any {
	const at = "2026-01-02T03:04:05Z"
	inst := map[string]any{
		"id": "there", "vnfdId": "d", "vnfProvider": "p", "vnfProductName": "n", "vnfSoftwareVersion": "1",
		"vnfdVersion": "1", "instantiationState": "NOT_INSTANTIATED",
		"vimConnectionInfo": map[string]any{"vim1": map[string]any{
			"vimType":    "openstack",
			"accessInfo": map[string]any{"username": "nfv", "password": marker + "-snapshot"},
		}},
	}
	return map[string]any{
		"id": "s1", "vnfInstanceId": "there", "creationStartedAt": at, "creationFinishedAt": at, "vnfdId": "d",
		"vnfInstance": inst,
		"vnfcSnapshots": []any{map[string]any{
			"id": "c1", "vnfcInstanceId": "master-r1", "creationStartedAt": at, "vnfcResourceInfoId": "r1",
			"computeSnapshotResource":  map[string]any{"resourceId": "image-1"},
			"storageSnapshotResources": []any{map[string]any{"storageResourceId": "st1"}},
		}},
		"vnfStateSnapshotInfo": map[string]any{
			"checksum":    map[string]any{"algorithm": "SHA-256", "hash": "ab"},
			"isEncrypted": false,
		},
		"userDefinedData": map[string]any{"large": json.Number("9007199254740993")},
	}
}

func (b *bench) snapshot(id string) lcm.VnfSnapshotInfo {
	b.Helper()
	s, err := b.store.Snapshot(b.Context(), lcm.VnfSnapshotInfoID(id))
	require.NoError(b, err)
	return s
}

func TestSnapshots_areKept(t *testing.T) {
	b := newBench(t)
	made := b.do("POST", snapshots, `{}`)
	doc := made.want(http.StatusCreated)
	require.Equal(t, map[string]any{
		"id":     doc["id"],
		"_links": map[string]any{"self": map[string]any{"href": endpoint + made.path()}},
	}, doc)
	require.Equal(t, snapshots+"/"+doc["id"].(string), made.path())
	require.Equal(t, b.tag(made.path()), made.Header.Get("ETag"))
	require.Equal(t, doc, b.do("GET", made.path(), nil).want(http.StatusOK))

	changed := b.do("PATCH", made.path(), `{"vnfSnapshotPkgId":"pkg-1"}`, "Content-Type: application/merge-patch+json")
	require.Equal(t, map[string]any{"vnfSnapshotPkgId": "pkg-1"}, changed.want(http.StatusOK))
	require.Equal(t, b.tag(made.path()), changed.Header.Get("ETag"))
	require.Equal(t, "pkg-1", b.do("GET", made.path(), nil).want(http.StatusOK)["vnfSnapshotPkgId"])
	b.do("PATCH", made.path(), `{"vnfSnapshotPkgId":null}`).want(http.StatusOK)
	require.NotContains(t, b.do("GET", made.path(), nil).want(http.StatusOK), "vnfSnapshotPkgId")

	given := record()
	given["_links"] = map[string]any{"self": map[string]any{"href": "http://192.0.2.7/elsewhere"}}
	inst := given["vnfInstance"].(map[string]any)
	inst["metadata"], inst["_links"] = map[string]any{"gone": nil}, given["_links"]
	filled := b.do("PATCH", made.path(), map[string]any{"vnfSnapshot": given}).want(http.StatusOK)
	shown := b.do("GET", made.path(), nil)
	require.Equal(t, filled["vnfSnapshot"], shown.want(http.StatusOK)["vnfSnapshot"])
	require.Contains(t, string(shown.Body), `"large":9007199254740993`, "numbers stay as they are")
	stored := filled["vnfSnapshot"].(map[string]any)
	require.NotContains(t, stored, "_links", "they lead elsewhere")
	of := stored["vnfInstance"].(map[string]any)
	require.NotContains(t, of, "_links")
	require.Empty(t, of["metadata"], "what is null is not there")
	access := of["vimConnectionInfo"].(map[string]any)["vim1"].(map[string]any)["accessInfo"]
	require.Equal(t, map[string]any{"username": "nfv", "password": "***"}, access)
	require.NotContains(t, string(b.snapshot(last(made.path())).VnfSnapshot), marker)

	for _, patch := range []string{`{"vnfSnapshotPkgId":"other"}`, `{"vnfSnapshot":null}`, `{}`} {
		require.Contains(t, b.do("PATCH", made.path(), patch).problem(http.StatusConflict), "cannot be modified any more")
	}
	for _, accept := range []string{"application/json", "application/cms", "application/octet-stream"} {
		require.Contains(t, b.do("GET", made.path()+"/vnf_state_snapshot", nil,
			"Accept: "+accept).problem(http.StatusConflict), "no state of a VNF")
	}
	require.Empty(t, sealed(b), "a snapshot keeps no secrets")
	b.do("DELETE", made.path(), nil).want(http.StatusNoContent)
	b.do("GET", made.path(), nil).problem(http.StatusNotFound)
	b.do("DELETE", made.path(), nil).problem(http.StatusNotFound)
}

func TestSnapshots_ofAPackageComeWithTheirRecord(t *testing.T) {
	b := newBench(t)
	made := b.do("POST", snapshots, map[string]any{"vnfSnapshotPkgId": "pkg-1", "vnfSnapshot": record()})
	doc := made.want(http.StatusCreated)
	require.Equal(t, "s1", doc["vnfSnapshot"].(map[string]any)["id"])
	require.Equal(t, doc, b.do("GET", made.path(), nil).want(http.StatusOK))
	b.do("PATCH", made.path(), `{"vnfSnapshotPkgId":"pkg-2"}`).problem(http.StatusConflict)
	alone := b.do("POST", snapshots, `{"vnfSnapshotPkgId":"pkg-1"}`)
	require.Contains(t, alone.problem(http.StatusUnprocessableEntity), "does not fetch records from VNF snapshot "+
		"packages")
	require.Equal(t, []string{"$.vnfSnapshot"}, alone.paths())
}

func TestSnapshots_refuseWhatIsNone(t *testing.T) {
	b := newBench(t)
	one := b.do("POST", snapshots, `{}`).path()
	without := func(name string) map[string]any {
		r := record()
		delete(r, name)
		return map[string]any{"vnfSnapshot": r}
	}
	spoiled := record()
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
		for method, path := range map[string]string{"POST": snapshots, "PATCH": one} {
			refused := b.do(method, path, c.body)
			refused.problem(http.StatusBadRequest)
			require.ElementsMatch(t, c.paths, refused.paths(), "%s %v", method, c.body)
		}
	}
	fixed := b.do("PATCH", one, `{"id":"x","_links":{}}`)
	fixed.problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{"$.id", "$._links"}, fixed.paths())
	for _, nothing := range []string{`{}`, `{"vnfSnapshot":null}`, `{"surprise":1}`} {
		require.Contains(t, b.do("PATCH", one, nothing).problem(http.StatusBadRequest), "changes nothing")
	}
	require.Equal(t, int64(1), b.snapshot(last(one)).Version)

	b.do("POST", snapshots, `{}`, "Content-Type: text/plain").problem(http.StatusUnsupportedMediaType)
	b.do("POST", snapshots, `{}`, "Version: ").problem(http.StatusBadRequest)
	b.do("GET", one+"?fields=id", nil).problem(http.StatusBadRequest)
	for path, methods := range map[string][]string{snapshots: {"PUT", "PATCH", "DELETE"}, one: {"PUT", "POST"}, one +
		"/vnf_state_snapshot": {"PUT", "DELETE"}} {
		for _, method := range methods {
			a := b.do(method, path, `{}`)
			a.problem(http.StatusMethodNotAllowed)
			require.Contains(t, a.Header.Get("Allow"), http.MethodGet)
		}
	}
	for path, methods := range map[string][]string{"/1": {"GET", "PATCH", "DELETE"}, "/" +
		someID: {"GET", "PATCH", "DELETE"}, "/" + someID + "/vnf_state_snapshot": {"GET"}} {
		for _, method := range methods {
			require.Contains(t, b.do(method, snapshots+path, `{}`).problem(http.StatusNotFound), "There is no VNF snapshot")
		}
	}
	b.do("GET", "/vnflcm/v1/vnf_snapshots", nil).problem(http.StatusNotFound)
}

func TestSnapshots_areListed(t *testing.T) {
	b := newBench(t, func(o *Options) { o.API.PageSize = 2 })
	require.Equal(t, "[]", string(b.do("GET", snapshots, nil).Body))
	var ids []any
	for range 3 {
		ids = append(ids, b.do("POST", snapshots, `{}`).want(http.StatusCreated)["id"])
	}
	full := b.do("POST", snapshots, map[string]any{
		"vnfSnapshotPkgId": "pkg-1",
		"vnfSnapshot":      record(),
	}).want(http.StatusCreated)
	first := b.do("GET", snapshots, nil)
	require.Len(t, first.list(), 2)
	require.Contains(t, first.Header.Get("Link"), `rel="next"`)
	require.Len(t, b.do("GET", snapshots+"?all_records=yes", nil).list(), 4)
	for query, shows := range map[string]bool{
		"": false, "&exclude_default": false, "&all_fields": true,
		"&fields=vnfSnapshot/vnfInstanceId": true, "&exclude_fields=vnfSnapshot": false,
	} {
		list := b.do("GET", snapshots+"?filter="+escape("(eq,vnfSnapshotPkgId,pkg-1)")+query, nil).list()
		require.Len(t, list, 1, query)
		require.Equal(t, full["id"], list[0]["id"])
		_, shown := list[0]["vnfSnapshot"]
		require.Equal(t, shows, shown, query)
	}
	large := b.do("GET", snapshots+"?filter="+escape("(eq,vnfSnapshotPkgId,pkg-1)")+"&fields=vnfSnapshot/userDefinedData",
		nil)
	require.Contains(t, string(large.Body), `"large":9007199254740993`, "numbers stay as they are")
	for filter, count := range map[string]int{
		"(eq,id," + ids[0].(string) + ")": 1, "(eq,vnfSnapshot/vnfcSnapshots/vnfcInstanceId,master-r1)": 1,
		"(eq,vnfSnapshot/vnfInstanceId,nobody)": 0, "(neq,vnfSnapshotPkgId,pkg-1)": 0,
	} {
		require.Len(t, b.do("GET", snapshots+"?all_records=yes&filter="+escape(filter), nil).list(), count, filter)
	}
	for _, query := range []string{
		"?nothing=1", "?filter=(eq,id", "?all_fields&exclude_default",
		"?nextpage_opaque_marker=x",
	} {
		b.do("GET", snapshots+query, nil).problem(http.StatusBadRequest)
	}
	b.do("GET", snapshots, nil, "Version: ").problem(http.StatusBadRequest)
	b.do("GET", snapshots, nil, "Accept: text/plain").problem(http.StatusNotAcceptable)
}

func TestFilters_knowEveryAttributeOfASnapshot(t *testing.T) {
	b := newBench(t)
	b.do("POST", snapshots, `{}`).want(http.StatusCreated)
	b.do("POST", snapshots, map[string]any{"vnfSnapshotPkgId": "pkg-1", "vnfSnapshot": record()}).want(http.StatusCreated)
	docs := b.shown(2, "vnf_snapshots")
	requireKnown(b, snapshots, func(p store.Page) []lcm.VnfSnapshotInfo {
		rows, err := b.store.SnapshotPage(t.Context(), p)
		require.NoError(t, err, "%s", p.Filter)
		return rows
	}, func(s lcm.VnfSnapshotInfo) string { return string(s.ID) }, func(s lcm.VnfSnapshotInfo) map[string]any {
		return docs[string(s.ID)]
	}, nil)
}

// TestSnapshots_areFilledOnce sends several requests at once. One of them stores the record; the others are refused,
// because they were about another state.
func TestSnapshots_areFilledOnce(t *testing.T) {
	b := newBench(t)
	for late, headers := range map[int][]string{
		http.StatusConflict:           nil,
		http.StatusPreconditionFailed: {`If-Match: "1"`},
	} {
		one := b.do("POST", snapshots, `{}`).path()
		var g errgroup.Group
		statuses := make([]int, 6)
		for i := range statuses {
			g.Go(func() error {
				statuses[i] = b.do("PATCH", one, map[string]any{"vnfSnapshot": record()}, headers...).Status
				return nil
			})
		}
		require.NoError(t, g.Wait())
		slices.Sort(statuses)
		require.Equal(t, []int{http.StatusOK, late, late, late, late, late}, statuses)
	}
}
