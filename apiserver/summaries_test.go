package apiserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestSummaries_arePagesWithATotal(t *testing.T) {
	b := newBench(t)
	opOcc := b.began()
	vnfdID := b.do("GET", "/vnfpkgm/v1/vnf_packages", nil).list()[0]["vnfdId"]
	for i := range 6 {
		b.do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": fmt.Sprintf("ring-%d", i)}).
			want(http.StatusCreated)
	}
	const list = "/windlass/v1/vnf_instances"
	first := b.do("GET", list+"?search=RING&limit=4", nil)
	require.Len(t, first.list(), 4)
	require.Equal(t, "6", first.Header.Get("X-Total-Count"))
	_, next, _ := strings.Cut(first.Header.Get("Link"), "<"+endpoint)
	next, _, _ = strings.Cut(next, ">")
	second := b.do("GET", next, nil)
	require.Len(t, second.list(), 2)
	require.Empty(t, second.Header.Get("Link"))
	require.Equal(t, "ring-4", second.list()[0]["vnfInstanceName"])

	id := string(b.operation(opOcc).VnfInstanceID)
	mine := b.do("GET", list+"?search="+id, nil).list()
	require.Len(t, mine, 1)
	require.Equal(t, "PROCESSING", mine[0]["lastOperation"].(map[string]any)["operationState"])

	const ops = "/windlass/v1/vnf_lcm_op_occs"
	for _, query := range []string{"", "?open=true", "?operationState=PROCESSING", "?vnfInstanceId=" + id} {
		require.Len(t, b.do("GET", ops+query, nil).list(), 1, query)
	}
	require.Empty(t, b.do("GET", ops+"?operationState=FAILED", nil).list())
	b.do("POST", "/vnflcm/v2/vnf_instances", map[string]any{
		"vnfdId": vnfdID, "vnfInstanceName": "far", "metadata": map[string]any{"site": "far north", "tier": 1},
	}).want(http.StatusCreated)
	require.Len(t, b.do("GET", list+"?metadata=site%3Dfar+north&metadata=tier%3D1", nil).list(), 1)
	require.Empty(t, b.do("GET", list+"?metadata=site=far+north&metadata=tier=2", nil).list())
	require.Contains(t, b.do("GET", list+"?metadata=north", nil).problem(http.StatusBadRequest), "must be KEY=VALUE")
	order := b.do("GET", "/windlass/v1/vnf_instances?sort=-age", nil).problem(http.StatusBadRequest)
	require.Contains(t, order, "must be one of [name product state lastOperation drift]")
	order = b.do("GET", ops+"?sort=age", nil).problem(http.StatusBadRequest)
	require.Contains(t, order, "must be one of [startTime operation operationState vnfInstanceName]")
	require.Len(t, b.do("GET", ops+"?sort=-vnfInstanceName", nil).list(), 1)
	detail := b.do("GET", ops+"?limit=0&operationState=BUSY&offset=-1&open=maybe&nonsense=1", nil).problem(http.StatusBadRequest)
	for _, part := range []string{"limit", "operationState", "offset", "open", "nonsense"} {
		require.Contains(t, detail, part)
	}
}

// TestSummaries_markSlowSteps has a step that began two hours ago, which nobody has timed before, and then three times.
func TestSummaries_markSlowSteps(t *testing.T) {
	b := newBench(t)
	opOcc := b.began()
	id, began := b.operation(opOcc).ID, time.Now().Add(-2*time.Hour).UTC().Truncate(time.Millisecond)
	require.NoError(t, b.store.RecordPlan(t.Context(), id, []lcm.Step{{Index: 2, ID: "wait", Title: "Wait"}}))
	require.NoError(t, b.store.RecordStep(t.Context(), lcm.Step{OpOccID: id, Index: 2, State: lcm.StepRunning, Started: began}))
	slow := func() map[string]any {
		ops := b.do("GET", "/windlass/v1/vnf_lcm_op_occs", nil).list()
		instances := b.do("GET", "/windlass/v1/vnf_instances?attention=true", nil).list()
		require.Len(t, ops, 1)
		require.Len(t, instances, 1)
		require.Equal(t, ops[0]["slow"], instances[0]["lastOperation"].(map[string]any)["slow"])
		return ops[0]["slow"].(map[string]any)
	}
	require.Equal(t, map[string]any{"since": began.Format("2006-01-02T15:04:05.999Z")}, slow())
	db, err := pgx.Connect(t.Context(), b.databaseURL)
	require.NoError(t, err)
	defer func() { _ = db.Close(t.Context()) }()
	_, err = db.Exec(t.Context(),
		`insert into step_time values ('INSTANTIATE', 'wait', 'FORWARD', 'of-another', '{40.25, 41, 42}')`)
	require.NoError(t, err)
	require.InDelta(t, 41, slow()["usualSeconds"], 0.001)
	steps := b.do("GET", strings.Replace(opOcc, "/vnflcm/", "/windlass/", 1)+"/steps", nil).list()
	last := steps[len(steps)-1]
	require.InDelta(t, 41, last["usualSeconds"], 0.001)
	require.Equal(t, true, last["slow"])
}

