package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPI_thatDoesNotAnswerIsTold(t *testing.T) {
	told := make(chan string, 1)
	var base string
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		assert.Equal(t, "The API at "+base+" has not answered for 1ms. Ctrl-C ends the wait.\n", <-told)
	}))
	defer server.Close()
	base = server.URL
	client := &apiClient{base: base, http: server.Client(), slowAfter: time.Millisecond}
	client.slow = func(format string, args ...any) { told <- fmt.Sprintf(format, args...) }
	_, err := client.exchange(t.Context(), http.MethodGet, vimsPath, nil, nil)
	require.NoError(t, err)
}

// TestPackageCreate_deletesWhatIsInterrupted checks, among other things, that the message does not say that something
// continues.
func TestPackageCreate_deletesWhatIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	api := resources()
	api.answers["POST /vnfpkgm/v1/vnf_packages"] = ok(201, pkg)
	api.answers["POST /vnfpkgm/v1/vnf_packages/52a2f1f4/package_content/upload_from_uri"] = accepted("")
	api.answers["GET /vnfpkgm/v1/vnf_packages/52a2f1f4"] = func(w http.ResponseWriter, _ *http.Request) {
		interrupt()
		fmt.Fprint(w, `{"id":"52a2f1f4","onboardingState":"PROCESSING"}`)
	}
	server := httptest.NewServer(api)
	defer server.Close()
	var out, errs bytes.Buffer
	con := &console{
		in: strings.NewReader(""), out: &out, err: &errs, size: func() (int, int) { return 0, 0 }, now: time.Now,
		slowAfter: time.Minute,
	}
	code := run(ctx, []string{"package", "create", "--uri", "https://repo.example/k8s-ha.zip", "--api", server.URL}, con)
	assert.Equal(t, 1, code)
	assert.Contains(t, errs.String(), "windlass: Interrupted; the command has deleted the package again.\n")
	assert.Equal(t, "/vnfpkgm/v1/vnf_packages/52a2f1f4", api.last("DELETE").path)
}

// TestHelp_createsAnInstanceOfTheSample checks that the example of 'windlass --help' works with the package that it
// names.
func TestHelp_createsAnInstanceOfTheSample(t *testing.T) {
	help := command(t, "", "--help").out
	require.Contains(t, help, "windlass package create vnfpkg/samples/k8s-ha ")
	require.Contains(t, help, `windlass vnf create "Kubernetes cluster" `)
	vnfd, err := os.ReadFile("../../vnfpkg/samples/k8s-ha/Definitions/k8s_ha_top.vnfd.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(vnfd), "product_name: Kubernetes cluster\n")
}
