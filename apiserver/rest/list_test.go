package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

func TestLists_comeInPagesThatInsertsDoNotMove(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.API.PageSize = 3 })
	_, vnfdID := b.Onboard()
	var want []string
	for range 8 {
		path := b.Create("/vnflcm/v1", vnfdID)
		want = append(want, path[strings.LastIndexByte(path, '/')+1:])
	}
	slices.Sort(want)
	var got []string
	pages := 0
	for path := "/vnflcm/v1/vnf_instances?exclude_default&filter=(eq,vnfInstanceName,edge-1);(neq,id,x)"; path != ""; pages++ {
		a := b.Do("GET", path, nil)
		for _, item := range a.List() {
			if id := item["id"].(string); slices.Contains(want, id) {
				got = append(got, id)
			}
		}
		if path = a.NextPath(); path != "" {
			require.Contains(t, path, "filter=%28eq", "what else was asked stays")
			require.NotContains(t, path, got[len(got)-1], "the marker is opaque")
		}
		b.Create("/vnflcm/v1", vnfdID)
	}
	require.Equal(t, want, got, "every one once, in order")
	require.GreaterOrEqual(t, pages, 3)
	require.Empty(t, b.Do("GET", "/vnflcm/v1/vnf_instances?all_records=yes", nil).NextPath())
}

func TestLists_refuseForeignMarkers(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.API.PageSize = 1 })
	_, vnfdID := b.Onboard()
	b.Create("/vnflcm/v1", vnfdID)
	b.Create("/vnflcm/v1", vnfdID)
	next := b.Do("GET", "/vnflcm/v1/vnf_instances", nil).NextPath()
	require.Empty(t, b.Do("GET", next, nil).NextPath(), "the last page has no link")
	_, marker, _ := strings.Cut(next, "?")
	for _, path := range []string{
		"/vnflcm/v2/vnf_instances?" + marker, "/vnflcm/v1/vnf_lcm_op_occs?" + marker, "/vnfpkgm/v1/vnf_packages?" + marker,
		"/vnflcm/v1/vnf_instances?nextpage_opaque_marker=", "/vnflcm/v1/vnf_instances?nextpage_opaque_marker=abc",
		"/vnflcm/v1/vnf_instances?" + marker + "A", "/vnflcm/v1/vnf_instances?" + marker + "&" + marker,
	} {
		a := b.Do("GET", path, nil)
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{"nextpage_opaque_marker"}, a.Paths(), path)
	}
}

func TestLists_keepFiltersThatAreNotEncoded(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	b.Create("/vnflcm/v1", vnfdID)
	require.Len(
		t,
		b.Do("GET", "/vnflcm/v1/vnf_instances?filter=(eq,vnfInstanceName,edge-1);(eq,instantiationState,NOT_INSTANTIATED)", nil).
			List(),
		1,
	)
	require.Empty(
		t,
		b.Do("GET", "/vnflcm/v1/vnf_instances?filter=(eq,vnfInstanceName,edge-1);(eq,instantiationState,INSTANTIATED)", nil).
			List(),
	)
	for query, path := range map[string]string{
		"filter=(eq,id,a)&filter=(eq,id,b)": "filter", "fields=a,,b": "fields", "fields=a//b": "fields",
		"exclude_fields=": "exclude_fields", "fields=id&all_fields": "selectors",
		"exclude_fields=id&exclude_default": "selectors", "all_fields&exclude_default": "selectors",
		"fields=id&exclude_fields=id": "selectors", "x;y=1": "x;y",
	} {
		a := b.Do("GET", "/vnflcm/v1/vnf_instances?"+query, nil)
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{path}, a.Paths(), query)
	}
	b.Do("GET", "/vnflcm/v1/vnf_instances?filter=%zz", nil).Problem(http.StatusBadRequest)
	require.Len(t, b.Do("GET", "/vnflcm/v1/vnf_instances?fields=vnfInstanceName&exclude_default", nil).List(), 1)
}