// TestSummaries_knowChecksThatHaveFoundNothing checks that the list distinguishes a check without findings from no
// check.
func TestSummaries_knowChecksThatHaveFoundNothing(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	id := lcm.VnfInstanceID(strings.TrimPrefix(b.create("/vnflcm/v1", vnfdID), "/vnflcm/v1/vnf_instances/"))
	_, err := b.store.RecordDrift(t.Context(), id, lcm.DriftReport{ID: "run", CheckedAt: time.Now()}, nil)
	require.NoError(t, err)
	list := b.do("GET", "/windlass/v1/vnf_instances", nil).list()
	require.Equal(t, 0.0, list[0]["drift"].(map[string]any)["findings"], "the report has null for none")
	require.Empty(t, b.do("GET", "/windlass/v1/vnf_instances?attention=true", nil).list())
}

func TestSummaries_areFastWithManyInstances(t *testing.T) {
	b := newBench(t)
	b.began()
	db, err := pgx.Connect(t.Context(), b.databaseURL)
	require.NoError(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), `
		insert into vnf_instance (id, name, description, vnfd_id, vnf_pkg_id, provider, product_name, software_version,
			vnfd_version, instantiation_state, metadata, extensions, configurable_properties, vim_connections, instantiated, project_id)
		select gen_random_uuid()::text, 'many-' || n, description, vnfd_id, vnf_pkg_id, provider, product_name,
			software_version, vnfd_version, instantiation_state, metadata, extensions, configurable_properties,
			vim_connections, instantiated, project_id
		from vnf_instance, generate_series(1, 10000) n`)
	require.NoError(t, err)
	for _, query := range []string{"", "?offset=9950", "?search=many-77", "?attention=true"} {
		begun := time.Now()
		b.do("GET", "/windlass/v1/vnf_instances"+query, nil).list()
		require.Less(t, time.Since(begun), 5*time.Second, "%s: some hundredths of a second on a quiet machine", query)
		t.Logf("%q took %s", query, time.Since(begun))
	}
}

func TestTopology_tellsRolesAndHealth(t *testing.T) {
	b := newBench(t)
	id := b.operation(b.began()).VnfInstanceID
	path := "/windlass/v1/vnf_instances/" + string(id) + "/topology"
	require.Empty(t, b.do("GET", path, nil).want(http.StatusOK)["parts"])

	inst, err := b.store.Instance(t.Context(), id)
	require.NoError(t, err)
	server := func(vdu, id string) lcm.VnfcResourceInfo {
		return lcm.VnfcResourceInfo{ID: id, VduID: vdu, ComputeResource: lcm.ResourceHandle{
			ResourceID: id, VimLevelResourceType: "OS::Nova::Server",
		}}
	}
	balancer := server("lb", "44444444-x")
	balancer.CpInfo = []lcm.VnfcCpInfo{{CpdID: "lb_CP"}}
	object := server("web", "web-0")
	object.ComputeResource.VimConnectionID, object.ComputeResource.VimLevelResourceType = "k8s", "Pod"
	inst.VimConnections = append(inst.VimConnections, lcm.VimConnectionInfo{ID: "k8s", VimType: "kubernetes"})
	inst.InstantiationState = lcm.Instantiated
	inst.ConfigurableProperties = map[string]any{lcm.RegistriesKey: []any{map[string]any{
		"server": "registry.example:5000", "connection_type": "2", "password": marker,
	}}}
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "ha", VnfState: lcm.VnfStarted,
		VnfcResources: []lcm.VnfcResourceInfo{object, server("worker", "33333333-x"), server("cp", "22222222-x"), balancer},
		Nodes: lcm.Nodes{
			{Name: "cp-22222222", Role: lcm.ControlPlane, ServerID: "22222222-x", Address: "10.0.0.1"},
			{Name: "worker-33333333", Role: lcm.Worker, ServerID: "33333333-x", Address: "10.0.0.2"},
		},
		AdditionalParams: json.RawMessage(`{"k8s_cluster_installation_param":{"external_lb_param":{"ssh_cp_name":"lb_CP"}}}`),
		Stopped:          []lcm.StoppedVnfc{{VnfcID: "web-0"}},
	}
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	_, err = b.store.RecordDrift(t.Context(), id, lcm.DriftReport{
		ID: "1", CheckedAt: time.Now(), VirtualIPHolder: "cp-22222222",
		Findings: []lcm.DriftFinding{
			{Kind: lcm.DriftNodeNotReady, VnfcInstanceID: "33333333-x", Detail: "It is not Ready.", Remedy: lcm.RemedyVnfc},
			{Kind: lcm.DriftVirtualIPMissing, Detail: "Nobody has it.", Remedy: lcm.RemedyNone},
		},
	}, nil)
	require.NoError(t, err)

	doc := b.do("GET", path, nil).want(http.StatusOK)
	var shown []string
	for _, p := range doc["parts"].([]any) {
		part := p.(map[string]any)
		shown = append(shown, fmt.Sprintf("%s %s %s %t", part["role"], part["name"], part["health"], part["holdsVirtualIp"] == true))
	}
	require.Equal(t, []string{
		"load-balancer lb-44444444 OK false", "control-plane cp-22222222 OK true",
		"worker worker-33333333 DRIFTED false", "object web-0 STOPPED false",
	}, shown)
	require.Len(t, doc["findings"], 1)
	require.Equal(t, []any{map[string]any{"server": "registry.example:5000", "connectionType": "2"}}, doc["registries"])
}

