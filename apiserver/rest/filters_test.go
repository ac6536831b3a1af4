package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
	"github.com/windlass-nfv/windlass/internal/store"
)

// fullOperations creates operations that together have every attribute that Windlass shows.
func fullOperations(b *servertest.Bench, inst lcm.VnfInstance) {
	b.Helper()
	params := map[int]string{
		1: `{"flavourId":"ha","numberOfSteps":9007199254740993,"additionalParams":{"a":{"b":[true,"x"]}},
			"vimConnectionInfo":[{"id":"vim1","vimId":"v","vimType":"openstack"}],
			"extVirtualLinks":[{"id":"l1","resourceId":"net-1","extCps":[{"cpdId":"c","cpConfig":[{"cpInstanceId":"one","linkPortId":"p"},{"linkPortId":"q"}]}]}]}`,
		2: `{"flavourId":"ha","numberOfSteps":0.1000000000000000000001,"vimConnectionInfo":{"vim2":{"vimId":"v","vimType":"openstack","extra":{"region":"r"}}},
			"extVirtualLinks":[{"id":"l1","resourceId":"net-1","extCps":[{"cpdId":"c","cpConfig":{"two":{"linkPortId":"p"}}}]}]}`,
	}
	text := "after"
	for i, record := range []lcm.OperationRecord{
		{State: lcm.RolledBack, GrantID: "g1", Error: &lcm.Error{
			Kind: lcm.KindBroken, Detail: "swap is on", Problems: []lcm.Problem{{Path: "worker-1", Detail: "it is"}},
		}},
		{
			State: lcm.RolledBack, CancelMode: lcm.Graceful, IsCancelPending: true,
			ResourceChanges: apitest.Operation().ResourceChanges,
		},
		{State: lcm.Completed, ChangedInfo: &lcm.VnfInfoModifications{
			VnfInstanceName: &text, VnfInstanceDescription: &text, ConfigurableProperties: map[string]any{"c": 7.0},
			Metadata: map[string]any{"site": "south"}, Extensions: map[string]any{"e": "f"},
			VimConnections: inst.VimConnections, DeletedVimConnections: []string{"gone"}, VnfPkgID: "p", VnfdID: "d",
			Provider: "a", ProductName: "b", SoftwareVersion: "c", VnfdVersion: "d",
			Vnfcs: []lcm.VnfcInfoModifications{{ID: "w-010", ConfigurableProperties: map[string]any{"log": "debug"}}},
		}},
		{State: lcm.Completed},
		{State: lcm.Completed, ChangedInfo: &lcm.VnfInfoModifications{VnfdID: "d2", Metadata: map[string]any{"site": "west"}}},
	} {
		o := lcm.VnfLcmOpOcc{
			ID: rest.NewID[lcm.OpOccID](), VnfInstanceID: inst.ID,
			Operation: []lcm.Operation{
				lcm.OpHeal, lcm.OpTerminate, lcm.OpModifyInfo, lcm.OpChangeExtConn, lcm.OpChangeVnfPkg,
			}[i],
			APIVersion: i%2 + 1, Params: json.RawMessage(params[i%2+1]), IsAutomaticInvocation: i == 0,
		}
		require.NoError(b, b.Store.BeginOperation(b.Context(), o))
		record.OpOccID = o.ID
		if o.Operation == lcm.OpChangeExtConn {
			_, err := b.Store.KeepPlan(b.Context(), o.ID,
				lcm.Plan{Operation: o.Operation, Links: apitest.FullLinks(), ChangedLinks: []string{"l1"}, VimConnectionID: "vim1"})
			require.NoError(b, err)
		}
		if record.State == lcm.Completed && o.Operation != lcm.OpModifyInfo { // it begins in PROCESSING
			require.NoError(b, b.Store.RecordOperation(b.Context(),
				lcm.OperationRecord{OpOccID: o.ID, Sequence: 1, State: lcm.Processing}))
		}
		record.Sequence = 2
		require.NoError(b, b.Store.RecordOperation(b.Context(), record))
	}
}

