package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
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

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
	"github.com/windlass-nfv/windlass/internal/store"
)

// nextPath returns the target of the only Link header, below the endpoint, or "" without one.
func (a answer) nextPath() string {
	a.t.Helper()
	links := a.Header.Values("Link")
	if len(links) == 0 {
		return ""
	}
	require.Len(a.t, links, 1)
	target, found := strings.CutSuffix(links[0], `>; rel="next"`)
	require.True(a.t, found, links[0])
	path, found := strings.CutPrefix(target, "<"+endpoint)
	require.True(a.t, found, links[0])
	return path
}

func TestLists_comeInPagesThatInsertsDoNotMove(t *testing.T) {
	b := newBench(t, func(o *Options) { o.API.PageSize = 3 })
	_, vnfdID := b.onboard()
	var want []string
	for range 8 {
		path := b.create("/vnflcm/v1", vnfdID)
		want = append(want, path[strings.LastIndexByte(path, '/')+1:])
	}
	slices.Sort(want)
	var got []string
	pages := 0
	for path := "/vnflcm/v1/vnf_instances?exclude_default&filter=(eq,vnfInstanceName,edge-1);(neq,id,x)"; path != ""; pages++ {
		a := b.do("GET", path, nil)
		for _, item := range a.list() {
			if id := item["id"].(string); slices.Contains(want, id) {
				got = append(got, id)
			}
		}
		if path = a.nextPath(); path != "" {
			require.Contains(t, path, "filter=%28eq", "what else was asked stays")
			require.NotContains(t, path, got[len(got)-1], "the marker is opaque")
		}
		b.create("/vnflcm/v1", vnfdID)
	}
	require.Equal(t, want, got, "every one once, in order")
	require.GreaterOrEqual(t, pages, 3)
	require.Empty(t, b.do("GET", "/vnflcm/v1/vnf_instances?all_records=yes", nil).nextPath())
}

func TestLists_refuseForeignMarkers(t *testing.T) {
	b := newBench(t, func(o *Options) { o.API.PageSize = 1 })
	_, vnfdID := b.onboard()
	b.create("/vnflcm/v1", vnfdID)
	b.create("/vnflcm/v1", vnfdID)
	next := b.do("GET", "/vnflcm/v1/vnf_instances", nil).nextPath()
	require.Empty(t, b.do("GET", next, nil).nextPath(), "the last page has no link")
	_, marker, _ := strings.Cut(next, "?")
	for _, path := range []string{
		"/vnflcm/v2/vnf_instances?" + marker, "/vnflcm/v1/vnf_lcm_op_occs?" + marker, "/vnfpkgm/v1/vnf_packages?" + marker,
		"/vnflcm/v1/vnf_instances?nextpage_opaque_marker=", "/vnflcm/v1/vnf_instances?nextpage_opaque_marker=abc",
		"/vnflcm/v1/vnf_instances?" + marker + "A", "/vnflcm/v1/vnf_instances?" + marker + "&" + marker,
	} {
		a := b.do("GET", path, nil)
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{"nextpage_opaque_marker"}, a.paths(), path)
	}
}

func TestLists_keepFiltersThatAreNotEncoded(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	b.create("/vnflcm/v1", vnfdID)
	require.Len(t, b.do("GET", "/vnflcm/v1/vnf_instances?filter=(eq,vnfInstanceName,edge-1);(eq,instantiationState,NOT_INSTANTIATED)", nil).list(), 1)
	require.Empty(t, b.do("GET", "/vnflcm/v1/vnf_instances?filter=(eq,vnfInstanceName,edge-1);(eq,instantiationState,INSTANTIATED)", nil).list())
	for query, path := range map[string]string{
		"filter=(eq,id,a)&filter=(eq,id,b)": "filter", "fields=a,,b": "fields", "fields=a//b": "fields",
		"exclude_fields=": "exclude_fields", "fields=id&all_fields": "selectors",
		"exclude_fields=id&exclude_default": "selectors", "all_fields&exclude_default": "selectors",
		"fields=id&exclude_fields=id": "selectors", "x;y=1": "x;y",
	} {
		a := b.do("GET", "/vnflcm/v1/vnf_instances?"+query, nil)
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{path}, a.paths(), query)
	}
	b.do("GET", "/vnflcm/v1/vnf_instances?filter=%zz", nil).problem(http.StatusBadRequest)
	require.Len(t, b.do("GET", "/vnflcm/v1/vnf_instances?fields=vnfInstanceName&exclude_default", nil).list(), 1)
}

