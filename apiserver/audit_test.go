package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// auditOf reads the records that a client can see, the oldest first, without the members that differ between runs.
func (b *bench) auditOf(client, query string) (out []map[string]any) {
	b.Helper()
	for _, r := range b.do("GET", "/windlass/v1/audit"+query, nil, client).list() {
		require.NotEmpty(b, r["timeStamp"])
		require.NotEmpty(b, r["requestId"])
		require.Equal(b, "127.0.0.1", r["remote"])
		out = append([]map[string]any{r}, out...)
	}
	return out
}

func TestAudit_tellsWhoDidWhatWithWhichResult(t *testing.T) {
	b := newBench(t, withAuth)
	const path = "/vnfpkgm/v1/vnf_packages"
	edge, ops := as("edge", "windlass:write"), as("default", "windlass:admin")
	created := b.do("POST", path, map[string]any{"userDefinedData": map[string]any{"note": "of the body"}}, edge)
	created.want(http.StatusCreated)
	b.do("GET", created.path(), nil, edge).want(http.StatusOK)
	b.do("PATCH", created.path(), map[string]any{"operationalState": "ENABLED"}, edge).problem(http.StatusConflict)
	b.do("POST", path, map[string]any{}, as("edge", "windlass:read")).problem(http.StatusForbidden)
	b.do("DELETE", created.path(), nil, ops).want(http.StatusNoContent)
	b.do("POST", path, nil, "X-Test: bad").problem(http.StatusUnauthorized)
	b.do("PUT", path, nil, edge).problem(http.StatusMethodNotAllowed)
	b.do("POST", "/nowhere", nil, edge).problem(http.StatusNotFound)
	vim := b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5", "auth_cred": map[string]any{"password": marker},
	}}, as("core", "windlass:write")).want(http.StatusCreated)["vim"].(map[string]any)

	records := b.auditOf(ops, "")
	var got [][]any
	for _, r := range records {
		got = append(got, []any{r["client"], r["projectId"], r["method"], r["path"], r["resource"], r["status"]})
	}
	require.Equal(t, [][]any{
		{"client-of-edge", "edge", "POST", path, created.path(), 201.0},
		{"client-of-edge", "edge", "PATCH", created.path(), nil, 409.0},
		{"client-of-edge", "edge", "POST", path, nil, 403.0},
		{"client-of-default", "edge", "DELETE", created.path(), nil, 204.0}, // the package belonged to edge
		{"client-of-core", "core", "POST", "/v1.0/vims", "/v1.0/vims/" + vim["id"].(string), 201.0},
	}, got)
	require.NotContains(t, b.log.String(), "of the body")
	require.Contains(t, b.log.String(), `"msg":"Audit","client":"client-of-edge"`)

	require.Len(t, b.auditOf(edge, ""), 4, "a project sees its own")
	require.Len(t, b.auditOf(as("core", "windlass:read"), ""), 1)
	first := int(records[0]["id"].(float64))
	require.Len(t, b.auditOf(ops, "?limit=2"), 2)
	require.Len(t, b.auditOf(ops, "?before="+strconv.Itoa(first+3)), 3)
	require.Empty(t, b.auditOf(ops, "?before="+strconv.Itoa(first)))
	for _, bad := range []string{"limit=0", "limit=x", "before=x", "before=-1"} {
		b.do("GET", "/windlass/v1/audit?"+bad, nil, ops).problem(http.StatusBadRequest)
	}
}

// TestRequestsOfOperation_tellWhoAskedAndDecided also checks that a stranger, and a reader of another API, get nothing.
func TestRequestsOfOperation_tellWhoAskedAndDecided(t *testing.T) {
	b, e := twoProjects(t)
	op := e.ids["vnfLcmOpOccId"]
	path := "/windlass/v1/vnf_lcm_op_occs/" + op + "/requests"
	operator := as("edge", "vnflcm:v2:all")
	b.do("POST", "/vnflcm/v2/vnf_lcm_op_occs/"+op+"/fail", nil, operator)
	b.do("POST", "/vnflcm/v2/vnf_lcm_op_occs/"+someID+"/fail", nil, operator)
	var got []string
	for _, r := range b.do("GET", path, nil, as("edge", "vnflcm:v2:readonly")).list() {
		require.NotEmpty(t, r["timeStamp"])
		require.Len(t, r, 4)
		got = append(got, fmt.Sprint(r["client"], " ", r["task"]))
	}
	require.Equal(t, []string{"client-of-edge instantiate", "client-of-edge fail"}, got)
	b.do("GET", path, nil, as("core", "windlass:write")).problem(http.StatusNotFound)
	b.do("GET", path, nil, as("edge", "vim:v1:readonly")).problem(http.StatusForbidden)
}

func TestAudit_doesNotKeepTheAnswer(t *testing.T) {
	b := newBench(t)
	b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).want(http.StatusCreated)
	require.Len(t, b.auditOf("", ""), 1, "also where nobody is asked who they are")
	b.store.Close()
	b.do("DELETE", "/vnfpkgm/v1/vnf_packages/"+someID, nil)
	require.Contains(t, b.log.String(), "Audit record not kept")
}

func TestAudit_forgetsOldRecords(t *testing.T) {
	b := newBench(t)
	b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).want(http.StatusCreated)
	require.NoError(t, b.store.ForgetAudit(t.Context(), time.Hour))
	require.Len(t, b.auditOf("", ""), 1)
	s := &Server{Options: b.server.Options, log: b.server.log}
	s.Audit.KeepFor = time.Nanosecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.forgetAudit(ctx) }()
	soon(t, func() bool {
		records, err := b.store.AuditRecords(t.Context(), 0, 10)
		return err == nil && len(records) == 0
	})
	cancel()
	require.NoError(t, <-done)
}
