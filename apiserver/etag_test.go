package apiserver

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tag reads the entity tag of a resource.
func (b *bench) tag(path string) string {
	b.Helper()
	a := b.do("GET", path, nil)
	a.want(http.StatusOK)
	tag := a.Header.Get("ETag")
	require.Regexp(b, `^"[^"]+"$`, tag, path)
	require.Equal(b, tag, b.do("GET", path, nil).Header.Get("ETag"), "it stays while the resource does")
	return tag
}

func TestIfMatch_keepsChangesToWhatSomebodyElseHasChanged(t *testing.T) {
	b := newBench(t)
	pkg, vnfdID := b.onboard()
	vim := "/v1.0/vims/" + b.registerVim("lab", false)
	instance := b.create("/vnflcm/v2", vnfdID)
	policy := "/windlass/v1" + instance[len("/vnflcm/v2"):] + "/drift_policy"
	for _, c := range []struct {
		method, path, resource string
		body                   any
		change                 func()
		ok                     int
	}{
		{"PATCH", pkg, pkg, map[string]any{"userDefinedData": map[string]any{"a": "b"}}, nil, 200},
		{"PUT", vim, vim, map[string]any{"vim": map[string]any{"description": "mine"}}, nil, 200},
		{"PUT", policy, policy, map[string]any{"check": true}, nil, 200},
		{"DELETE", instance, instance, nil, nil, 204},
		{"PATCH", pkg, pkg, map[string]any{"operationalState": "DISABLED"}, nil, 200},
		{"DELETE", pkg, pkg, nil, nil, 204},
		{"DELETE", vim, vim, nil, nil, 204},
	} {
		old := b.tag(c.resource)
		stale := b.do(c.method, c.path, c.body, `If-Match: "stale", W/`+old)
		require.Contains(t, stale.problemOrTacker(http.StatusPreconditionFailed), old, "%s %s", c.method, c.path)
		require.Equal(t, old, stale.Header.Get("ETag"))
		require.Equal(t, old, b.tag(c.resource), "nothing was changed")
		require.Equal(t, c.ok, b.do(c.method, c.path, c.body, `If-Match: "stale", `+old).Status, "%s %s", c.method, c.path)
		if c.method != "DELETE" {
			require.NotEqual(t, old, b.tag(c.resource), "%s %s", c.method, c.path)
		}
	}
}

func TestIfMatch_ofAnUpload(t *testing.T) {
	b := newBench(t)
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	created.want(http.StatusCreated)
	require.Equal(t, created.Header.Get("ETag"), b.tag(created.path()))
	csar, err := samplePackage()
	require.NoError(t, err)
	content := created.path() + "/package_content"
	b.do("PUT", content, bytes.NewReader(csar), "Content-Type: application/zip", `If-Match: "0"`).problem(http.StatusPreconditionFailed)
	b.do("PUT", content, bytes.NewReader(csar), "Content-Type: application/zip", "If-Match: *").want(http.StatusAccepted)
}

func TestETag_ofAnOperationChangesWithIt(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	op := b.do("POST", instance+"/instantiate", request).path()
	seen := map[string]bool{}
	for _, state := range []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp} {
		if state != lcm.Starting {
			b.enter(op, state)
		}
		seen[b.tag(op)] = true
	}
	require.Len(t, seen, 3)
}