// dice makes documents and filters from few words, so that many filters match.
type dice struct{ *rand.Rand }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

var (
	diceNames  = []string{"a", "b", "site", "x/y", "@key", "a,b", "q\"'", "ä ö", "true", "1"}
	diceValues = []string{
		"STOPPED", "IPV6", "a-ab", "", "a", "b", "site", "ab", "true", "false", "1", "1.0", "10", "-2.5", "1e3", "it's",
		"a,b", ")", `\"`, "%_.*", "ä ö", "Zz",
		"2030-01-02T03:04:05Z", "2030-01-02T04:04:05+01:00", "9007199254740993",
	}
)

func (d dice) value(depth int) any {
	switch d.IntN(9) {
	case 0:
		return nil
	case 1:
		return d.IntN(2) == 0
	case 2:
		return []float64{0, 1, 10, -2.5, 1000, 9007199254740992, 1e21}[d.IntN(7)]
	case 3, 4:
		if depth > 0 {
			list := make([]any, d.IntN(3))
			for i := range list {
				list[i] = d.value(depth - 1)
			}
			return list
		}
	case 5, 6:
		if depth > 0 {
			return d.object(depth - 1)
		}
	}
	return d.of(diceValues...)
}

func (d dice) object(depth int) map[string]any {
	out := map[string]any{}
	for range d.IntN(4) {
		out[d.of(diceNames...)] = d.value(depth)
	}
	return out
}