// shown returns a whole list of /vnflcm as a version shows it, by the ids of its items. It does not check the answers
// against the definitions, because the tests' made-up data may violate the standard.
func listed(b *servertest.Bench, version int, list string) map[string]map[string]any {
	b.Helper()
	var items []map[string]any
	answer := ask(b, b, http.MethodGet, fmt.Sprintf("/vnflcm/v%d/%s?all_fields", version, list), nil, http.StatusOK)
	require.NoError(b, json.Unmarshal(answer.Body.Bytes(), &items))
	docs := map[string]map[string]any{}
	for _, doc := range items {
		docs[doc["id"].(string)] = doc
	}
	return docs
}

// thousands inserts n instances into the database. Most of them are instantiated and have what a cluster has.
func thousands(b *servertest.Bench, n int, change ...func(i int, inst *lcm.VnfInstance)) (vnfdID string) {
	b.Helper()
	path, vnfdID := b.Onboard()
	var rows [][]any
	for i := range n {
		inst := apitest.Instance()
		inst.Instantiated.VnfcResources = nil
		for node := range 6 {
			inst.Instantiated.VnfcResources = append(inst.Instantiated.VnfcResources, lcm.VnfcResourceInfo{
				ID: fmt.Sprintf("vnfc-%d-%d", i, node), VduID: "workerNode",
				ComputeResource: lcm.ResourceHandle{ResourceID: fmt.Sprintf("server-%d-%d", i, node)},
			})
		}
		inst.Metadata = map[string]any{"site": fmt.Sprintf("site-%d", i)}
		for _, c := range change {
			c(i, &inst)
		}
		rows = append(rows, []any{
			uuid.NewString(), fmt.Sprintf("edge-%d", i), "", vnfdID, path[strings.LastIndexByte(path, '/')+1:], "Windlass",
			"Kubernetes", "1", "1",
			"INSTANTIATED",
			inst.Metadata, inst.VimConnections, inst.Instantiated,
		})
	}
	conn, err := pgx.Connect(b.Context(), b.DatabaseURL)
	require.NoError(b, err)
	defer conn.Close(b.Context())
	_, err = conn.CopyFrom(b.Context(), pgx.Identifier{"vnf_instance"}, []string{
		"id", "name", "description", "vnfd_id", "vnf_pkg_id", "provider", "product_name", "software_version", "vnfd_version",
		"instantiation_state", "metadata", "vim_connections", "instantiated",
	}, pgx.CopyFromRows(rows))
	require.NoError(b, err)
	_, err = conn.Exec(b.Context(), "vacuum analyze vnf_instance") // this also cleans up the indexes
	require.NoError(b, err)
	return vnfdID
}

// TestFilters_findOneAmongTenThousandAtOnce reads a filtered page of 10,000 instances, which takes milliseconds. The
// limit is higher because the machine may be busy.
func TestFilters_findOneAmongTenThousandAtOnce(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.API.PageSize = 100 })
	thousands(b, 10_000)
	for filter, want := range map[string]int{
		"(eq,vnfInstanceName,edge-7777)": 1,
		"(eq,metadata/site,site-4711)":   1,
		"(eq,instantiatedVnfInfo/vnfcResourceInfo/computeResource/resourceId,server-9999-3)": 1,
		"(in,vnfInstanceName,edge-1,edge-2,edge-3)":                                          3,
		"(cont,vnfInstanceName,edge-99)":                                                     100,
		"(eq,instantiationState,NOT_INSTANTIATED)":                                           0,
	} {
		best := time.Hour
		for range 3 {
			start := time.Now()
			require.Len(t, b.Do("GET", "/vnflcm/v2/vnf_instances?filter="+url.QueryEscape(filter), nil).List(), want, filter)
			best = min(best, time.Since(start))
		}
		t.Logf("%s: %s", filter, best)
		require.Less(t, best, 15*time.Second, filter)
	}
}

