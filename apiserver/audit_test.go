package apiserver_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

// auditOf reads the records that a client can see, the oldest first, without the members that differ between runs.
func auditOf(b *servertest.Bench, client, query string) (out []map[string]any) {
	b.Helper()
	for _, r := range b.Do("GET", "/windlass/v1/audit"+query, nil, client).List() {
		require.NotEmpty(b, r["timeStamp"])
		require.NotEmpty(b, r["requestId"])
		require.Equal(b, "127.0.0.1", r["remote"])
		out = append([]map[string]any{r}, out...)
	}
	return out
}

func TestAudit_tellsWhoDidWhatWithWhichResult(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	const path = "/vnfpkgm/v1/vnf_packages"
	edge, ops := servertest.As("edge", "windlass:write"), servertest.As("default", "windlass:admin")
	created := b.Do("POST", path, map[string]any{"userDefinedData": map[string]any{"note": "of the body"}}, edge)
	created.Want(http.StatusCreated)
	b.Do("GET", created.Path(), nil, edge).Want(http.StatusOK)
	b.Do("PATCH", created.Path(), map[string]any{"operationalState": "ENABLED"}, edge).Problem(http.StatusConflict)
	b.Do("POST", path, map[string]any{}, servertest.As("edge", "windlass:read")).Problem(http.StatusForbidden)
	b.Do("DELETE", created.Path(), nil, ops).Want(http.StatusNoContent)
	b.Do("POST", path, nil, "X-Test: bad").Problem(http.StatusUnauthorized)
	b.Do("PUT", path, nil, edge).Problem(http.StatusMethodNotAllowed)
	b.Do("POST", "/nowhere", nil, edge).Problem(http.StatusNotFound)
	vim := b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5", "auth_cred": map[string]any{"password": servertest.Marker},
	}}, servertest.As("core", "windlass:write")).Want(http.StatusCreated)["vim"].(map[string]any)

	records := auditOf(b, ops, "")
	var got [][]any
	for _, r := range records {
		got = append(got, []any{r["client"], r["projectId"], r["method"], r["path"], r["resource"], r["status"]})
	}
	require.Equal(t, [][]any{
		{"client-of-edge", "edge", "POST", path, created.Path(), 201.0},
		{"client-of-edge", "edge", "PATCH", created.Path(), nil, 409.0},
		{"client-of-edge", "edge", "POST", path, nil, 403.0},
		{"client-of-default", "edge", "DELETE", created.Path(), nil, 204.0}, // the package belonged to edge
		{"client-of-core", "core", "POST", "/v1.0/vims", "/v1.0/vims/" + vim["id"].(string), 201.0},
	}, got)
	require.NotContains(t, b.Logged.String(), "of the body")
	require.Contains(t, b.Logged.String(), `"msg":"Audit","client":"client-of-edge"`)

	require.Len(t, auditOf(b, edge, ""), 4, "a project sees its own")
	require.Len(t, auditOf(b, servertest.As("core", "windlass:read"), ""), 1)
	first := int(records[0]["id"].(float64))
	require.Len(t, auditOf(b, ops, "?limit=2"), 2)
	require.Len(t, auditOf(b, ops, "?before="+strconv.Itoa(first+3)), 3)
	require.Empty(t, auditOf(b, ops, "?before="+strconv.Itoa(first)))
	for _, bad := range []string{"limit=0", "limit=x", "before=x", "before=-1"} {
		b.Do("GET", "/windlass/v1/audit?"+bad, nil, ops).Problem(http.StatusBadRequest)
	}
}

// TestRequestsOfOperation_tellWhoAskedAndDecided also checks that a stranger, and a reader of another API, get nothing.
func TestRequestsOfOperation_tellWhoAskedAndDecided(t *testing.T) {
	b, e := servertest.TwoProjects(t)
	op := e.IDs["vnfLcmOpOccId"]
	path := "/windlass/v1/vnf_lcm_op_occs/" + op + "/requests"
	operator := servertest.As("edge", "vnflcm:v2:all")
	b.Do("POST", "/vnflcm/v2/vnf_lcm_op_occs/"+op+"/fail", nil, operator)
	b.Do("POST", "/vnflcm/v2/vnf_lcm_op_occs/"+servertest.SomeID+"/fail", nil, operator)
	var got []string
	for _, r := range b.Do("GET", path, nil, servertest.As("edge", "vnflcm:v2:readonly")).List() {
		require.NotEmpty(t, r["timeStamp"])
		require.Len(t, r, 4)
		got = append(got, fmt.Sprint(r["client"], " ", r["task"]))
	}
	require.Equal(t, []string{"client-of-edge instantiate", "client-of-edge fail"}, got)
	b.Do("GET", path, nil, servertest.As("core", "windlass:write")).Problem(http.StatusNotFound)
	b.Do("GET", path, nil, servertest.As("edge", "vim:v1:readonly")).Problem(http.StatusForbidden)
}

func TestAudit_doesNotKeepTheAnswer(t *testing.T) {
	b := servertest.New(t)
	b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).Want(http.StatusCreated)
	require.Len(t, auditOf(b, "", ""), 1, "also where nobody is asked who they are")
	b.Store.Close()
	b.Do("DELETE", "/vnfpkgm/v1/vnf_packages/"+servertest.SomeID, nil)
	require.Contains(t, b.Logged.String(), "Audit record not kept")
}

func TestAudit_forgetsOldRecords(t *testing.T) {
	b := servertest.New(t)
	b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).Want(http.StatusCreated)
	require.NoError(t, b.Store.ForgetAudit(t.Context(), time.Hour))
	require.Len(t, auditOf(b, "", ""), 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := b.Server.Options
	o.Listener, o.Audit.KeepFor = listener, time.Nanosecond
	s, err := apiserver.New(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	servertest.Soon(t, func() bool {
		records, err := b.Store.AuditRecords(t.Context(), 0, 10)
		return err == nil && len(records) == 0
	})
	cancel()
	require.NoError(t, <-done)
}