// expression returns an expression about one of the paths, or about something below it.
func (d dice) expression(paths []string) query.Expression {
	e := query.Expression{Op: query.Op(d.of("eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "cont", "ncont"))}
	path := d.of(paths...)
	e.Path = strings.Split(strings.TrimSuffix(path, "/*"), "/")
	if strings.HasSuffix(path, "/*") {
		for range d.IntN(3) {
			e.Path = append(e.Path, d.of(diceNames...))
		}
		e.OfKey = d.IntN(5) == 0
	}
	e.Values = []string{d.of(diceValues...)}
	if e.Op.Many() {
		for range d.IntN(3) {
			e.Values = append(e.Values, d.of(diceValues...))
		}
	}
	return e
}

var diceInstancePaths = []string{
	"id", "vnfInstanceName", "vnfInstanceDescription", "vnfdId", "vnfProvider", "instantiationState", "vnfPkgId",
	"metadata/*", "metadata/*", "metadata/*",
	"vimConnectionInfo/*", "vimConnectionInfo/vimType", "vimConnectionInfo/a/vimType", "vimConnectionInfo/extra/*",
	"vimConnectionInfo/b/extra/*",
	"instantiatedVnfInfo/flavourId", "instantiatedVnfInfo/vnfcResourceInfo/id",
	"instantiatedVnfInfo/vnfcResourceInfo/metadata/*",
	"instantiatedVnfInfo/scaleStatus/scaleLevel", "instantiatedVnfInfo/extCpInfo/id",
	"instantiatedVnfInfo/extCpInfo/cpdId", "instantiatedVnfInfo/extCpInfo/cpConfigId",
	"instantiatedVnfInfo/extVirtualLinkInfo/id", "instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/resourceId",
	"instantiatedVnfInfo/extVirtualLinkInfo/currentVnfExtCpData/cpdId", "instantiatedVnfInfo/vnfcInfo/vduId",
	"instantiatedVnfInfo/vnfcInfo/vnfcResourceInfoId", "instantiatedVnfInfo/vnfcInfo/id", "instantiatedVnfInfo/stackId",
	"_links/self/href", "unknown/*",
	"instantiatedVnfInfo/vnfcInfo/vnfcState", "instantiatedVnfInfo/vnfState",
	"instantiatedVnfInfo/extCpInfo/associatedVnfcCpId", "instantiatedVnfInfo/extCpInfo/*", "instantiatedVnfInfo/*",
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/id",
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/networkResource/vimConnectionId",
	"instantiatedVnfInfo/extManagedVirtualLinkInfo/*",
	"instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/vimConnectionId", "instantiatedVnfInfo/extVirtualLinkInfo/*",
	"instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/*",
	cpConfigPath + "*", cpConfigPath + "a/*", cpConfigPath + "a/cpProtocolData/layerProtocol", cpConfigPath +
		"a/cpProtocolData/*", cpConfigPath + "a/cpProtocolData/ipOverEthernet/*",
	cpConfigPath + "b/cpProtocolData/ipOverEthernet/ipAddresses/type", cpConfigPath +
		"a/cpProtocolData/ipOverEthernet/ipAddresses/fixedAddresses",
	cpConfigPath + "a/cpProtocolData/ipOverEthernet/ipAddresses/subnetId", cpConfigPath +
		"a/cpProtocolData/ipOverEthernet/ipAddresses/numDynamicAddresses",
	cpConfigPath + "a/cpProtocolData/ipOverEthernet/macAddress",
}

const cpConfigPath = "instantiatedVnfInfo/extVirtualLinkInfo/currentVnfExtCpData/cpConfig/"

func (d dice) instance(vnfdID string, pkg lcm.VnfPkgID) lcm.VnfInstance {
	inst := lcm.VnfInstance{
		ID: rest.NewID[lcm.VnfInstanceID](), Name: d.of(diceValues...), Description: d.of("", "a", "ab"),
		VnfdID: lcm.VnfdID(vnfdID), VnfPkgID: pkg,
		Provider: d.of(diceValues...), InstantiationState: lcm.NotInstantiated, Metadata: d.object(2),
	}
	for _, id := range []string{"a", "b"}[:d.IntN(3)] {
		inst.VimConnections = append(inst.VimConnections,
			lcm.VimConnectionInfo{ID: id, VimType: d.of("a", "openstack"), Extra: d.object(1)})
	}
	if d.IntN(2) == 0 {
		inst.InstantiationState = lcm.Instantiated
		inst.Instantiated = &lcm.InstantiatedVnfInfo{
			FlavourID: d.of(diceValues...), VnfState: "STARTED", DeploymentID: "a",
			ScaleStatus: []lcm.ScaleInfo{{AspectID: "a", ScaleLevel: d.IntN(2)}},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: d.of(diceValues...), ResourceID: d.of(diceValues...), ExtCps: []lcm.ExtCp{
				{
					CpdID: d.of("a", "b", "ab"), MAC: d.of("", "a", "site"),
					FixedIPs: []lcm.FixedIP{{Address: d.of("", "192.0.2.7", "::7"), SubnetID: d.of("", "a", "site")}},
				},
				{CpdID: d.of(diceValues...)},
				{CpdID: d.of(diceValues...), Configs: []lcm.CpConfig{
					{Key: d.of(diceValues...)}, {
						Key: d.of("a", "b"), MAC: d.of("", "a", "site"),
						FixedIPs: []lcm.FixedIP{
							{SubnetID: d.of("", "a"), Dynamic: d.IntN(4), IPv6: d.IntN(2) == 0},
							{Address: d.of("192.0.2.7", "::7")},
						},
					},
				}[d.IntN(2):]},
			}}},
			ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{{
				ID: d.of(diceValues...), VnfVirtualLinkDescID: "a", ResourceID: d.of(diceValues...),
			}},
			ExtCps: []lcm.VnfExtCpInfo{{
				ID: d.of(diceValues...), CpdID: d.of(diceValues...), AssociatedVnfcCpID: d.of("", "a"),
			}},
			VnfcResources: []lcm.VnfcResourceInfo{
				{
					ID: d.of(diceValues...), VduID: d.of(diceValues...), Metadata: d.object(1),
					ComputeResource: lcm.ResourceHandle{VimConnectionID: d.of("", "a")},
				}, {ID: d.of(diceValues...)},
			},
		}
		if d.IntN(2) == 0 {
			inst.Instantiated.Stopped = []lcm.StoppedVnfc{{VnfcID: inst.Instantiated.VnfcResources[0].ID}}
		}
	}
	return inst
}

// TestFilters_meanTheSameInSQL requires that SQL selects everything that the standard's filter matches. If SQL knows
// every attribute of the filter, it should select little else.
func TestFilters_meanTheSameInSQL(t *testing.T) {
	b := newBench(t)
	path, vnfdID := b.onboard()
	d := dice{rand.New(rand.NewPCG(1, 2))}
	var ids []string
	for range 60 {
		inst := d.instance(vnfdID, lcm.VnfPkgID(path[strings.LastIndexByte(path, '/')+1:]))
		require.NoError(t, b.store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), inst))
		ids = append(ids, string(inst.ID))
	}
	all, err := b.store.InstancePage(t.Context(), store.Page{})
	require.NoError(t, err)
	require.Len(t, all, len(ids))
	docs := map[int][]map[string]any{}
	for version := 1; version <= 2; version++ {
		shown := b.shown(version, "vnf_instances")
		for _, inst := range all {
			docs[version] = append(docs[version], shown[string(inst.ID)])
		}
	}
	matched, selected := 0, 0
	for i := range 3000 {
		f := query.Filter{d.expression(diceInstancePaths)}
		if i%3 == 0 {
			f = append(f, d.expression(diceInstancePaths))
		}
		if i%50 == 0 {
			f[0] = query.Expression{Op: query.Eq, Path: []string{"id"}, Values: []string{d.of(ids...)}}
		}
		rows, err := b.store.InstancePage(t.Context(), store.Page{Filter: f})
		require.NoError(t, err, "%s", f)
		selected += len(rows)
		for i, inst := range all {
			for version, shown := range docs {
				if !f.Matches(shown[i]) {
					continue
				}
				matched++
				if !slices.ContainsFunc(rows, func(r lcm.VnfInstance) bool { return r.ID == inst.ID }) {
					t.Fatalf("%s matches in v%d, but SQL leaves it out: %v", f, version, shown[i])
				}
			}
		}
	}
	t.Logf("%d rows selected of %d, for %d matches in two versions", selected, 3000*len(all), matched)
	require.Greater(t, matched, 2000)
	require.Less(t, selected, 3000*len(all)/4, "SQL leaves out most of what does not match")
}

