package extensions_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestSummaries_arePagesWithATotal(t *testing.T) {
	b := servertest.New(t)
	opOcc := b.Began()
	vnfdID := b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil).List()[0]["vnfdId"]
	for i := range 6 {
		b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": fmt.Sprintf("ring-%d", i)}).
			Want(http.StatusCreated)
	}
	const list = "/windlass/v1/vnf_instances"
	first := b.Do("GET", list+"?search=RING&limit=4", nil)
	require.Len(t, first.List(), 4)
	require.Equal(t, "6", first.Header.Get("X-Total-Count"))
	_, next, _ := strings.Cut(first.Header.Get("Link"), "<"+servertest.Endpoint)
	next, _, _ = strings.Cut(next, ">")
	second := b.Do("GET", next, nil)
	require.Len(t, second.List(), 2)
	require.Empty(t, second.Header.Get("Link"))
	require.Equal(t, "ring-4", second.List()[0]["vnfInstanceName"])

	id := string(b.Operation(opOcc).VnfInstanceID)
	mine := b.Do("GET", list+"?search="+id, nil).List()
	require.Len(t, mine, 1)
	require.Equal(t, "PROCESSING", mine[0]["lastOperation"].(map[string]any)["operationState"])

	const ops = "/windlass/v1/vnf_lcm_op_occs"
	for _, query := range []string{"", "?open=true", "?operationState=PROCESSING", "?vnfInstanceId=" + id} {
		require.Len(t, b.Do("GET", ops+query, nil).List(), 1, query)
	}
	require.Empty(t, b.Do("GET", ops+"?operationState=FAILED", nil).List())
	b.Do("POST", "/vnflcm/v2/vnf_instances", map[string]any{
		"vnfdId": vnfdID, "vnfInstanceName": "far", "metadata": map[string]any{"site": "far north", "tier": 1},
	}).Want(http.StatusCreated)
	require.Len(t, b.Do("GET", list+"?metadata=site%3Dfar+north&metadata=tier%3D1", nil).List(), 1)
	require.Empty(t, b.Do("GET", list+"?metadata=site=far+north&metadata=tier=2", nil).List())
	require.Contains(t, b.Do("GET", list+"?metadata=north", nil).Problem(http.StatusBadRequest), "must be KEY=VALUE")
	order := b.Do("GET", "/windlass/v1/vnf_instances?sort=-age", nil).Problem(http.StatusBadRequest)
	require.Contains(t, order, "must be one of [name product state lastOperation drift]")
	order = b.Do("GET", ops+"?sort=age", nil).Problem(http.StatusBadRequest)
	require.Contains(t, order, "must be one of [startTime operation operationState vnfInstanceName]")
	require.Len(t, b.Do("GET", ops+"?sort=-vnfInstanceName", nil).List(), 1)
	detail := b.Do("GET", ops+"?limit=0&operationState=BUSY&offset=-1&open=maybe&nonsense=1", nil).
		Problem(http.StatusBadRequest)
	for _, part := range []string{"limit", "operationState", "offset", "open", "nonsense"} {
		require.Contains(t, detail, part)
	}
}

// TestSummaries_markSlowSteps has a step that began two hours ago, which nobody has timed before, and then three times.
func TestSummaries_markSlowSteps(t *testing.T) {
	b := servertest.New(t)
	opOcc := b.Began()
	id, began := b.Operation(opOcc).ID, time.Now().Add(-2*time.Hour).UTC().Truncate(time.Millisecond)
	require.NoError(t, b.Store.RecordPlan(t.Context(), id, []lcm.Step{{Index: 2, ID: "wait", Title: "Wait"}}))
	require.NoError(
		t,
		b.Store.RecordStep(t.Context(), lcm.Step{OpOccID: id, Index: 2, State: lcm.StepRunning, Started: began}),
	)
	slow := func() map[string]any {
		ops := b.Do("GET", "/windlass/v1/vnf_lcm_op_occs", nil).List()
		instances := b.Do("GET", "/windlass/v1/vnf_instances?attention=true", nil).List()
		require.Len(t, ops, 1)
		require.Len(t, instances, 1)
		require.Equal(t, ops[0]["slow"], instances[0]["lastOperation"].(map[string]any)["slow"])
		return ops[0]["slow"].(map[string]any)
	}
	require.Equal(t, map[string]any{"since": began.Format("2006-01-02T15:04:05.999Z")}, slow())
	db, err := pgx.Connect(t.Context(), b.DatabaseURL)
	require.NoError(t, err)
	defer func() { _ = db.Close(t.Context()) }()
	_, err = db.Exec(t.Context(),
		`insert into step_time values ('INSTANTIATE', 'wait', 'FORWARD', 'of-another', '{40.25, 41, 42}')`)
	require.NoError(t, err)
	require.InDelta(t, 41, slow()["usualSeconds"], 0.001)
	steps := b.Do("GET", strings.Replace(opOcc, "/vnflcm/", "/windlass/", 1)+"/steps", nil).List()
	last := steps[len(steps)-1]
	require.InDelta(t, 41, last["usualSeconds"], 0.001)
	require.Equal(t, true, last["slow"])
}

// TestSummaries_knowChecksThatHaveFoundNothing checks that the list distinguishes a check without findings from no
// check.
func TestSummaries_knowChecksThatHaveFoundNothing(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	id := lcm.VnfInstanceID(strings.TrimPrefix(b.Create("/vnflcm/v1", vnfdID), "/vnflcm/v1/vnf_instances/"))
	_, err := b.Store.RecordDrift(t.Context(), id, lcm.DriftReport{ID: "run", CheckedAt: time.Now()}, nil)
	require.NoError(t, err)
	list := b.Do("GET", "/windlass/v1/vnf_instances", nil).List()
	require.Equal(t, 0.0, list[0]["drift"].(map[string]any)["findings"], "the report has null for none")
	require.Empty(t, b.Do("GET", "/windlass/v1/vnf_instances?attention=true", nil).List())
}

func TestSummaries_areFastWithManyInstances(t *testing.T) {
	b := servertest.New(t)
	b.Began()
	db, err := pgx.Connect(t.Context(), b.DatabaseURL)
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
		b.Do("GET", "/windlass/v1/vnf_instances"+query, nil).List()
		require.Less(t, time.Since(begun), 5*time.Second, "%s: some hundredths of a second on a quiet machine", query)
		t.Logf("%q took %s", query, time.Since(begun))
	}
}
