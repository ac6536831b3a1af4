package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestOnFakeMachines runs all scenarios that need no real machines, with one lab and one Windlass.
func TestOnFakeMachines(t *testing.T) {
	b := newBed(t, "fake", append([]string{"--image-alias", "tiny"}, foreignImages...)...)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *bed)
	}{
		{"instantiate and terminate leave nothing", instantiateAndTerminate},
		{"a failed stack is retried", failedStackIsRetried},
		{"a cancelled stack is retried", cancelledCreationIsRetried},
		{"a cancelled stack is rolled back", cancelledCreationIsRolledBack},
		{"a graceful termination shuts down first", gracefulTermination},
		{"a failed node is retried at its step", failedNodeIsRetried},
		{"rollback leaves nothing", rollbackLeavesNothing},
		{"FORCEFUL cancel stops a join", forcefulCancel},
		{"GRACEFUL cancel lets the step end", gracefulCancel},
		{"GRACEFUL cancel ends what waits", gracefulCancelOfWaits},
		{"cancel while machines do not answer", cancelWhileDialling},
		{"cancel when a node has frozen", cancelOnFrozenNode},
		{"cancel of a rollback", cancelRollback},
		{"cancel of a termination", cancelTermination},
		{"a killed worker doubles nothing", killedWorker},
		{"a stopped worker hands over", stoppedWorker},
		{"a killed API server loses nothing", killedAPIServer},
		{"a workflow terminated in Temporal goes on", terminatedInTemporal},
		{"modify", modifying},
		{"a package of other images", otherImages},
		{"a package with its image", packagedImages},
		{"a VIM that comes with the request", onOwnVim},
		{"attributes are as the VNFD declares them", declaredAttributes},
		{"registries of images", registries},
		{"a registry of images as a VNF", registryServer},
		{"a registry of images on a volume", registryOnVolume},
		{"change external connectivity", reconnecting},
		{"change external connectivity of members of groups", reconnectingMembers},
		{"each VNFC a resource of its own", standardUserData},
		{"a VNF in v2's form", plainInSecondForm},
		{"a cluster in v2's form", clusterInSecondForm},
		{"a package without Base HOT", toscaOnly},
		{"change the flavour of servers", changeFlavour},
		{"ports that others have made", givenPorts},
		{"operate", operating},
		{"an operate that fails", operatingFails},
		{"quota", quotaExceeded},
		{"revoked credentials", revokedCredentials},
		{"a VM that never answers", deadVM},
		{"preflight names every node", preflight},
		{"disk full", diskFull},
		{"bad requests", badRequests},
		{"a configured pod network", configuredPodNetwork},
		{"scale out and in", scaling},
		{"a scale-out that is rolled back", scaleOutRolledBack},
		{"a scale-out whose servers fail", scaleOutWithoutHosts},
		{"a scale-in that is rolled back", scaleInRolledBack},
		{"heal", healing},
		{"a heal goes forward only", healGoesForwardOnly},
		{"a heal of members of groups", healingMembers},
		{"a heal of all is given up", healingGivenUp},
		{"drift is reported and left alone", driftIsReported},
		{"drift is healed by schedule", driftIsHealedBySchedule},
		{"drift is healed by notification", driftIsHealedByNotification},
		{"impossible changes", impossibleChanges},
		{"an operation at a time", oneOperation},
		{"fail", failOperation},
		{"fail of a stack that Heat refuses", failRefusedStack},
		{"a single control plane", singleControlPlane},
		{"a storage server", storageServer},
		{"storage classes", storageClasses},
		{"an external load balancer", externalLoadBalancer},
		{"a load balancer by the package's script", scriptedLoadBalancer},
		{"a pair of load balancers", pairOfLoadBalancers},
		{"a load balancer of the cloud", balancedByOctavia},
		{"load balancers before clusters of kubespray", balancedByKubespray},
		{"networks for clients, nodes and management", networksApart},
		{"a network for storage, and floating IPs", storageApart},
		{"the requests of the specifications", specifiedRequests},
		{"Tacker's own package", foreignPackage},
		{"notifications", notificationsArrive},
		{"a package from a URI", packageFromURI},
		{"Temporal's tools", temporalTools},
		{"the pages about running it", runningIt},
		{"secrets are nowhere", secretsAreNowhere},
	} {
		if !t.Run(c.name, func(t *testing.T) { c.run(t, b) }) {
			b.ClearFaults(t)
			b.Pace(t, 0, 0)
			// The leftovers of this scenario would make every later one fail.
			t.Fatal("The scenarios after this one were not run.")
		}
	}
}

const quick = 4 * time.Minute

