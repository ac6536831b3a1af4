package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAudit_showsWhoDidWhat(t *testing.T) {
	var query string
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/windlass/v1/audit", r.URL.Path)
		query = r.URL.RawQuery
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`[{"id": 812, "timeStamp": "2026-11-22T03:14:15.926535Z", "client": "oauth2 nfvo", "projectId": "edge", "method": "DELETE",
			"path": "/vnfpkgm/v1/vnf_packages/1", "status": 204, "requestId": "r", "remote": "192.0.2.17"}]`))
	})
	got := windlass(t, api, "audit", "--limit", "5", "--before", "900")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, "before=900&limit=5", query)
	assert.Equal(t, `ID   TIME                  CLIENT       PROJECT  REQUEST                            STATUS  MADE
812  2026-11-22T03:14:15Z  oauth2 nfvo  edge     DELETE /vnfpkgm/v1/vnf_packages/1  204     -
`, got.out)
	got = windlass(t, api, "audit", "--json")
	assert.Contains(t, got.out, `"remote": "192.0.2.17"`)
	got = windlass(t, api, "audit", "-o", "jsonpath={.items[*].client}")
	assert.Equal(t, "oauth2 nfvo\n", got.out, "lists are in items")
	assert.Equal(t, "audit/812\n", windlass(t, api, "audit", "-o", "name").out)
	assert.NotContains(t, windlass(t, api, "audit", "--no-headers", "--sort-by", "client").out, "CLIENT")
	assert.Equal(t, exitUsage, windlass(t, api, "audit", "x").code)
}