// TestFilters_ofOperationsMeanTheSameInSQL does the same for operations, which also have columns of times and booleans.
func TestFilters_ofOperationsMeanTheSameInSQL(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	d := dice{rand.New(rand.NewPCG(3, 4))}
	for i := range 20 {
		path := b.create("/vnflcm/v1", vnfdID)
		o := lcm.VnfLcmOpOcc{
			ID: rest.NewID[lcm.OpOccID](), VnfInstanceID: lcm.VnfInstanceID(path[strings.LastIndexByte(path, '/')+1:]),
			Operation: lcm.OpInstantiate, GrantID: d.of("", "a"), IsAutomaticInvocation: i%2 == 0, APIVersion: 1,
			Params: []byte(`{"flavourId":"a","extVirtualLinks":[],"additionalParams":{"a":9007199254740993,"b":"ab","site":[true,"a"]}}`),
		}
		switch i % 4 {
		case 1:
			o.Params = fmt.Appendf(nil, `{"vimConnectionInfo":[{"id":%q,"vimType":%q},{"id":"b","extra":{"a":1.00000000000000000001}}],"extVirtualLinks":[
				{"id":"a","extCps":[{"cpdId":"a","cpConfig":[{"cpInstanceId":"a","linkPortId":%q},{"linkPortId":"b"}]}]}]}`, d.of("a", "b", "1"), d.of("a", "b"), d.of("a", "b"))
		case 2:
			o.APIVersion = 2
			o.Params = fmt.Appendf(nil, `{"vimConnectionInfo":{"a":{"vimType":%q},%q:{"extra":{"a":0.30000000000000001}}},"extVirtualLinks":[
				{"id":"a","extCps":[{"cpdId":"a","cpConfig":{"a":{"linkPortId":%q}}}]}]}`, d.of("a", "b"), d.of("b", "1"), d.of("a", "b"))
		}
		require.NoError(t, b.store.BeginOperation(t.Context(), o))
		if i%3 == 0 {
			require.NoError(t, b.store.RecordOperation(t.Context(), lcm.OperationRecord{
				OpOccID: o.ID, Sequence: 1, State: lcm.RolledBack, IsCancelPending: i%2 == 0,
				Error:           lcm.Errorf(lcm.KindBroken, "a"),
				ResourceChanges: &lcm.ResourceChanges{AffectedVnfcs: []lcm.AffectedVnfc{{ID: "a", VduID: d.of("a", "b")}}},
			}))
		}
	}
	all, err := b.store.OperationPage(t.Context(), store.Page{})
	require.NoError(t, err)
	const configs = "operationParams/extVirtualLinks/extCps/cpConfig/"
	paths := []string{
		"operationState", "operation", "startTime", "stateEnteredTime", "grantId", "isAutomaticInvocation", "isCancelPending",
		"cancelMode",
		"error/title", "error/status", "resourceChanges/affectedVnfcs/vduId", "operationParams/flavourId",
		"operationParams/additionalParams/*", "operationParams/*",
		"operationParams/vimConnectionInfo/*", "operationParams/vimConnectionInfo/vimType",
		"operationParams/vimConnectionInfo/id", "operationParams/vimConnectionInfo/a/vimType",
		"operationParams/vimConnectionInfo/extra/a", "operationParams/vimConnectionInfo/b/extra/a",
		"operationParams/vimConnectionInfo/1/extra/*", "operationParams/extVirtualLinks/*",
		configs + "*", configs + "linkPortId", configs + "cpInstanceId", configs + "a/linkPortId", configs + "1/linkPortId",
		"_links/self/href", "_links/grant/href", "changedInfo/*", "unknown/*",
	}
	docs := map[int]map[string]map[string]any{1: b.shown(1, "vnf_lcm_op_occs"), 2: b.shown(2, "vnf_lcm_op_occs")}
	for range 1500 {
		e := d.expression(paths)
		if strings.HasSuffix(e.Path[0], "Time") && d.IntN(2) == 0 {
			e.Values = []string{d.of("20", "Z", "-", "2", "2030-01-02", ".5")}
		} else if strings.HasSuffix(e.Path[0], "Time") {
			at := all[d.IntN(len(all))].StartTime.Add([]time.Duration{
				0, 100 * time.Nanosecond, time.Microsecond,
				-time.Hour,
			}[d.IntN(4)])
			e.Values = []string{at.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano)}
		}
		f := query.Filter{e}
		rows, err := b.store.OperationPage(t.Context(), store.Page{Filter: f})
		require.NoError(t, err, "%s", f)
		for version, shown := range docs {
			for _, o := range all {
				doc := shown[string(o.ID)]
				if f.Matches(doc) && !slices.ContainsFunc(rows, func(r lcm.VnfLcmOpOcc) bool { return r.ID == o.ID }) {
					t.Fatalf("%s matches in v%d, but SQL leaves it out: %v", f, version, doc)
				}
			}
		}
	}
}