func instantiateAndTerminate(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "plain", nil)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate")
	b.RequireCluster(t, 3, 2)

	inst := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)
	require.Equal(t, "INSTANTIATED", inst["instantiationState"])
	info := inst["instantiatedVnfInfo"].(map[string]any)
	require.Len(t, info["vnfcResourceInfo"], 5)
	connections := inst["vimConnectionInfo"].([]any)
	require.Len(t, connections, 2, "the cluster is a VIM now")
	vims := b.Get(t, "/v1.0/vims?name=cluster-plain")["vims"].([]any)
	require.Len(t, vims, 1)
	require.Equal(t, "kubernetes", vims[0].(map[string]any)["type"])

	for _, s := range b.Steps(t, op) {
		require.Equal(t, "DONE", s.State, "%s %s", s.Title, s.Node)
		require.Equal(t, 1, s.Attempt, "%s %s", s.Title, s.Node)
	}
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
	require.Empty(t, b.Get(t, "/v1.0/vims?name=cluster-plain")["vims"])
}

// configuredPodNetwork sends a request without a pod network. Windlass uses the configured one, and the plan says so.
func configuredPodNetwork(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "network", func(_, cluster map[string]any) { delete(cluster, "cni_manifest_path") })
	b.Await(t, op, quick, "COMPLETED")
	require.Contains(t, b.Promised(t, vnf, "heal", map[string]any{}), "Apply the pod network")
	require.True(t, slices.ContainsFunc(b.Steps(t, op),
		func(s testbed.Step) bool { return s.Title == "Apply the pod network" }))
	b.terminate(t, vnf)
}

func failedStackIsRetried(t *testing.T, b *bed) {
	b.Fault(t, map[string]any{
		"resource": "masterNode", "action": "CREATE", "count": 1, "message": "the hypervisor caught fire",
	})
	vnf, op := b.Instantiate(t, "stack", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the hypervisor caught fire")
	links := got["_links"].(map[string]any)
	require.Contains(t, links, "retry")
	require.NotContains(t, links, "cancel")

	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, http.StatusConflict, b.Act(t, op, "retry", nil).Status)
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func failedNodeIsRetried(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{
		"script": "kubeadm-join", "times": 1, "exit_code": 1, "output": "windlass: kubeadm join broke.",
	})
	vnf, op := b.Instantiate(t, "node", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "kubeadm join broke")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}`, got["error"].(map[string]any)["detail"], "it names the node")
	require.Len(t, testbed.Affected(b.Get(t, op)), 5, "what was made so far is known while the operation waits")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-retry")
	for _, s := range b.Steps(t, op) {
		if s.Title == "Initialise the first control plane" {
			require.Equal(t, 1, s.Attempt, "what was done is not done again")
		}
		if s.Title == joinStep && s.Node == "" {
			require.Equal(t, 2, s.Attempt)
		}
	}
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
}

func rollbackLeavesNothing(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{
		"script": "kubeadm-init", "times": 1, "exit_code": 1, "output": "windlass: kubeadm init broke.",
	})
	vnf, op := b.Instantiate(t, "rollback", nil)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	got := b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "instantiate-rollback")
	require.Contains(t, got["error"].(map[string]any)["detail"], "kubeadm init broke")
	require.Empty(t, testbed.Affected(b.Get(t, op)), "nothing is changed any more")
	b.RequireNothingLeft(t)
	require.Equal(t, "NOT_INSTANTIATED", b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiationState"])
	b.Delete(t, vnf)
}

func forcefulCancel(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{"script": "kubeadm-join", "times": 1, "hang": true})
	vnf, op := b.Instantiate(t, "forceful", nil)
	b.AwaitNode(t, op, joinStep, "RUNNING")
	b.awaitFault(t, "kubeadm-join")
	begun := time.Now()
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Less(t, time.Since(begun), soon)
	states := b.NodeStates(t, op, joinStep)
	require.Contains(t, states, "CANCELLED")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-cancel-forceful")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
}

func gracefulCancel(t *testing.T, b *bed) {
	b.Pace(t, 0, 300*time.Millisecond)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "graceful", nil)
	b.AwaitNode(t, op, "Prepare every node", "RUNNING")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "cancel", map[string]any{"cancelMode": "GRACEFUL"}).Status)
	require.Equal(t, true, b.Get(t, op)["isCancelPending"])
	b.Await(t, op, quick, "FAILED_TEMP")
	for _, state := range b.NodeStates(t, op, "Prepare every node") {
		require.Equal(t, "DONE", state, "the step under way ends")
	}
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "instantiate-cancel-graceful")
	b.RequireNothingLeft(t)
	b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
}

func killedWorker(t *testing.T, b *bed) {
	b.Pace(t, 0, time.Second)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "killed", nil)
	b.AwaitNode(t, op, "Prepare every node", "RUNNING")
	b.KillWorker(t)
	b.awaitControlPlanes(t, op, time.Minute, "PENDING", "RUNNING")
	b.KillWorker(t)
	b.awaitControlPlanes(t, op, time.Minute, "DONE", "RUNNING")
	b.KillWorker(t)
	b.Await(t, op, 4*time.Minute, "COMPLETED")
	b.record(t, op, "instantiate-killed-worker")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

func killedAPIServer(t *testing.T, b *bed) {
	b.Pace(t, 0, 500*time.Millisecond)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "api", nil)
	info, err := b.Info()
	require.NoError(t, err)
	p, err := os.FindProcess(info.Processes["apiserver"])
	require.NoError(t, err)
	require.NoError(t, p.Kill())
	b.AwaitAPI(t)
	b.Await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func quotaExceeded(t *testing.T, b *bed) {
	b.Fault(t, map[string]any{
		"service": "nova", "method": "POST", "path": "/servers$", "status": 403, "count": 1,
		"message": "Quota exceeded for cores: Requested 4, but already used 18 of 20 cores",
	})
	vnf, op := b.Instantiate(t, "quota", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(?i)quota exceeded.*raise the quota`, got["error"].(map[string]any)["detail"])
	b.Act(t, op, "rollback", nil)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.RequireNothingLeft(t)
	b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
}

