package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// problemsOf makes a plan of an instantiation, and returns the problems that the VIM reports.
func (b *bed) problemsOf(t *testing.T, vnf string, request map[string]any) string {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/windlass/v1/vnf_instances/"+vnf+"/plan",
		map[string]any{"operation": "INSTANTIATE", "request": request, "askVim": true})
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var plan struct {
		Vim struct {
			Problems []string `json:"problems"`
		} `json:"vim"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &plan), "%s", a.Body)
	return strings.Join(plan.Vim.Problems, "\n")
}

// requireAffected waits until the subscriber has a notification of a completed operation with so many affected VNFCs.
func (s *subscriber) requireAffected(t *testing.T, op string, count int) {
	t.Helper()
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, n := range s.heard {
			vnfcs, _ := n["affectedVnfcs"].([]any)
			if n["vnfLcmOpOccId"] == filepath.Base(op) && n["operationState"] == "COMPLETED" && len(vnfcs) == count {
				return true
			}
		}
		return false
	}, time.Minute, 50*time.Millisecond, "no notification tells of %d VNFCs", count)
}
