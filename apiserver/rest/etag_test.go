package rest_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestIfMatch_keepsChangesToWhatSomebodyElseHasChanged(t *testing.T) {
	b := servertest.New(t)
	pkg, vnfdID := b.Onboard()
	vim := "/v1.0/vims/" + b.RegisterVim("lab", false)
	instance := b.Create("/vnflcm/v2", vnfdID)
	policy := "/windlass/v1" + instance[len("/vnflcm/v2"):] + "/drift_policy"
	snapshot := b.Do("POST", servertest.SnapshotsPath, `{}`).Path()
	for _, c := range []struct {
		method, path, resource string
		body                   any
		change                 func()
		ok                     int
	}{
		{"PATCH", pkg, pkg, map[string]any{"userDefinedData": map[string]any{"a": "b"}}, nil, 200},
		{"PUT", vim, vim, map[string]any{"vim": map[string]any{"description": "mine"}}, nil, 200},
		{"PUT", policy, policy, map[string]any{"check": true}, nil, 200},
		{"PATCH", snapshot, snapshot, map[string]any{"vnfSnapshotPkgId": "p"}, nil, 200},
		{"DELETE", snapshot, snapshot, nil, nil, 204},
		{"DELETE", instance, instance, nil, nil, 204},
		{"PATCH", pkg, pkg, map[string]any{"operationalState": "DISABLED"}, nil, 200},
		{"DELETE", pkg, pkg, nil, nil, 204},
		{"DELETE", vim, vim, nil, nil, 204},
	} {
		old := b.Tag(c.resource)
		stale := b.Do(c.method, c.path, c.body, `If-Match: "stale", W/`+old)
		require.Contains(t, stale.ProblemOrTacker(http.StatusPreconditionFailed), old, "%s %s", c.method, c.path)
		require.Equal(t, old, stale.Header.Get("ETag"))
		require.Equal(t, old, b.Tag(c.resource), "nothing was changed")
		require.Equal(t, c.ok, b.Do(c.method, c.path, c.body, `If-Match: "stale", `+old).Status, "%s %s", c.method, c.path)
		if c.method != "DELETE" {
			require.NotEqual(t, old, b.Tag(c.resource), "%s %s", c.method, c.path)
		}
	}
}

func TestETag_isOnWhatWasMadeOrChanged(t *testing.T) {
	b := servertest.New(t)
	made := b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "north", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{"username": "nfv", "password": servertest.Marker},
	}})
	vim := "/v1.0/vims/" + made.Want(http.StatusCreated)["vim"].(map[string]any)["id"].(string)
	require.Equal(t, b.Tag(vim), made.Header.Get("ETag"))
	changed := b.Do("PUT", vim, map[string]any{"vim": map[string]any{"description": "moved"}},
		"If-Match: "+made.Header.Get("ETag"))
	require.NotNil(t, changed.Want(http.StatusOK)["vim"].(map[string]any)["updated_at"])
	require.Equal(t, b.Tag(vim), changed.Header.Get("ETag"), "the next change needs no other read")
	b.Do("PUT", vim, map[string]any{"vim": map[string]any{"description": "again"}},
		"If-Match: "+changed.Header.Get("ETag")).Want(http.StatusOK)
}