func TestLists_readOnlyWhatIsSeen(t *testing.T) {
	b := servertest.New(t)
	b.Running("/vnflcm/v2")
	excluded := []string{"vimConnectionInfo", "instantiatedVnfInfo", "metadata", "vnfConfigurableProperties", "extensions"}
	shown := b.Do("GET", "/vnflcm/v2/vnf_instances", nil).List()[0]
	for _, name := range excluded {
		require.NotContains(t, shown, name, "the list leaves out what is left out here")
	}
	vnfcs := func(query string) int {
		var rows []lcm.VnfInstance
		read := rest.Listing[lcm.VnfInstance]{
			Rules: rest.ListRules{Excluded: excluded},
			Page: func(ctx context.Context, p store.Page) (page []lcm.VnfInstance, err error) {
				rows, err = b.Store.InstancePage(ctx, p)
				return rows, err
			},
			View: func(lcm.VnfInstance) (any, error) { return struct{}{}, nil },
			ID:   func(i lcm.VnfInstance) string { return string(i.ID) },
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, nil)
		require.NoError(t, rest.ServeList(echo.New().NewContext(r, httptest.NewRecorder()), b.Backend(), read))
		require.NotEmpty(t, rows[0].Instantiated.VnfState)
		return len(rows[0].Instantiated.VnfcResources)
	}
	for _, query := range []string{
		"", "exclude_default", "fields=metadata", "fields=instantiatedVnfInfo/vnfState",
		"filter=(eq,instantiatedVnfInfo/flavourId,ha)",
	} {
		require.Zero(t, vnfcs(query), query)
	}
	for _, query := range []string{
		"all_fields", "exclude_fields=metadata", "fields=instantiatedVnfInfo",
		"fields=instantiatedVnfInfo/vnfcResourceInfo/id",
		"filter=(neq,instantiatedVnfInfo/vnfcResourceInfo/id,x)",
	} {
		require.NotZero(t, vnfcs(query), query)
	}
}

// TestLists_showTheSameWithoutWhatIsNotRead checks that the server need not read excluded attributes, except those that
// links depend on.
func TestLists_showTheSameWithoutWhatIsNotRead(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	b.Do("PATCH", instance, `{"metadata":{"site":"north"}}`).Want(http.StatusAccepted)
	requireSame := func(list, query string) {
		all := b.Do("GET", list+"?all_fields", nil).List()[0]
		items := b.Do("GET", list+"?"+query, nil).List()
		require.Len(t, items, 1, "%s?%s", list, query)
		for name, value := range items[0] {
			if !strings.HasPrefix(query, "fields") || name == "_links" {
				require.Equal(t, all[name], value, "%s of %s?%s", name, list, query)
			}
		}
	}
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		for _, query := range []string{
			"", "exclude_default", "fields=metadata/site", "fields=instantiatedVnfInfo/vnfState&exclude_default",
			"filter=" + url.QueryEscape("(neq,instantiatedVnfInfo/vnfcResourceInfo/id,x)"),
		} {
			requireSame(root+"/vnf_instances", query)
		}
		for _, query := range []string{"", "exclude_default", "fields=operationParams/metadata", "filter=" +
			url.QueryEscape("(eq,operationParams/metadata/site,north)")} {
			requireSame(root+"/vnf_lcm_op_occs", query)
		}
	}
	links := b.Do("GET", "/vnflcm/v2/vnf_instances", nil).List()[0]["_links"]
	require.Contains(t, links, "scale")
	require.Contains(t, links, "heal")
}

func TestSelectors_keepTheirCombinations(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	b.Create("/vnflcm/v2", vnfdID)
	mandatory := []string{
		"id", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion", "vnfdVersion", "vnfPkgId",
		"instantiationState", "_links",
	}
	keys := func(query string) []string {
		item := b.Do("GET", "/vnflcm/v2/vnf_instances?"+query, nil).List()[0]
		return slices.DeleteFunc(slices.Sorted(maps.Keys(item)),
			func(k string) bool { return slices.Contains(mandatory, k) })
	}
	require.Equal(t, []string{"vnfInstanceName"}, keys("exclude_default"))
	require.Equal(t, []string{"vnfInstanceName"}, keys("fields=vnfInstanceName"))
	require.Empty(t, keys("fields=metadata"))
	require.Empty(t, keys("exclude_fields=vnfInstanceName,id"))
	require.Equal(t, []string{"vnfInstanceName"}, keys("all_fields"))
}
