package worker

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim/all"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest/memorykind"
	"github.com/windlass-nfv/windlass/workflows"
)

func TestMain(m *testing.M) { os.Exit(servertest.Main(m)) }

// carrying is an API server, and a worker that carries out in this process what the API server begins.
type carrying struct {
	*servertest.Bench
	nouns []any
}

func newCarrying(t *testing.T, kinds ...registry.Kind) *carrying {
	t.Helper()
	b := servertest.New(t)
	ops := &operations.Resolver{Store: b.Store, Vault: b.Vault}
	o := Options{Store: b.Store, Vault: b.Vault, VimKinds: append(kinds, all.Kinds...)}
	open := &connections{operations: ops, to: connectors(o.VimKinds, o.reach()), open: map[string]*login{}}
	return &carrying{b, activityStructs(o, ops, open)}
}

// ask begins an operation, carries it out, and returns it.
func (c *carrying) ask(path string, body any) lcm.VnfLcmOpOcc {
	c.Helper()
	a := c.Do("POST", path, body)
	a.Want(http.StatusAccepted)
	in := c.Starter.Starts[len(c.Starter.Starts)-1]
	env := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{
		DeadlockDetectionTimeout: time.Minute, Interceptors: []interceptor.WorkerInterceptor{&scoper{projectOf: c.Store.ProjectOf}},
	})
	env.SetTestTimeout(time.Minute)
	workflows.Register(env)
	for _, noun := range c.nouns {
		env.RegisterActivityWithOptions(noun, activity.RegisterOptions{})
	}
	env.ExecuteWorkflow(string(c.Operation(a.Path()).Operation.Type().Workflow), in)
	require.True(c, env.IsWorkflowCompleted())
	require.NoError(c, env.GetWorkflowError())
	op := c.Operation(a.Path())
	require.Equal(c, lcm.Completed, op.State, "%v", op.Error)
	return op
}

// TestThirdKind_isChosenByTheRequest carries VNFs of servers through their lifecycle on a kind of VIMs that only this
// test has, although an OpenStack is the default VIM.
func TestThirdKind_isChosenByTheRequest(t *testing.T) {
	memory := vimtest.NewMemory()
	memory.Group, memory.Vdu = "VDU1_scale", "VDU1"
	c := newCarrying(t, memorykind.Of(memory, servertest.Marker+"-key"))
	c.RegisterVim("the default", true)
	root, err := apitest.Root()
	require.NoError(t, err)
	vnfd := c.OnboardDir(filepath.Join(root, "vnfpkg/samples/tosca-only"))
	for _, version := range []struct {
		root string
		vims any
	}{
		{"/vnflcm/v1", []any{map[string]any{
			"id": "own", "vimType": "TEST.MEMORY.V_1", "interfaceInfo": map[string]any{"endpoint": "memory://one"},
			"accessInfo": map[string]any{"key": servertest.Marker + "-key"},
		}}},
		{"/vnflcm/v2", map[string]any{"own": map[string]any{
			"vimType": "memory", "interfaceInfo": map[string]any{"endpoint": "memory://one"},
			"accessInfo": map[string]any{"key": servertest.Marker + "-key"},
		}}},
	} {
		instance := c.Create(version.root, vnfd)
		request := map[string]any{"flavourId": "sized", "vimConnectionInfo": version.vims}
		c.ask(instance+"/instantiate", request)
		servers := c.servers(instance)
		require.Len(t, servers, 1)

		c.ask(instance+"/scale", map[string]any{"type": "SCALE_OUT", "aspectId": "VDU1_scale", "numberOfSteps": 2})
		scaled := c.servers(instance)
		require.Len(t, scaled, 3)
		require.Subset(t, scaled, servers, "the VM that was there stays")

		healed := c.Instance(instance)
		c.ask(instance+"/heal", map[string]any{"vnfcInstanceId": []string{healed.VnfcInfoID(healed.Instantiated.VnfcResources[0])}})
		require.Len(t, c.servers(instance), 3)
		require.NotEqual(t, scaled, c.servers(instance))

		c.ask(instance+"/scale", map[string]any{"type": "SCALE_IN", "aspectId": "VDU1_scale"})
		require.Len(t, c.servers(instance), 2)
		for _, v := range c.Instance(instance).Instantiated.VnfcResources {
			require.Equal(t, "own", v.ComputeResource.VimConnectionID)
		}

		c.ask(instance+"/terminate", map[string]any{"terminationType": "FORCEFUL"})
		_, err := memory.Inventory(t.Context(), lcm.DeploymentName(c.Instance(instance).ID))
		require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
	}
}

// servers are the ids of a VNF's servers, in order.
func (c *carrying) servers(instance string) (ids []string) {
	c.Helper()
	for _, v := range c.Instance(instance).Instantiated.VnfcResources {
		ids = append(ids, v.ComputeResource.ResourceID)
	}
	slices.Sort(ids)
	return ids
}

func TestThirdKind_isHeldAgainstItsLoginForm(t *testing.T) {
	c := newCarrying(t, memorykind.Of(vimtest.NewMemory(), "key"))
	root, err := apitest.Root()
	require.NoError(t, err)
	vnfd := c.OnboardDir(filepath.Join(root, "vnfpkg/samples/tosca-only"))
	instance := c.Create("/vnflcm/v2", vnfd)
	ask := func(connection map[string]any) servertest.Answer {
		return c.Do("POST", instance+"/instantiate",
			map[string]any{"flavourId": "sized", "vimConnectionInfo": map[string]any{"own": connection}})
	}
	wrong := ask(map[string]any{"vimType": "memory", "interfaceInfo": map[string]any{"endpoint": "memory://one"}})
	require.Equal(t, []string{"$.vimConnectionInfo.own.accessInfo.key"}, wrong.Paths())
	unknown := ask(map[string]any{"vimType": "VMWARE.V_1", "interfaceInfo": map[string]any{"endpoint": "https://one"}})
	require.Contains(t, unknown.Problem(http.StatusBadRequest), "openstack or memory")
}