func deadVM(t *testing.T, b *bed) {
	b.Pace(t, time.Hour, 0)
	vnf, op := b.Instantiate(t, "dead", func(_, cluster map[string]any) { cluster["timeouts"] = map[string]any{"ssh": 3} })
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}`, got["error"].(map[string]any)["detail"])
	b.Pace(t, 0, 0)
	b.Act(t, op, "rollback", nil)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.RequireNothingLeft(t)
	b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
}

func preflight(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{
		"script": "check-node", "times": 2, "exit_code": 78, "output": "windlass: swap is on. Switch it off.",
	})
	vnf, op := b.Instantiate(t, "preflight", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `2 of 5 nodes failed: (cp|worker)-[0-9a-f]{8}, (cp|worker)-[0-9a-f]{8}: .*swap is on`,
		got["error"].(map[string]any)["detail"])
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func diskFull(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{
		"script": "prepare-node", "times": 1, "exit_code": 73, "output": "windlass: the disk is full. Free some space.",
	})
	vnf, op := b.Instantiate(t, "disk", nil)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}.*disk is full`, got["error"].(map[string]any)["detail"])
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func badRequests(t *testing.T, b *bed) {
	vnf := b.Create(t, "bad")
	path := "/vnflcm/v1/vnf_instances/" + vnf + "/instantiate"
	a := b.Call(t, http.MethodPost, path, b.InstantiateRequest(t, "bad", func(_, cluster map[string]any) {
		master := cluster["master_node"].(map[string]any)
		delete(master, "username")
		master["pod_cidr"] = "not a network"
		cluster["cni_manifest_path"] = "../../etc/passwd"
	}))
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	for _, at := range []string{"master_node.username", "master_node.pod_cidr", "cni_manifest_path"} {
		require.Contains(t, testbed.Problem(t, a), "$.additionalParams.k8s_cluster_installation_param."+at, "all at once")
	}
	a = b.Call(t, http.MethodPost, path, b.InstantiateRequest(t, "bad",
		func(req, _ map[string]any) { req["flavourId"] = "huge" }))
	require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.Status)
	require.Contains(t, testbed.Problem(t, a), "huge")
	planAsksTheVIM(t, b, vnf)
	a = b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": "no-such-vnfd"})
	require.Equal(t, http.StatusUnprocessableEntity, a.Status)
	a = b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/terminate",
		map[string]any{"terminationType": "FORCEFUL"})
	require.Equal(t, http.StatusConflict, a.Status)
	b.Delete(t, vnf)
	a = b.Call(t, http.MethodPost, "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "wrong", "type": "openstack", "auth_url": b.Cloud.Login().AuthURL,
		"auth_cred":   map[string]any{"username": b.Cloud.Login().User, "password": "wrong", "user_domain_name": "Default"},
		"vim_project": map[string]any{"name": b.Cloud.Login().Project, "project_domain_name": "Default"},
	}})
	require.GreaterOrEqual(t, a.Status, 400)
	require.Less(t, a.Status, 500, "%s", a.Body)
	require.Contains(t, string(a.Body), "refused the credentials")
}