// eachAttribute calls found for all attributes of a document that are not objects, and for the keys of the objects.
func eachAttribute(path []string, v any, found func(e query.Expression)) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if len(path) > 0 {
				found(query.Expression{Path: path, OfKey: true, Values: []string{key}})
			}
			eachAttribute(append(slices.Clip(path), key), member, found)
		}
	case []any:
		for _, item := range v {
			eachAttribute(path, item, found)
		}
	case string:
		found(query.Expression{Path: path, Values: []string{v}})
	case float64:
		found(query.Expression{Path: path, Values: []string{strconv.FormatFloat(v, 'g', -1, 64)}})
	case bool:
		found(query.Expression{Path: path, Values: []string{strconv.FormatBool(v)}})
	}
}

// requireKnown requires that a filter for one attribute does not read a list as a whole: SQL must know where each
// attribute is, must find exactly the rows with its value, and must find none if no row has the value.
func requireKnown[T any](
	b *servertest.Bench,
	list string,
	page func(store.Page) []T,
	id func(T) string,
	view func(T) map[string]any,
	whole []string,
) (paths []string) {
	b.Helper()
	all := page(store.Page{})
	asked := map[string]bool{}
	for _, row := range all {
		eachAttribute(nil, view(row), func(e query.Expression) {
			for _, e.Op = range []query.Op{query.Eq, query.In, query.Gte, query.Cont} {
				f := query.Filter{e}
				if !f.Matches(view(row)) { // for example cont for a value that is not a text
					continue
				}
				found := page(store.Page{Filter: f})
				require.True(b, slices.ContainsFunc(found, func(r T) bool { return id(r) == id(row) }),
					"%s is in %v, but SQL leaves it out", f, view(row))
			}
			asked[e.String()] = true
			name := strings.Join(e.Path, "/")
			paths = append(paths, name)
			for param, value := range map[string]string{"filter": e.String(), "fields": name, "exclude_fields": name} {
				ask(b, b, http.MethodGet, list+"?"+url.Values{param: {value}}.Encode(), nil, http.StatusOK)
			}
			if e.OfKey || slices.ContainsFunc(whole, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				return
			}
			for _, op := range []query.Op{query.Eq, query.In, query.Cont} {
				if op == query.Cont && strings.HasPrefix(name, "_links") {
					continue
				}
				f := query.Filter{{Op: op, Path: e.Path, Values: []string{"nothing is like this"}}}
				require.Empty(b, page(store.Page{Filter: f}), f.String())
			}
		})
	}
	require.Greater(b, len(asked), 30)
	for _, path := range []string{"(eq,unknown,a)", "(neq,id/unknown,a)", "(neq,unknown/unknown,a)"} {
		f, err := query.Parse(path)
		require.NoError(b, err)
		require.Empty(b, page(store.Page{Filter: f}), path)
	}
	return paths
}

// requireShown requires that answers have had an attribute for each row of a table, so that the table has no others.
func requireShown(t *testing.T, table store.Attributes, paths []string) {
	t.Helper()
	for _, row := range table {
		parts := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(row.Path), `\*`, ".+") + "(/|$)")
		require.True(t, slices.ContainsFunc(paths, parts.MatchString), row.Path)
	}
}

func TestFilters_knowEveryAttributeOfAnInstance(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	inst := apitest.FullInstance(vnfdID, path[strings.LastIndexByte(path, '/')+1:])
	require.NoError(t, b.Store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), inst))
	other := lcm.VnfInstance{
		ID: rest.NewID[lcm.VnfInstanceID](), VnfdID: inst.VnfdID, VnfPkgID: inst.VnfPkgID,
		InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(t, b.Store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), other))
	var shown []string
	for version := 1; version <= 2; version++ {
		docs := listed(b, version, "vnf_instances")
		shown = append(shown, requireKnown(b, fmt.Sprintf("/vnflcm/v%d/vnf_instances", version), func(p store.Page) []lcm.VnfInstance {
			rows, err := b.Store.InstancePage(t.Context(), p)
			require.NoError(t, err, "%s", p.Filter)
			return rows
		}, func(i lcm.VnfInstance) string { return string(i.ID) }, func(i lcm.VnfInstance) map[string]any {
			return docs[string(i.ID)]
		}, nil)...)
	}
	requireShown(t, store.InstanceAttributes, shown)
}

