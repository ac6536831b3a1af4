// Package testbed brings up a Windlass and a cloud for a group of tests, and drives it over its API as an NFVO does.
// Its functions end the test that calls them when something is not as it must be.
package testbed

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/environment"
)

// NodePassword is what the requests of these tests carry; a test looks for it in all that Windlass keeps.
const NodePassword = "Pa55-of-the-nodes-9f2c"

// Bed is a cloud and a Windlass for one group of tests.
type Bed struct {
	*environment.Environment
	// URL is the root of Windlass's API.
	URL string
	// Vim is the id of the registered cloud.
	Vim string

	promises promises
}

// New brings up a lab with that kind of machines and on-boards the sample package.
func New(t testing.TB, machines string, labArgs ...string) *Bed {
	t.Helper()
	return NewIn(t, &environment.Lab{Machines: machines, Listen: "127.0.0.1:0", Args: labArgs})
}

// NewIn brings up a cloud and on-boards the sample package. All is ended, and removed unless the test failed, with the
// test.
func NewIn(t testing.TB, cloud environment.Cloud) *Bed {
	t.Helper()
	return NewWith(t, cloud, nil)
}

// NewWith is NewIn; extra goes into the registration of the cloud, such as call_timeout.
func NewWith(t testing.TB, cloud environment.Cloud, extra map[string]any) *Bed {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	t.Setenv("WINDLASS_LAB_IMAGE_PASSWORD", NodePassword) // as images for Tacker have one
	t.Setenv("WINDLASS_KUBERNETES_POD_NETWORK", filepath.Join(root, "vnfpkg/samples/k8s-ha/Files/kubernetes/labnet.yaml"))
	dir, err := os.MkdirTemp("/var/tmp", "windlass-bed-") // PostgreSQL's account must be able to enter
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 45*time.Minute)
	defer cancel()
	env, err := environment.Start(ctx, environment.Options{
		Dir: dir, Cloud: cloud, API: "127.0.0.1:0", Temporal: "127.0.0.1:0", UI: "127.0.0.1:0", Out: io.Discard,
		Seeded: true,
	})
	t.Cleanup(func() {
		if env != nil {
			require.NoError(t, env.Stop(context.Background()))
		}
		if t.Failed() {
			t.Logf("State and logs are kept in %s.", dir)
			return
		}
		require.NoError(t, os.RemoveAll(dir))
	})
	require.NoError(t, err)
	info, err := env.Info()
	require.NoError(t, err)
	b := &Bed{Environment: env, URL: info.API}
	b.Vim = b.register(t, extra)
	b.onboard(t)
	return b
}

func (b *Bed) register(t testing.TB, extra map[string]any) string {
	t.Helper()
	body := b.Cloud.Login().Vim("cloud")
	maps.Copy(body["vim"].(map[string]any)["extra"].(map[string]any), extra)
	a := b.Call(t, http.MethodPost, "/v1.0/vims", body)
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		Vim struct {
			ID string `json:"id"`
		} `json:"vim"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.Vim.ID
}

func (b *Bed) onboard(t testing.TB) {
	t.Helper()
	out, err := b.Windlass(t.Context(), "package", "create", "vnfpkg/samples/k8s-ha").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// VnfdID is the sample package's.
const VnfdID = "ee1f8f34-7c92-4023-840d-6f3b6885d92e"

// Restart stops all of Windlass and starts it with the environment as it is now. It listens elsewhere then.
func (b *Bed) Restart(t testing.TB) {
	t.Helper()
	require.NoError(t, b.StopDev())
	require.NoError(t, b.StartDev(t.Context()))
	info, err := b.Info()
	require.NoError(t, err)
	b.URL = info.API
}

// KillWorker ends the worker without warning; windlass dev starts another.
func (b *Bed) KillWorker(t testing.TB) {
	t.Helper()
	b.Kill(t, "worker")
}

// Kill ends a process without warning; windlass dev starts another.
func (b *Bed) Kill(t testing.TB, process string) {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	pid := info.Processes[process]
	require.NotZero(t, pid)
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Kill())
}

// Psql runs a program of PostgreSQL's on Windlass's database and returns what it prints.
func (b *Bed) Psql(t testing.TB, program string, args ...string) string {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), program, append(args, info.DatabaseURL)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// AwaitAPI waits until the API server is ready.
func (b *Bed) AwaitAPI(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL+"/readyz", nil)
		if err != nil {
			return false
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, time.Minute, 50*time.Millisecond, "the API server is not back")
}
