// Package e2e drives Windlass over its API as an NFVO does, mostly with the lab as the cloud: the demo's path and
// what can go wrong on it.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/environment"
)

// nodePassword is what the requests of these tests carry; TestSecretsAreNowhere looks for it.
const nodePassword = "Pa55-of-the-nodes-9f2c"

// bed is a cloud and a Windlass for one group of tests.
type bed struct {
	*environment.Environment
	api string
	vim string // id of the registered cloud
}

// newBed brings up a lab with that kind of machines and on-boards the sample package.
func newBed(t *testing.T, machines string, labArgs ...string) *bed {
	t.Helper()
	return newBedIn(t, &environment.Lab{Machines: machines, Listen: "127.0.0.1:0", Args: labArgs})
}

// newBedIn brings up a cloud and on-boards the sample package.
func newBedIn(t *testing.T, cloud environment.Cloud) *bed {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	t.Setenv("WINDLASS_LAB_IMAGE_PASSWORD", nodePassword) // as images for Tacker have one
	t.Setenv("WINDLASS_KUBERNETES_POD_NETWORK", filepath.Join(root, "vnfpkg/samples/k8s-ha/Files/kubernetes/labnet.yaml"))
	dir, err := os.MkdirTemp("/var/tmp", "windlass-e2e-") // PostgreSQL's account must be able to enter
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 45*time.Minute)
	defer cancel()
	env, err := environment.Start(ctx, environment.Options{
		Dir: dir, Cloud: cloud, API: "127.0.0.1:0", Temporal: "127.0.0.1:0", UI: "127.0.0.1:0", Out: io.Discard,
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
	b := &bed{Environment: env, api: info.API}
	b.vim = b.register(t)
	b.onboard(t)
	return b
}

// answer is an HTTP answer with its body read.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// call sends a request to the API, as JSON.
func (b *bed) call(t *testing.T, method, path string, body any) answer {
	t.Helper()
	return request(t, method, b.api+path, body)
}

func request(t *testing.T, method, url string, body any) answer {
	t.Helper()
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, in)
	require.NoError(t, err)
	req.Header.Set("Version", "1.3.0")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, out}
}

// get reads a resource into a map.
func (b *bed) get(t *testing.T, path string) map[string]any {
	t.Helper()
	a := b.call(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.Status, "%s: %s", path, a.Body)
	var out map[string]any
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out
}

// lab calls the lab's own API.
func (b *bed) lab(t *testing.T, method, path string, body any) answer {
	t.Helper()
	lab, ok := b.Cloud.(*environment.Lab)
	require.True(t, ok, "only a lab takes orders")
	return request(t, method, lab.OrderURL()+path, body)
}

func (b *bed) register(t *testing.T) string {
	t.Helper()
	a := b.call(t, http.MethodPost, "/v1.0/vims", b.Cloud.Login().Vim("cloud"))
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		Vim struct {
			ID string `json:"id"`
		} `json:"vim"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.Vim.ID
}

func (b *bed) onboard(t *testing.T) {
	t.Helper()
	out, err := b.Windlass(t.Context(), "package", "create", "vnfpkg/samples/k8s-ha").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// vnfdID is the sample package's.
const vnfdID = "ee1f8f34-7c92-4023-840d-6f3b6885d92e"

// create makes a VNF instance and returns its id.
func (b *bed) create(t *testing.T, name string) string {
	t.Helper()
	a := b.call(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": name})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.ID
}

// instantiateRequest is the sample's request for this cloud; edit may change the cluster's parameters.
func (b *bed) instantiateRequest(t *testing.T, name string, edit func(request, cluster map[string]any)) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests/instantiate-ha.json"))
	require.NoError(t, err)
	var req map[string]any
	require.NoError(t, json.Unmarshal(data, &req))
	req["vimConnectionInfo"] = []any{map[string]any{"id": "openstack", "vimId": b.vim, "vimType": "openstack"}}
	cluster := req["additionalParams"].(map[string]any)["k8s_cluster_installation_param"].(map[string]any)
	cluster["vim_name"] = "cluster-" + name
	environment.SetNodePassword(req, nodePassword)
	b.Cloud.Adapt(req)
	if edit != nil {
		edit(req, cluster)
	}
	return req
}

// begin starts an operation and returns the path of its VnfLcmOpOcc.
func (b *bed) begin(t *testing.T, vnf, task string, body any) string {
	t.Helper()
	a := b.call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/"+task, body)
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	require.Empty(t, a.Body, "SOL003: 202 has an empty body")
	return strings.TrimPrefix(a.Header.Get("Location"), b.api)
}

// await polls an operation until it is in one of the states, and returns it.
func (b *bed) await(t *testing.T, op string, limit time.Duration, states ...string) map[string]any {
	t.Helper()
	for end := time.Now().Add(limit); ; {
		last := b.get(t, op)
		state, _ := last["operationState"].(string)
		if slices.Contains(states, state) {
			return last
		}
		// A state that is not waited for and does not end by itself will not change any more.
		settled := slices.Contains([]string{"FAILED_TEMP", "FAILED", "ROLLED_BACK", "COMPLETED"}, state)
		if settled || time.Now().After(end) {
			t.Fatalf("The operation is %s, not %v: %v\n%s", state, states, last["error"], b.timings(t, op))
		}
		pause(t)
	}
}

// pause is the pace of polling.
func pause(t *testing.T) {
	t.Helper()
	select {
	case <-t.Context().Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// step is a row of an operation's progress.
type step struct {
	Index          int    `json:"index"`
	Title          string `json:"title"`
	Node           string `json:"node"`
	State          string `json:"state"`
	Attempt        int    `json:"attempt"`
	LastOutputLine string `json:"lastOutputLine"`
}

func (b *bed) steps(t *testing.T, op string) []step {
	t.Helper()
	a := b.call(t, http.MethodGet, "/windlass/v1/vnf_lcm_op_occs/"+filepath.Base(op)+"/steps", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var out []step
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out
}

// act posts an action of an operation.
func (b *bed) act(t *testing.T, op, action string, body any) answer {
	t.Helper()
	return b.call(t, http.MethodPost, op+"/"+action, body)
}

// requireNothingLeft asks the lab for everything that exists beside what it was born with.
func (b *bed) requireNothingLeft(t *testing.T) {
	t.Helper()
	a := b.lab(t, http.MethodGet, "/resources", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var left map[string][]any
	require.NoError(t, json.Unmarshal(a.Body, &left))
	for kind, list := range left {
		require.Empty(t, list, "%s are left in the lab", kind)
	}
}

// killWorker ends the worker without warning; windlass dev starts another.
func (b *bed) killWorker(t *testing.T) {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	pid := info.Processes["worker"]
	require.NotZero(t, pid)
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Kill())
}

// terminate terminates and deletes an instance.
func (b *bed) terminate(t *testing.T, vnf string) {
	t.Helper()
	op := b.begin(t, vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	b.await(t, op, 5*time.Minute, "COMPLETED")
	b.record(t, op, "terminate")
	a := b.call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
}

// psql runs a query and returns its rows as text.
func (b *bed) psql(t *testing.T, program string, args ...string) string {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), program, append(args, info.DatabaseURL)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func problem(t *testing.T, a answer) string {
	t.Helper()
	var p struct {
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &p), "%s", a.Body)
	require.Equal(t, a.Status, p.Status)
	return p.Detail
}