func TestFilters_knowEveryAttributeOfAnOperation(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	inst := apitest.FullInstance(vnfdID, path[strings.LastIndexByte(path, '/')+1:])
	require.NoError(t, b.Store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), inst))
	fullOperations(b, inst)
	var shown []string
	for version := 1; version <= 2; version++ {
		list := fmt.Sprintf("/vnflcm/v%d/vnf_lcm_op_occs", version)
		docs := listed(b, version, "vnf_lcm_op_occs")
		// V2 has no further attributes with values.
		missing := slices.Clone(standardAttributes["/vnflcm/v1/vnf_lcm_op_occs"])
		view := func(o lcm.VnfLcmOpOcc) map[string]any {
			doc := docs[string(o.ID)]
			missing = slices.DeleteFunc(missing, func(name string) bool { return doc[name] != nil })
			return doc
		}
		shown = append(shown, requireKnown(b, list, func(p store.Page) []lcm.VnfLcmOpOcc {
			rows, err := b.Store.OperationPage(t.Context(), p)
			require.NoError(t, err, "%s", p.Filter)
			return rows
		}, func(o lcm.VnfLcmOpOcc) string { return string(o.ID) }, view, []string{"error/"})...) // few have errors
		require.Empty(t, missing)
	}
	requireShown(t, store.OperationAttributes, shown)
}

// BenchmarkLists measures one list at a time: `go test ./apiserver -run - -bench Lists/name`. A list is a page of at
// most 1000 of 10,000 instances, which are as large as instances of real clusters.
func BenchmarkLists(b *testing.B) {
	bed := servertest.New(b, func(o *apiserver.Options) { o.API.PageSize = 1000 })
	thousands(bed, 10_000, func(i int, inst *lcm.VnfInstance) {
		inst.VimConnections = inst.VimConnections[:1] // without a secret, as for clusters
		inst.Metadata["rack"] = fmt.Sprintf("rack-%d", i)
		inst.Instantiated.ExtVirtualLinks = apitest.FullLinks()
		inst.Instantiated.AdditionalParams = json.RawMessage(`{"k8s_cluster_installation_param":{"notes":"` +
			strings.Repeat(fmt.Sprint(i), 400) + `"}}`)
		for _, v := range inst.Instantiated.VnfcResources {
			inst.Instantiated.Nodes = append(inst.Instantiated.Nodes,
				lcm.Node{Name: "node-" + v.ID, Role: lcm.Worker, ServerID: v.ComputeResource.ResourceID, VduID: v.VduID})
		}
	})
	const info, addresses = "instantiatedVnfInfo/",
		"currentVnfExtCpData/cpConfig/CP2/cpProtocolData/ipOverEthernet/ipAddresses/"
	for _, q := range []struct{ name, query string }{
		{"default", ""},
		{"all_fields", "all_fields"},
		{"fields", "fields=" + info + "vnfState"},
		{"name", "filter=(eq,vnfInstanceName,edge-7777)"},
		{"part_of_name", "filter=(cont,vnfInstanceName,edge-7777);(eq," + info + "vnfState,STARTED)"},
		{"part_of_map", "filter=(cont,metadata/rack,ack-7777)"},
		{"key", "filter=(eq,metadata/@key,nothing)"},
		{"date", "filter=(gt,metadata/site,2030-01-02T03:04:05Z)"},
		{"provider", "filter=(eq,vnfProvider,nobody)"},
		{"all_started", "filter=(eq," + info + "vnfState,STARTED)"},
		{"none_stopped", "filter=(eq," + info + "vnfState,STOPPED)"},
		{"all_of_vdu", "filter=(eq," + info + "vnfcResourceInfo/vduId,workerNode)"},
		{"part_of_vdu", "filter=(cont," + info + "vnfcResourceInfo/vduId,nothing)"},
		{"vnfc", "filter=(eq," + info + "vnfcInfo/id,workerNode-vnfc-777-3)"},
		{"part_of_vnfc", "filter=(cont," + info + "vnfcInfo/id,nothing)"},
		{"vnfc_state", "filter=(eq," + info + "vnfcInfo/vnfcState,STOPPED)"},
		{"address", "filter=(eq," + info + "extVirtualLinkInfo/" + addresses + "fixedAddresses,192.0.2.9)"},
		{"link", "filter=(eq,_links/self/href,http://vnfm/vnflcm/v2/vnf_instances/none)"},
		{"part_of_link", "filter=(cont,_links/scale/href,nothing)"},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				ask(bed, b, http.MethodGet, "/vnflcm/v2/vnf_instances?"+q.query, nil, http.StatusOK)
			}
		})
	}
}