// TestIfMatch_holdsUntilTheChangeIsMade changes the resource between the check of the tag and the change itself. The
// server must detect this, too.
func TestIfMatch_holdsUntilTheChangeIsMade(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	inst := b.Instance(b.Create("/vnflcm/v2", vnfdID))
	vim, err := b.Store.Vim(t.Context(), lcm.VimID(b.RegisterVim("lab", false)))
	require.NoError(t, err)
	pkg, err := b.Store.Package(t.Context(), inst.VnfPkgID)
	require.NoError(t, err)
	snapshot := b.Snapshot(servertest.LastPart(b.Do("POST", servertest.SnapshotsPath, `{}`).Path()))
	for what, late := range map[string]error{
		"snapshot": b.Store.DeleteSnapshot(t.Context(), snapshot.ID, snapshot.Version-1),
		"instance": b.Store.DeleteInstance(t.Context(), inst.ID, inst.Version-1),
		"package":  b.Store.DeletePackage(t.Context(), pkg.ID, pkg.Version-1),
		"VIM":      b.Store.DeleteVim(t.Context(), vim.ID, vim.Updated.Add(-time.Microsecond)),
	} {
		require.True(t, lcm.Is(late, lcm.KindConflict), "%s: %v", what, late)
		require.ErrorContains(t, late, "changed meanwhile")
	}
	refusal := lcm.Errorf(lcm.KindConflict, "It was changed meanwhile.")
	for header, status := range map[string]int{
		"": http.StatusConflict, "*": http.StatusConflict,
		`"old"`: http.StatusPreconditionFailed, `"new"`: http.StatusConflict,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodDelete, "/", nil)
		r.Header.Set("If-Match", header)
		c := echo.New().NewContext(r, w)
		err := rest.OrChanged(c, "thing", refusal, func() (string, error) { return `"new"`, nil })
		require.Equal(t, status, rest.ProblemOf(err, "").Status, header)
		gone := rest.OrChanged(
			c,
			"thing",
			refusal,
			func() (string, error) { return "", lcm.Errorf(lcm.KindNotFound, "Gone.") },
		)
		require.Equal(t, lcm.Is(gone, lcm.KindNotFound), header == `"old"` || header == `"new"`, header)
	}
	require.NoError(t, b.Store.DeleteInstance(t.Context(), inst.ID, inst.Version))
	require.NoError(t, b.Store.DeleteVim(t.Context(), vim.ID, vim.Updated))
	require.NoError(t, b.Store.DeletePackage(t.Context(), pkg.ID, pkg.Version))
}

func TestIfMatch_ofAnUpload(t *testing.T) {
	b := servertest.New(t)
	created := b.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	created.Want(http.StatusCreated)
	require.Equal(t, created.Header.Get("ETag"), b.Tag(created.Path()))
	csar, err := servertest.SamplePackage()
	require.NoError(t, err)
	content := created.Path() + "/package_content"
	b.Do("PUT", content, bytes.NewReader(csar), "Content-Type: application/zip",
		`If-Match: "0"`).Problem(http.StatusPreconditionFailed)
	b.Do("PUT", content, bytes.NewReader(csar), "Content-Type: application/zip", "If-Match: *").Want(http.StatusAccepted)
}

func TestETag_ofAnOperationChangesWithIt(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	op := b.Do("POST", instance+"/instantiate", request).Path()
	seen := map[string]bool{}
	for _, state := range []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.FailedTemp} {
		if state != lcm.Starting {
			b.Enter(op, state)
		}
		seen[b.Tag(op)] = true
	}
	require.Len(t, seen, 3)
}

func TestIfNoneMatch_sendsAnUnchangedResourceOnlyOnce(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	v2 := b.Create("/vnflcm/v2", vnfdID)
	for _, path := range []string{v2, "/vnflcm/v1" + v2[len("/vnflcm/v2"):], b.Do("POST", servertest.SnapshotsPath, `{}`).Path()} {
		tag := b.Tag(path)
		for _, fits := range []string{tag, `"0", W/` + tag, "*"} {
			a := b.Do("GET", path, nil, "If-None-Match: "+fits)
			require.Equal(t, http.StatusNotModified, a.Status, fits)
			require.Equal(t, tag, a.Header.Get("ETag"))
			require.Empty(t, a.Body)
		}
		b.Do("GET", path, nil, `If-None-Match: "0"`).Want(http.StatusOK)
	}
	tag := b.Tag(v2)
	b.Change(v2, func(inst *lcm.VnfInstance) { inst.Name = "another" })
	require.Equal(t, "another", b.Do("GET", v2, nil, "If-None-Match: "+tag).Want(http.StatusOK)["vnfInstanceName"])
}