func TestTopology_hasTheLoadBalancerOfTheCloud(t *testing.T) {
	b := newBench(t)
	op := b.operation(b.began())
	id := op.VnfInstanceID
	inst, err := b.store.Instance(t.Context(), id)
	require.NoError(t, err)
	vim := b.registerCluster("c")
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "octavia", VnfState: lcm.VnfStarted, ClusterVimID: lcm.VimID(vim),
		AdditionalParams: json.RawMessage(`{"k8s_cluster_installation_param":{"external_lb_param":{"octavia":{},"cluster_cp_name":"vip"}}}`),
	}
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	balancer := func() map[string]any {
		doc := b.do("GET", "/windlass/v1/vnf_instances/"+string(id)+"/topology", nil).want(http.StatusOK)
		require.Len(t, doc["parts"], 1)
		require.Empty(t, doc["findings"], "it is told of the load balancer")
		return doc["parts"].([]any)[0].(map[string]any)
	}
	require.Equal(t, map[string]any{
		"vnfcInstanceId": "", "name": "vnf-" + string(id), "role": "load-balancer", "vduId": "", "resourceId": "",
		"address": "192.0.2.6", "health": "UNKNOWN",
	}, balancer())
	b.enter("/"+string(op.ID), lcm.Completed)
	require.Equal(t, "OK", balancer()["health"], "the operation has seen it work")
	for check, findings := range [][]lcm.DriftFinding{{}, {{Kind: lcm.DriftBalancerStatus, Detail: "It is in ERROR.", Remedy: lcm.RemedyNone}}} {
		_, err = b.store.RecordDrift(t.Context(), id, lcm.DriftReport{
			ID: strconv.Itoa(check), CheckedAt: time.Now(), Findings: findings,
		}, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"OK", "DRIFTED"}[check], balancer()["health"])
		shown, _ := balancer()["findings"].([]any)
		require.Len(t, shown, len(findings))
	}
}

// TestAllEvents_goOnAfterTheLastOne checks that a client that lost the stream of all operations gets the events that
// came meanwhile, of its project only.
func TestAllEvents_goOnAfterTheLastOne(t *testing.T) {
	b, e := twoProjects(t, func(o *Options) { o.Heartbeat = 20 * time.Millisecond })
	read := func(client, header string, enough func(line string) bool) (lines []string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+allEvents, nil)
		require.NoError(t, err)
		for _, h := range []string{client, header} {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			lines = append(lines, s.Text())
			if enough(s.Text()) {
				return lines
			}
		}
		t.Fatalf("the stream has ended: %s", lines)
		return nil
	}
	opOcc := e.ids["vnfLcmOpOccId"]
	failed := read(edge, "Last-Event-ID: 0", func(l string) bool { return strings.Contains(l, `"state":"FAILED_TEMP"`) })
	require.Contains(t, failed[len(failed)-1], `"vnfLcmOpOccId":"`+opOcc+`"`)
	require.Contains(t, failed[len(failed)-1], `"vnfInstanceId":"`+e.ids["vnfInstanceId"]+`"`)
	last := strings.TrimPrefix(failed[len(failed)-3], "id: ")

	b.enter("/"+opOcc, lcm.RollingBack)
	more := read(edge, "Last-Event-ID: "+last, func(l string) bool { return strings.HasPrefix(l, "data: ") })
	require.Contains(t, more[len(more)-1], `"state":"ROLLING_BACK"`, "what was seen does not come again")

	_, err := b.store.RecordDrift(t.Context(), lcm.VnfInstanceID(e.ids["vnfInstanceId"]), lcm.DriftReport{
		ID: "check-1", CheckedAt: time.Now(), Findings: []lcm.DriftFinding{{Kind: lcm.DriftServerStopped}},
	}, nil)
	require.NoError(t, err)
	more = read(edge, "Last-Event-ID: "+last, func(l string) bool { return strings.Contains(l, `"reportId":"check-1"`) })
	require.Equal(t, "event: drift", more[len(more)-2])
	require.Contains(t, more[len(more)-1], `"findings":1`)
	require.Contains(t, more[len(more)-1], `"vnfInstanceId":"`+e.ids["vnfInstanceId"]+`"`)
	require.NotContains(t, more[len(more)-1], "vnfLcmOpOccId", "it is of no operation")

	quiet := read(core, "Last-Event-ID: 0", func(l string) bool { return l == ": still there" })
	require.NotContains(t, strings.Join(quiet, "\n"), "data:", "another project sees nothing")
	b.do("GET", allEvents, nil, edge, "Last-Event-ID: nonsense").problem(http.StatusBadRequest)
	b.do("GET", allEvents, nil, as("edge", "vim:v1:readonly")).problem(http.StatusForbidden)
}