// planAsksTheVIM checks that a plan reports what the cloud does not have, and that it makes nothing.
func planAsksTheVIM(t *testing.T, b *bed, vnf string) {
	t.Helper()
	said := func(edit func(request map[string]any)) []any {
		request := b.InstantiateRequest(t, "bad", func(req, _ map[string]any) { edit(req) })
		a := b.Call(t, http.MethodPost, "/windlass/v1/vnf_instances/"+vnf+"/plan",
			map[string]any{"operation": "INSTANTIATE", "request": request, "askVim": true})
		require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
		var plan struct {
			Vim map[string]any `json:"vim"`
		}
		require.NoError(t, json.Unmarshal(a.Body, &plan))
		require.NotContains(t, plan.Vim, "unasked")
		return plan.Vim["problems"].([]any)
	}
	require.Empty(t, said(func(map[string]any) {}))
	problems := said(func(req map[string]any) {
		req["extVirtualLinks"].([]any)[0].(map[string]any)["resourceId"] = "no-such-network"
	})
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "no-such-network")
	b.RequireNothingLeft(t)
}

func oneOperation(t *testing.T, b *bed) {
	b.Pace(t, 0, 300*time.Millisecond)
	defer b.Pace(t, 0, 0)
	vnf, op := b.Instantiate(t, "one", nil)
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", b.InstantiateRequest(t, "one", nil))
	require.Equal(t, http.StatusConflict, a.Status)
	require.Contains(t, testbed.Problem(t, a), "is under way")
	b.Await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func failOperation(t *testing.T, b *bed) {
	b.ScriptFault(t, map[string]any{"script": "check-node", "times": 1, "exit_code": 78, "output": "windlass: no."})
	vnf, op := b.Instantiate(t, "fail", nil)
	b.Await(t, op, quick, "FAILED_TEMP")
	a := b.Act(t, op, "fail", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), `"FAILED"`)
	b.cleanUp(t, vnf)
	b.RequireNothingLeft(t)

	b.ScriptFault(t, map[string]any{"script": "check-node", "times": 1, "exit_code": 78, "output": "windlass: no."})
	op = b.Begin(t, vnf, "instantiate", b.InstantiateRequest(t, "fail", nil))
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	// The next operation finds what the failed one has left, and uses it.
	op = b.Begin(t, vnf, "instantiate", b.InstantiateRequest(t, "fail", nil))
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// failRefusedStack gives up an instantiation of which nothing exists: the VNF can then be deleted with SOL003 alone.
func failRefusedStack(t *testing.T, b *bed) {
	b.Fault(t, map[string]any{
		"service": "heat", "method": "POST", "path": "/stacks$", "status": 400, "message": "the template is wrong",
	})
	vnf, op := b.Instantiate(t, "refused", nil)
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
	path := "/windlass/v1/vnf_instances/" + vnf + "/clean_up"
	require.Equal(t, http.StatusConflict, b.Call(t, http.MethodPost, path, map[string]any{}).Status, "nothing is left")
	a := b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
	b.RequireNothingLeft(t)
}

// cleanUp removes what the failed instantiation of a VNF has left. A second request is refused.
func (b *bed) cleanUp(t *testing.T, vnf string) {
	t.Helper()
	planned, err := b.Windlass(t.Context(), "vnf", "terminate", vnf, "--leftovers", "--plan").CombinedOutput()
	require.NoError(t, err, "%s", planned)
	require.Contains(t, string(planned), "TERMINATE")
	path := "/windlass/v1/vnf_instances/" + vnf + "/clean_up"
	a := b.Call(t, http.MethodPost, path, map[string]any{})
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	op := strings.TrimPrefix(a.Header.Get("Location"), b.URL)
	require.Equal(t, http.StatusConflict, b.Call(t, http.MethodPost, path, map[string]any{}).Status, "one at a time")
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, http.StatusConflict, b.Call(t, http.MethodPost, path, map[string]any{}).Status, "nothing is left")
}

func singleControlPlane(t *testing.T, b *bed) {
	vnf := b.Create(t, "single")
	req := b.InstantiateRequest(t, "single", func(req, cluster map[string]any) {
		req["flavourId"] = "simple"
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
	})
	op := b.Begin(t, vnf, "instantiate", req)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 1, 1)
	require.False(t, slices.ContainsFunc(b.Steps(t, op),
		func(s testbed.Step) bool { return s.Title == "Set up HAProxy and keepalived" }))
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// joinStep is the step in which a second worker process, a cancellation or a failure does most harm.
const joinStep = "Join the other nodes"

// awaitControlPlanes waits until the two joining control planes have these states, in either order.
func (b *bed) awaitControlPlanes(t *testing.T, op string, limit time.Duration, states ...string) {
	t.Helper()
	slices.Sort(states)
	require.Eventually(t, func() bool {
		var got []string
		for _, s := range b.Steps(t, op) {
			if s.Title == joinStep && strings.HasPrefix(s.Node, "cp-") {
				got = append(got, s.State)
			}
		}
		for len(got) < len(states) {
			got = append(got, "PENDING") // its part has not begun
		}
		slices.Sort(got)
		return slices.Equal(got, states)
	}, limit, 20*time.Millisecond, "the control planes that join are not %v", states)
}