// shown returns a whole list of /vnflcm as a version shows it, by the ids of its items. It does not check the answers
// against the definitions, because the tests' made-up data may violate the standard.
func (b *bench) shown(version int, list string) map[string]map[string]any {
	b.Helper()
	var items []map[string]any
	answer := b.ask(b, http.MethodGet, fmt.Sprintf("/vnflcm/v%d/%s?all_fields", version, list), nil, http.StatusOK)
	require.NoError(b, json.Unmarshal(answer.Body.Bytes(), &items))
	docs := map[string]map[string]any{}
	for _, doc := range items {
		docs[doc["id"].(string)] = doc
	}
	return docs
}

// thousands inserts n instances into the database. Most of them are instantiated and have what a cluster has.
func (b *bench) thousands(n int, change ...func(i int, inst *lcm.VnfInstance)) (vnfdID string) {
	b.Helper()
	path, vnfdID := b.onboard()
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
	conn, err := pgx.Connect(b.Context(), b.databaseURL)
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
	b := newBench(t, func(o *Options) { o.API.PageSize = 100 })
	b.thousands(10_000)
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
			require.Len(t, b.do("GET", "/vnflcm/v2/vnf_instances?filter="+url.QueryEscape(filter), nil).list(), want, filter)
			best = min(best, time.Since(start))
		}
		t.Logf("%s: %s", filter, best)
		require.Less(t, best, 15*time.Second, filter)
	}
}

