package e2e

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

func (b *bed) temporal(t *testing.T) client.Client {
	t.Helper()
	info, err := b.Info()
	require.NoError(t, err)
	c, err := client.DialContext(t.Context(), client.Options{HostPort: info.Temporal, Namespace: info.Namespace})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// terminatedInTemporal terminates a workflow as an operator can do in the Web UI.
func terminatedInTemporal(t *testing.T, b *bed) {
	b.Pace(t, 0, 500*time.Millisecond)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "terminated", nil)
	b.AwaitNode(t, op, "Prepare every node", "RUNNING")
	id := lcm.WorkflowID(lcm.OpOccID(filepath.Base(op)))
	require.NoError(t, b.temporal(t).TerminateWorkflow(t.Context(), id, "", "by an operator"))
	got := b.Await(t, op, time.Minute, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "terminated from outside")
	for _, s := range b.Steps(t, op) {
		require.NotEqual(t, "RUNNING", s.State, "%s of %s", s.Title, s.Node)
	}
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-resumed")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// secretsAreNowhere searches everything that Windlass has stored, logged or answered for the secrets of all operations
// before it. It runs last.
func secretsAreNowhere(t *testing.T, b *bed) {
	// The join token and the certificate key exist only during the operation, so the test collects them while it waits.
	b.ScriptFault(t, map[string]any{"script": "kubeadm-join", "times": 1, "exit_code": 1, "output": "windlass: not yet."})
	told := newSubscriber(t)
	subscription := b.subscribe(t, "/vnflcm/v1", told)
	vnf, op := b.Instantiate(t, "secrets", nil)
	b.Await(t, op, quick, "FAILED_TEMP")
	passing := b.Unsealed(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	require.Eventually(t, func() bool { heard, _ := told.told(); return len(heard) > 4 }, 2*quick, 100*time.Millisecond,
		"the password is in use")
	values := map[string]string{
		"the nodes' password": testbed.NodePassword, "the subscriber's password": subscriberPassword,
		"the VIM's password": b.Cloud.Login().Password, "the registry's password": registryPassword,
	}
	maps.Copy(values, passing)
	maps.Copy(values, b.Unsealed(t))
	for _, kind := range []string{"token", "certificate", "vrrp", "bearer_token", "password"} {
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(values)),
			func(ref string) bool { return strings.Contains(ref, kind) }), "no %s was found to look for", kind)
	}

	b.requireNowhere(t, vnf, op, values)
	b.terminate(t, vnf)
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, subscription, nil).Status)
}

// requireNowhere checks that these named values are in nothing that Windlass has stored, logged and answered.
func (b *bed) requireNowhere(t *testing.T, vnf, op string, values map[string]string) {
	t.Helper()
	places := map[string]string{
		"the database":           b.Psql(t, "pg_dump", "--inserts"),
		"the workflow histories": b.histories(t),
		"the logs":               b.logs(t),
		"the answers":            b.answers(t, vnf, op),
	}
	for place, text := range places {
		require.NotEmpty(t, text, place)
		for name, value := range values {
			require.False(t, strings.Contains(text, value), "%s is in %s", name, place)
		}
	}
}

// histories returns every event of every workflow twice: as Temporal stores it, and decrypted. Secrets must not be in
// the payloads at all: the encryption is only the second safeguard.
func (b *bed) histories(t *testing.T) string {
	t.Helper()
	c := b.temporal(t)
	info, err := b.Info()
	require.NoError(t, err)
	keys, err := secrets.LoadKeyring(t.Context(), secrets.Source{File: info.KeyFile})
	require.NoError(t, err)
	codec := secrets.NewCodec(keys)
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: info.Namespace})
	require.NoError(t, err)
	require.NotEmpty(t, list.Executions)
	var text strings.Builder
	for _, w := range list.Executions {
		events := c.GetWorkflowHistory(t.Context(), w.Execution.WorkflowId, w.Execution.RunId, false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			require.NoError(t, err)
			text.WriteString(event.String())
			require.NoError(t, proxy.VisitPayloads(t.Context(), event, proxy.VisitPayloadsOptions{
				SkipSearchAttributes: true,
				Visitor: func(_ *proxy.VisitPayloadsContext, sealed []*common.Payload) ([]*common.Payload, error) {
					opened, err := codec.Decode(sealed)
					for _, p := range opened {
						text.Write(p.Data)
					}
					return sealed, err
				},
			}))
		}
	}
	require.Contains(t, text.String(), `"opOccId"`, "the codec's encryption is off")
	return text.String()
}

func (b *bed) logs(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, filepath.WalkDir(b.Dir, func(path string, d os.DirEntry, err error) error {
		if path == filepath.Join(environment.LabDir(b.Dir), "machines") {
			return filepath.SkipDir // the disks of real machines change while they run
		}
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".log") {
			data, err := os.ReadFile(path)
			text.Write(data)
			return err
		}
		return err
	}))
	return text.String()
}

func (b *bed) answers(t *testing.T, vnf, op string) string {
	t.Helper()
	var text strings.Builder
	opPath := "/windlass/v1/vnf_lcm_op_occs/" + filepath.Base(op)
	for _, path := range []string{
		"/vnflcm/v1/vnf_instances", "/vnflcm/v1/vnf_instances/" + vnf, "/vnflcm/v1/vnf_lcm_op_occs", op, "/v1.0/vims",
		"/v1.0/vims.json",
		"/vnfpkgm/v1/vnf_packages", "/vnflcm/v1/subscriptions", "/windlass/v1/dead_letters", opPath + "/steps", opPath +
			"/logs", opPath + "/events", "/metrics",
	} {
		a := b.Call(t, http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, a.Status, path)
		text.Write(a.Body)
	}
	return text.String()
}
