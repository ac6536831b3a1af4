// Package testbed starts a Windlass and a cloud for a group of tests, and sends requests to its API as an NFVO does.
// Its functions fail the calling test at once when something is wrong.
package testbed

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// NodePassword is the password in the requests of these tests. A test searches for it in everything that Windlass
// stores.
const NodePassword = "Pa55-of-the-nodes-9f2c"

// Bed is a cloud and a Windlass for a group of tests.
type Bed struct {
	*environment.Environment
	// URL is the root of Windlass's API.
	URL string
	// Vim is the id of the registered cloud.
	Vim string

	promises promises
	// packages are those that OnboardOnce has on-boarded.
	packages sync.Map
}

const podNetwork = "WINDLASS_KUBERNETES_POD_NETWORK"

// New starts a lab with this kind of machines and onboards the sample package.
func New(t testing.TB, machines string, labArgs ...string) *Bed {
	t.Helper()
	return NewIn(t, &environment.Lab{Machines: machines, Listen: "127.0.0.1:0", Args: labArgs})
}

// NewIn starts a cloud and a Windlass, and onboards the sample package. At the end of the test everything is stopped,
// and removed unless the test has failed.
func NewIn(t testing.TB, cloud environment.Cloud) *Bed {
	t.Helper()
	return NewWith(t, cloud, nil)
}

// NewWith is NewIn with extra, which goes into the registration of the cloud, such as call_timeout.
func NewWith(t testing.TB, cloud environment.Cloud, extra map[string]any) *Bed {
	t.Helper()
	b := start(t, cloud, nil)
	b.Vim = b.register(t, extra)
	b.Onboard(t, "vnfpkg/samples/k8s-ha")
	return b
}

// Restore starts what Environment.Save has saved: a lab with fake machines and a Windlass.
func Restore(t testing.TB, archive string) *Bed {
	t.Helper()
	cloud := &environment.Lab{Machines: environment.Fake, Listen: "127.0.0.1:0"}
	b := start(t, cloud, func(ctx context.Context, e *environment.Environment) error { return e.Restore(ctx, archive) })
	b.Vim = b.MoveVim(t, cloudName, cloud.Login().AuthURL, nil)
	return b
}

// MoveVim tells Windlass that a VIM has another address, and credentials if there are new ones. No operator can do the
// first: the address is changed in the database.
func (b *Bed) MoveVim(t testing.TB, name, url string, credentials map[string]any) (id string) {
	t.Helper()
	b.Psql(t, "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--command",
		"update vim set auth_url = '"+url+"' where name = '"+name+"'")
	var list struct {
		Vims []struct {
			ID string `json:"id"`
		} `json:"vims"`
	}
	require.NoError(t, json.Unmarshal(b.Call(t, http.MethodGet, "/v1.0/vims?name="+name, nil).Body, &list))
	require.Len(t, list.Vims, 1)
	if credentials != nil {
		a := b.Call(t, http.MethodPut, "/v1.0/vims/"+list.Vims[0].ID,
			map[string]any{"vim": map[string]any{"auth_cred": credentials}})
		require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	}
	return list.Vims[0].ID
}

// start starts a cloud and a Windlass, in a directory that prepare may fill before.
func start(
	t testing.TB, cloud environment.Cloud, prepare func(context.Context, *environment.Environment) error,
) *Bed {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	t.Setenv("WINDLASS_LAB_IMAGE_PASSWORD", NodePassword) // images for Tacker have a password, too
	if os.Getenv(podNetwork) == "" {                      // a test may have one of its own
		t.Setenv(podNetwork, filepath.Join(root, "vnfpkg/samples/k8s-ha/Files/kubernetes/flannel.yaml"))
	}
	dir, err := os.MkdirTemp("/var/tmp", "windlass-bed-") // PostgreSQL's account must be able to enter it
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 45*time.Minute)
	defer cancel()
	o := environment.Options{
		Dir: dir, Cloud: cloud, API: "127.0.0.1:0", Temporal: "127.0.0.1:0", UI: "127.0.0.1:0", Out: io.Discard,
		Seeded: true,
	}
	env, err := environment.At(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, env.Stop(context.Background()))
		if t.Failed() {
			t.Logf("State and logs are kept in %s.", dir)
			return
		}
		require.NoError(t, os.RemoveAll(dir))
	})
	if prepare != nil {
		require.NoError(t, prepare(ctx, env))
	}
	_, err = environment.Start(ctx, o)
	require.NoError(t, err)
	info, err := env.Info()
	require.NoError(t, err)
	return &Bed{Environment: env, URL: info.API}
}

// cloudName is the name of the VIM.
const cloudName = "cloud"

func (b *Bed) register(t testing.TB, extra map[string]any) string {
	t.Helper()
	body := b.Cloud.Login().Vim(cloudName)
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

// VnfdID is the id of the sample package's VNFD.
const VnfdID = "ee1f8f34-7c92-4023-840d-6f3b6885d92e"

// Restart stops Windlass and starts it with the current environment. The new URL differs.
func (b *Bed) Restart(t testing.TB) {
	t.Helper()
	require.NoError(t, b.StopDev())
	require.NoError(t, b.StartDev(t.Context()))
	info, err := b.Info()
	require.NoError(t, err)
	b.URL = info.API
}

// KillWorker kills the worker; windlass dev starts another one.
func (b *Bed) KillWorker(t testing.TB) {
	t.Helper()
	b.Kill(t, "worker")
}

// Kill kills a process; windlass dev starts another one.
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

// Psql runs a program of PostgreSQL on Windlass's database and returns its output.
func (b *Bed) Psql(t testing.TB, program string, args ...string) string {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	cmd, err := environment.PostgresCommand(t.Context(), program, info.DatabaseURL, args...)
	require.NoError(t, err)
	out, err := cmd.CombinedOutput()
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
