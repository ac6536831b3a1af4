package main

import (
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completed returns the proposals that the shell gets for a line with an incomplete last word.
func completed(t *testing.T, api string, words ...string) []string {
	t.Helper()
	args := append([]string{"__complete", words[0], words[1], "--api", api}, words[2:]...)
	got := command(t, "", args...)
	require.Zero(t, got.code, got.err)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	return lines[:len(lines)-1] // the last line is a directive for the shell
}

func TestCompletion_offersIDsAndNames(t *testing.T) {
	t.Setenv("WINDLASS_PROFILES", filepath.Join(t.TempDir(), "none"))
	api := resources()
	server := httptest.NewServer(api)
	defer server.Close()
	nodes := []string{"cp-1\tcontrol-plane", "a\tcp-1", "worker-2\tworker", "b\tworker-2"}
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"vnf", "show", ""}, []string{"edge-1\tINSTANTIATED", vnfID + "\tedge-1 INSTANTIATED"}},
		{[]string{"vnf", "show", "edge-"}, []string{"edge-1\tINSTANTIATED"}},
		{[]string{"vnf", "show", "1f"}, []string{vnfID + "\tedge-1 INSTANTIATED"}},
		{[]string{"vnf", "show", "zz"}, []string{}},
		{[]string{"vnf", "show", vnfID, ""}, []string{}},
		{[]string{"vnf", "delete", vnfID, ""}, []string{}}, // the argument is complete already
		{[]string{"vnf", "create", ""}, []string{"k8s-ha-1.0\tk8s-ha 1.0", "k8s-ha:1.0\tk8s-ha-1.0"}},
		{[]string{"vnf", "forget-host-key", vnfID, ""}, nodes},
		{[]string{"vnf", "heal", vnfID, "--vnfc", ""}, nodes},
		{[]string{"vnf", "heal", "edge-1", "--vnfc", "worker"}, []string{"worker-2\tworker"}},
		{[]string{"vnf", "heal", "--vnfc", ""}, []string{}},
		{[]string{"vnf", "scale", "edge-1", "--aspect", ""}, []string{"worker_instance"}},
		{[]string{"vnf", "instantiate", "edge-1", "--vim", "n"}, []string{"north\topenstack http://cloud:5000/v3"}},
		{[]string{"vnf", "scale", vnfID, "--aspect", ""}, []string{"worker_instance"}},
		{[]string{"op", "retry", ""}, []string{"edge-1\tINSTANTIATE FAILED_TEMP", opID + "\tINSTANTIATE FAILED_TEMP"}},
		{[]string{"op", "list", "--state", "FAILED"}, []string{"FAILED_TEMP", "FAILED"}},
		{[]string{"op", "grant", ""}, []string{"edge-1\tINSTANTIATED", opID + "\tINSTANTIATE FAILED_TEMP"}},
		{[]string{"op", "logs", "edge"}, []string{"edge-1\tINSTANTIATED"}},
		{[]string{"op", "retry", "edge"}, []string{"edge-1\tINSTANTIATE FAILED_TEMP"}},
		{[]string{"op", "cancel", "edge"}, []string{}}, // its operation does not run
		{[]string{"package", "upload", ""}, []string{"52a2f1f4\tk8s-ha 1.0 ONBOARDED", "k8s-ha:1.0\tk8s-ha 1.0 ONBOARDED"}},
		{[]string{"package", "show", "k8s"}, []string{"k8s-ha:1.0\tk8s-ha 1.0 ONBOARDED"}},
		{[]string{"vim", "show", ""}, []string{"north\topenstack http://cloud:5000/v3", "7d1c\tnorth"}},
		{[]string{"vim", "list", "-o", ""}, []string{"table", "wide", "name", "json", "yaml", "jsonpath=", "go-template="}},
	} {
		assert.ElementsMatch(t, c.want, completed(t, server.URL, c.words...), "%v", c.words)
	}
	completed(t, server.URL, "op", "retry", "")
	assert.Contains(t, api.last("GET").path, "FAILED_TEMP", "only those that can be retried")
}

// TestCompletion_searchesAtTheServer checks that the API looks for the beginning: it answers with a page of a thousand.
func TestCompletion_searchesAtTheServer(t *testing.T) {
	t.Setenv("WINDLASS_PROFILES", filepath.Join(t.TempDir(), "none"))
	api := resources()
	server := httptest.NewServer(api)
	defer server.Close()
	for begun, want := range map[string][]string{
		"":      {""},
		"edge-": {"?filter=(cont,vnfInstanceName,edge-)"},
		"7B9":   {"?filter=(cont,vnfInstanceName,7B9)", "?filter=(cont,id,7b9)"},
		"a,b":   {"?filter=(cont,vnfInstanceName,'a,b')"},
	} {
		api.got = nil
		completed(t, server.URL, "vnf", "show", begun)
		var asked []string
		for _, r := range api.got {
			path, err := url.QueryUnescape(r.path)
			require.NoError(t, err)
			asked = append(asked, strings.TrimPrefix(path, "/vnflcm/v1/vnf_instances"))
		}
		assert.Equal(t, want, asked, begun)
	}
	api.got = nil
	completed(t, server.URL, "op", "retry", "6f")
	path, err := url.QueryUnescape(api.last("GET").path)
	require.NoError(t, err)
	assert.Equal(t, "/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,operationState,FAILED_TEMP);(cont,id,6f)", path)
	completed(t, server.URL, "op", "retry", "edge-")
	assert.Equal(t, "/windlass/v1/vnf_lcm_op_occs?open=true&search=edge-", api.last("GET").path)
}

func TestCompletion_isQuietWithoutAnAPI(t *testing.T) {
	got := command(t, "", "__complete", "vnf", "show", "--api", "http://127.0.0.1:1", "")
	assert.Zero(t, got.code)
	assert.NotContains(t, got.out, "answer")
}