// BenchmarkOperationLists does the same for 50,000 operations.
func BenchmarkOperationLists(b *testing.B) {
	bed := servertest.New(b, func(o *apiserver.Options) { o.API.PageSize = 1000 })
	var rows [][]any
	for i := range 50_000 {
		id, op := fmt.Sprint(i), []lcm.Operation{
			lcm.OpInstantiate, lcm.OpScale, lcm.OpScale, lcm.OpHeal,
			lcm.OpModifyInfo,
		}[i%5]
		params, changed := map[string]any{"numberOfSteps": i % 50, "aspectId": "worker_instance", "type": "SCALE_OUT"},
			map[string]any(nil)
		switch op {
		case lcm.OpInstantiate:
			params = servertest.ClusterRequest("vim-" + id)
			params["notes"] = strings.Repeat(id, 300)
		case lcm.OpModifyInfo:
			changed = map[string]any{"metadata": map[string]any{"rack": "rack-" + id}}
			params = changed
		default:
		}
		at := time.Now().Add(-time.Duration(i) * time.Minute)
		rows = append(rows, []any{
			uuid.NewString(), "vnf-" + fmt.Sprint(i/5), string(op), "COMPLETED", at, at, "grant-" + id,
			i == 77, params, 1, changed, apitest.Operation().ResourceChanges,
		})
	}
	conn, err := pgx.Connect(b.Context(), bed.DatabaseURL)
	require.NoError(b, err)
	defer conn.Close(b.Context())
	_, err = conn.CopyFrom(b.Context(), pgx.Identifier{"vnf_lcm_op_occ"}, []string{
		"id", "vnf_instance_id", "operation", "state", "state_entered_time", "start_time", "grant_id",
		"is_automatic_invocation", "params", "api_version", "changed_info", "resource_changes",
	}, pgx.CopyFromRows(rows))
	require.NoError(b, err)
	_, err = conn.Exec(b.Context(), "vacuum analyze vnf_lcm_op_occ")
	require.NoError(b, err)
	for _, q := range []struct{ name, query string }{
		{"default", ""},
		{"all_fields", "all_fields"},
		{"of_vnf", "filter=(eq,vnfInstanceId,vnf-777)"},
		{"grant", "filter=(eq,grantId,grant-7777)"},
		{"automatic", "filter=(eq,isAutomaticInvocation,true)"},
		{"pending", "filter=(eq,isCancelPending,true)"},
		{"since", "filter=(gt,stateEnteredTime,2040-01-02T03:04:05Z)"},
		{"after_a_day", "filter=(gt,startTime,2040-01-02)"},
		{"of_a_day", "filter=(cont,startTime,2040-01-02)"},
		{"error", "filter=(eq,error/title,Broken)"},
		{"changed", "filter=(eq,changedInfo/metadata/rack,rack-7774)"},
		{"connectivity", "filter=(eq,changedExtConnectivity/id,none)"},
		{"part_of_parameter", "filter=(cont,operationParams/aspectId,nothing)"},
		{"number", "filter=(eq,operationParams/numberOfSteps,77)"},
		{"vim", "filter=(eq,operationParams/vimConnectionInfo/vim1/vimId,vim-7775)"},
		{"port", "filter=(eq,operationParams/extVirtualLinks/extCps/cpConfig/0/linkPortId,nothing)"},
		{"link", "filter=(eq,_links/vnfInstance/href,http://vnfm/vnflcm/v2/vnf_instances/vnf-777)"},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				ask(bed, b, http.MethodGet, "/vnflcm/v2/vnf_lcm_op_occs?"+q.query, nil, http.StatusOK)
			}
		})
	}
}