func TestLists_readOnlyWhatIsSeen(t *testing.T) {
	b := newBench(t)
	b.running("/vnflcm/v2")
	excluded := []string{"vimConnectionInfo", "instantiatedVnfInfo", "metadata", "vnfConfigurableProperties", "extensions"}
	shown := b.do("GET", "/vnflcm/v2/vnf_instances", nil).list()[0]
	for _, name := range excluded {
		require.NotContains(t, shown, name, "the list leaves out what is left out here")
	}
	vnfcs := func(query string) int {
		var rows []lcm.VnfInstance
		read := rest.Listing[lcm.VnfInstance]{
			Rules: rest.ListRules{Excluded: excluded},
			Page: func(ctx context.Context, p store.Page) (page []lcm.VnfInstance, err error) {
				rows, err = b.store.InstancePage(ctx, p)
				return rows, err
			},
			View: func(lcm.VnfInstance) (any, error) { return struct{}{}, nil },
			ID:   func(i lcm.VnfInstance) string { return string(i.ID) },
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, nil)
		require.NoError(t, rest.ServeList(echo.New().NewContext(r, httptest.NewRecorder()), b.server.backend, read))
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
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	b.do("PATCH", instance, `{"metadata":{"site":"north"}}`).want(http.StatusAccepted)
	requireSame := func(list, query string) {
		all := b.do("GET", list+"?all_fields", nil).list()[0]
		items := b.do("GET", list+"?"+query, nil).list()
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
	links := b.do("GET", "/vnflcm/v2/vnf_instances", nil).list()[0]["_links"]
	require.Contains(t, links, "scale")
	require.Contains(t, links, "heal")
}

func TestSelectors_keepTheirCombinations(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	b.create("/vnflcm/v2", vnfdID)
	mandatory := []string{
		"id", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion", "vnfdVersion", "vnfPkgId",
		"instantiationState", "_links",
	}
	keys := func(query string) []string {
		item := b.do("GET", "/vnflcm/v2/vnf_instances?"+query, nil).list()[0]
		return slices.DeleteFunc(slices.Sorted(maps.Keys(item)),
			func(k string) bool { return slices.Contains(mandatory, k) })
	}
	require.Equal(t, []string{"vnfInstanceName"}, keys("exclude_default"))
	require.Equal(t, []string{"vnfInstanceName"}, keys("fields=vnfInstanceName"))
	require.Empty(t, keys("fields=metadata"))
	require.Empty(t, keys("exclude_fields=vnfInstanceName,id"))
	require.Equal(t, []string{"vnfInstanceName"}, keys("all_fields"))
}
