package main

import (
	"net/http/httptest"
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
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"vnf", "show", ""}, []string{vnfID + "\tedge-1 INSTANTIATED"}},
		{[]string{"vnf", "show", "1f"}, []string{vnfID + "\tedge-1 INSTANTIATED"}},
		{[]string{"vnf", "show", "zz"}, []string{}},
		{[]string{"vnf", "show", vnfID, ""}, []string{}},
		{[]string{"vnf", "delete", vnfID, ""}, []string{}}, // the argument is complete already
		{[]string{"vnf", "create", ""}, []string{"k8s-ha-1.0\tk8s-ha 1.0"}},
		{[]string{"vnf", "forget-host-key", vnfID, ""}, []string{"a\tmasterNode"}},
		{[]string{"vnf", "heal", vnfID, "--vnfc", ""}, []string{"a\tmasterNode"}},
		{[]string{"vnf", "scale", vnfID, "--aspect", ""}, []string{"worker_instance"}},
		{[]string{"op", "retry", ""}, []string{opID + "\tINSTANTIATE FAILED_TEMP"}},
		{[]string{"op", "list", "--state", "FAILED"}, []string{"FAILED_TEMP", "FAILED"}},
		{[]string{"op", "grant", ""}, []string{opID + "\tINSTANTIATE FAILED_TEMP"}},
		{[]string{"package", "upload", ""}, []string{"52a2f1f4\tk8s-ha 1.0 ONBOARDED"}},
		{[]string{"package", "show", ""}, []string{"52a2f1f4\tk8s-ha 1.0 ONBOARDED"}},
		{[]string{"vim", "show", ""}, []string{"north\topenstack http://cloud:5000/v3", "7d1c\tnorth"}},
		{[]string{"vim", "list", "-o", ""}, []string{"table", "wide", "name", "json", "yaml", "jsonpath=", "go-template="}},
	} {
		assert.ElementsMatch(t, c.want, completed(t, server.URL, c.words...), "%v", c.words)
	}
	completed(t, server.URL, "op", "retry", "")
	assert.Contains(t, api.last("GET").path, "FAILED_TEMP", "only those that can be retried")
}

func TestCompletion_isQuietWithoutAnAPI(t *testing.T) {
	got := command(t, "", "__complete", "vnf", "show", "--api", "http://127.0.0.1:1", "")
	assert.Zero(t, got.code)
	assert.NotContains(t, got.out, "answer")
}