// BenchmarkWrites measures the cost of indexes: it creates an instance, and has its instantiation accepted, without
// Temporal.
func BenchmarkWrites(b *testing.B) {
	bed := servertest.New(b)
	vnfdID := thousands(bed, 10_000)
	request := servertest.ClusterRequest(bed.RegisterVim("lab", true))
	var created []string
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			a := ask(bed, b, http.MethodPost, "/vnflcm/v1/vnf_instances",
				map[string]any{"vnfdId": vnfdID, "vnfInstanceName": "edge-1"}, http.StatusCreated)
			created = append(created, strings.TrimPrefix(a.Header().Get("Location"), servertest.Endpoint))
		}
	})
	b.Run("instantiate", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			ask(bed, b, http.MethodPost, created[i]+"/instantiate", request, http.StatusAccepted)
		}
	})
}

// ask sends a request to the server without a network.
func ask(b *servertest.Bench, t testing.TB, method, path string, body any, status int) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, servertest.Reader(t, body))
	r.Host = strings.TrimPrefix(servertest.Endpoint, "https://") // the server refuses other names
	r.Header.Set("Content-Type", rest.MimeJSON)
	r.Header.Set("Version", "2.0.0")
	if strings.HasPrefix(path, rest.LcmV1.Prefix) {
		r.Header.Set("Version", "1.3.0")
	}
	answer := httptest.NewRecorder()
	b.Server.ServeHTTP(answer, r)
	require.Equal(t, status, answer.Code, answer.Body)
	return answer
}

func TestFilters_knowEveryAttributeOfASnapshot(t *testing.T) {
	b := servertest.New(t)
	b.Do("POST", servertest.SnapshotsPath, `{}`).Want(http.StatusCreated)
	b.Do("POST", servertest.SnapshotsPath, map[string]any{"vnfSnapshotPkgId": "pkg-1", "vnfSnapshot": servertest.SnapshotRecord()}).
		Want(http.StatusCreated)
	docs := listed(b, 2, "vnf_snapshots")
	shown := requireKnown(b, servertest.SnapshotsPath, func(p store.Page) []lcm.VnfSnapshotInfo {
		rows, err := b.Store.SnapshotPage(t.Context(), p)
		require.NoError(t, err, "%s", p.Filter)
		return rows
	}, func(s lcm.VnfSnapshotInfo) string { return string(s.ID) }, func(s lcm.VnfSnapshotInfo) map[string]any {
		return docs[string(s.ID)]
	}, nil)
	requireShown(t, store.SnapshotAttributes, shown)
}

// TestFilter_ofAVnfcIDWithDashes finds VNFCs by their ids, with any number of dashes in the id of the VDU.
func TestFilter_ofAVnfcIDWithDashes(t *testing.T) {
	b := servertest.New(t)
	path, vnfdID := b.Onboard()
	var ids []string
	for _, vdu := range []string{"worker", "worker-of-a-pool", strings.Repeat("w-", 40) + "w"} {
		inst := lcm.VnfInstance{
			ID: rest.NewID[lcm.VnfInstanceID](), VnfdID: lcm.VnfdID(vnfdID), VnfPkgID: lcm.VnfPkgID(servertest.LastPart(path)),
			InstantiationState: lcm.Instantiated,
			Instantiated: &lcm.InstantiatedVnfInfo{
				FlavourID: "ha", VnfState: lcm.VnfStarted,
				VnfcResources: []lcm.VnfcResourceInfo{{ID: "c-1", VduID: vdu}},
			},
		}
		require.NoError(t, b.Store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), inst))
		ids = append(ids, string(inst.ID))
	}
	found := func(op string, values ...string) (found []string) {
		filter := "(" + op + ",instantiatedVnfInfo/vnfcInfo/id," + strings.Join(values, ",") + ")"
		for _, inst := range b.Do("GET", "/vnflcm/v2/vnf_instances?filter="+url.QueryEscape(filter), nil).List() {
			found = append(found, inst["id"].(string))
		}
		return found
	}
	long := strings.Repeat("w-", 40) + "w-c-1"
	require.Equal(t, ids[:1], found("eq", "worker-c-1"))
	require.Equal(t, ids[1:2], found("eq", "worker-of-a-pool-c-1"))
	require.Equal(t, ids[2:], found("eq", long))
	require.ElementsMatch(t, ids, found("in", "worker-c-1", long, "worker-of-a-pool-c-1"))
	require.Empty(t, found("eq", long+"-"))
	require.Empty(t, found("eq", strings.Repeat("-", 8000)))
}
