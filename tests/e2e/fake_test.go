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
)

// TestOnFakeMachines is one lab and one Windlass for all scenarios that need no real machines.
func TestOnFakeMachines(t *testing.T) {
	b := newBed(t, "fake", foreignImages...)
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
		{"cancel while machines do not answer", cancelWhileDialling},
		{"cancel when a node has frozen", cancelOnFrozenNode},
		{"cancel of a rollback", cancelRollback},
		{"cancel of a termination", cancelTermination},
		{"a killed worker doubles nothing", killedWorker},
		{"a stopped worker hands over", stoppedWorker},
		{"a killed API server loses nothing", killedAPIServer},
		{"a workflow terminated in Temporal goes on", terminatedInTemporal},
		{"quota", quotaExceeded},
		{"revoked credentials", revokedCredentials},
		{"a VM that never answers", deadVM},
		{"preflight names every node", preflight},
		{"disk full", diskFull},
		{"bad requests", badRequests},
		{"scale out and in", scaling},
		{"a scale-out that is rolled back", scaleOutRolledBack},
		{"a scale-in that is rolled back", scaleInRolledBack},
		{"heal", healing},
		{"a heal goes forward only", healGoesForwardOnly},
		{"impossible changes", impossibleChanges},
		{"an operation at a time", oneOperation},
		{"fail", failOperation},
		{"a single control plane", singleControlPlane},
		{"Tacker's own package", foreignPackage},
		{"secrets are nowhere", secretsAreNowhere},
	} {
		if !t.Run(c.name, func(t *testing.T) { c.run(t, b) }) {
			b.clearFaults(t)
			b.pace(t, 0, 0)
			// What is left would fail every scenario after this one.
			t.Fatal("The scenarios after this one were not run.")
		}
	}
}

const quick = 2 * time.Minute

func (b *bed) instantiate(t *testing.T, name string, edit func(request, cluster map[string]any)) (vnf, op string) {
	t.Helper()
	vnf = b.create(t, name)
	return vnf, b.begin(t, vnf, "instantiate", b.instantiateRequest(t, name, edit))
}

func (b *bed) fault(t *testing.T, fault map[string]any) {
	t.Helper()
	a := b.lab(t, http.MethodPost, "/faults", fault)
	require.Less(t, a.Status, 300, "%s", a.Body)
}

// scriptFault lets a script fail on fake machines.
func (b *bed) scriptFault(t *testing.T, fault map[string]any) {
	t.Helper()
	a := b.lab(t, http.MethodPost, "/scripts/faults", fault)
	require.Less(t, a.Status, 300, "%s", a.Body)
}

func (b *bed) clearFaults(t *testing.T) {
	t.Helper()
	b.lab(t, http.MethodDelete, "/faults", nil)
	b.lab(t, http.MethodDelete, "/scripts/faults", nil)
}

// pace sets how long fake machines take to boot and for a script.
func (b *bed) pace(t *testing.T, boot, work time.Duration) {
	t.Helper()
	a := b.lab(t, http.MethodPut, "/scripts/pace", map[string]any{"boot_ms": boot.Milliseconds(), "work_ms": work.Milliseconds()})
	require.Less(t, a.Status, 300, "%s", a.Body)
}

// labCluster is a cluster as the fake machines remember it.
type labCluster struct {
	Members []struct {
		Node         string `json:"node"`
		ControlPlane bool   `json:"controlPlane"`
		Joins        int    `json:"joins"`
		Ready        bool   `json:"ready"`
	} `json:"members"`
	EtcdMembers []struct {
		Started bool `json:"started"`
	} `json:"etcdMembers"`
	TokenCount int      `json:"tokenCount"`
	Violations []string `json:"violations"`
}

func (b *bed) clusters(t *testing.T) []labCluster {
	t.Helper()
	a := b.lab(t, http.MethodGet, "/clusters", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var out []labCluster
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out
}

// requireCluster wants one cluster of that size in which nothing happened twice.
func (b *bed) requireCluster(t *testing.T, controlPlanes, workers int) {
	t.Helper()
	all := b.clusters(t)
	require.Len(t, all, 1)
	c := all[0]
	require.Empty(t, c.Violations)
	require.Len(t, c.Members, controlPlanes+workers)
	require.Len(t, c.EtcdMembers, controlPlanes)
	require.Zero(t, c.TokenCount, "no join token is left")
	for _, m := range c.Members {
		require.Equal(t, 1, m.Joins, "%s", m.Node)
		require.True(t, m.Ready, "%s", m.Node)
	}
}

func instantiateAndTerminate(t *testing.T, b *bed) {
	vnf, op := b.instantiate(t, "plain", nil)
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate")
	b.requireCluster(t, 3, 2)

	inst := b.get(t, "/vnflcm/v1/vnf_instances/"+vnf)
	require.Equal(t, "INSTANTIATED", inst["instantiationState"])
	info := inst["instantiatedVnfInfo"].(map[string]any)
	require.Len(t, info["vnfcResourceInfo"], 5)
	connections := inst["vimConnectionInfo"].([]any)
	require.Len(t, connections, 2, "the cluster is a VIM now")
	vims := b.get(t, "/v1.0/vims?name=cluster-plain")["vims"].([]any)
	require.Len(t, vims, 1)
	require.Equal(t, "kubernetes", vims[0].(map[string]any)["type"])

	for _, s := range b.steps(t, op) {
		require.Equal(t, "DONE", s.State, "%s %s", s.Title, s.Node)
		require.Equal(t, 1, s.Attempt, "%s %s", s.Title, s.Node)
	}
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
	require.Empty(t, b.get(t, "/v1.0/vims?name=cluster-plain")["vims"])
}

func failedStackIsRetried(t *testing.T, b *bed) {
	b.fault(t, map[string]any{"resource": "masterNode", "action": "CREATE", "count": 1, "message": "the hypervisor caught fire"})
	vnf, op := b.instantiate(t, "stack", nil)
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the hypervisor caught fire")
	links := got["_links"].(map[string]any)
	require.Contains(t, links, "retry")
	require.NotContains(t, links, "cancel")

	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.await(t, op, quick, "COMPLETED")
	require.Equal(t, http.StatusConflict, b.act(t, op, "retry", nil).Status)
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

func failedNodeIsRetried(t *testing.T, b *bed) {
	b.scriptFault(t, map[string]any{"script": "kubeadm-join", "times": 1, "exit_code": 1, "output": "windlass: kubeadm join broke."})
	vnf, op := b.instantiate(t, "node", nil)
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "kubeadm join broke")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}`, got["error"].(map[string]any)["detail"], "it names the node")
	require.Len(t, affected(b.get(t, op)), 5, "what was made so far is known while the operation waits")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-retry")
	for _, s := range b.steps(t, op) {
		if s.Title == "Initialise the first control plane" {
			require.Equal(t, 1, s.Attempt, "what was done is not done again")
		}
		if s.Title == joinStep && s.Node == "" {
			require.Equal(t, 2, s.Attempt)
		}
	}
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
}

func rollbackLeavesNothing(t *testing.T, b *bed) {
	b.scriptFault(t, map[string]any{"script": "kubeadm-init", "times": 1, "exit_code": 1, "output": "windlass: kubeadm init broke."})
	vnf, op := b.instantiate(t, "rollback", nil)
	b.await(t, op, quick, "FAILED_TEMP")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "rollback", nil).Status)
	got := b.await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "instantiate-rollback")
	require.Contains(t, got["error"].(map[string]any)["detail"], "kubeadm init broke")
	require.Empty(t, affected(b.get(t, op)), "nothing is changed any more")
	b.requireNothingLeft(t)
	require.Equal(t, "NOT_INSTANTIATED", b.get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiationState"])
	require.Equal(t, http.StatusNoContent, b.call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil).Status)
}

func forcefulCancel(t *testing.T, b *bed) {
	b.scriptFault(t, map[string]any{"script": "kubeadm-join", "times": 1, "hang": true})
	vnf, op := b.instantiate(t, "forceful", nil)
	b.awaitNode(t, op, joinStep, "RUNNING")
	begun := time.Now()
	require.Equal(t, http.StatusAccepted, b.act(t, op, "cancel", map[string]any{"cancelMode": "FORCEFUL"}).Status)
	b.await(t, op, 30*time.Second, "FAILED_TEMP")
	require.Less(t, time.Since(begun), 15*time.Second)
	states := b.nodeStates(t, op, joinStep)
	require.Contains(t, states, "CANCELLED")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-cancel-forceful")
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
}

func gracefulCancel(t *testing.T, b *bed) {
	b.pace(t, 0, 300*time.Millisecond)
	defer b.pace(t, 0, 0)
	vnf, op := b.instantiate(t, "graceful", nil)
	b.awaitNode(t, op, "Prepare every node", "RUNNING")
	require.Equal(t, http.StatusAccepted, b.act(t, op, "cancel", map[string]any{"cancelMode": "GRACEFUL"}).Status)
	require.Equal(t, true, b.get(t, op)["isCancelPending"])
	b.await(t, op, quick, "FAILED_TEMP")
	for _, state := range b.nodeStates(t, op, "Prepare every node") {
		require.Equal(t, "DONE", state, "the step under way ends")
	}
	require.Equal(t, http.StatusAccepted, b.act(t, op, "rollback", nil).Status)
	b.await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "instantiate-cancel-graceful")
	b.requireNothingLeft(t)
	b.call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
}

func killedWorker(t *testing.T, b *bed) {
	b.pace(t, 0, time.Second)
	defer b.pace(t, 0, 0)
	vnf, op := b.instantiate(t, "killed", nil)
	b.awaitNode(t, op, "Prepare every node", "RUNNING")
	b.killWorker(t)
	b.awaitControlPlanes(t, op, time.Minute, "PENDING", "RUNNING")
	b.killWorker(t)
	b.awaitControlPlanes(t, op, time.Minute, "DONE", "RUNNING")
	b.killWorker(t)
	b.await(t, op, 4*time.Minute, "COMPLETED")
	b.record(t, op, "instantiate-killed-worker")
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

func killedAPIServer(t *testing.T, b *bed) {
	b.pace(t, 0, 500*time.Millisecond)
	defer b.pace(t, 0, 0)
	vnf, op := b.instantiate(t, "api", nil)
	info, err := b.Info()
	require.NoError(t, err)
	p, err := os.FindProcess(info.Processes["apiserver"])
	require.NoError(t, err)
	require.NoError(t, p.Kill())
	b.awaitAPI(t)
	b.await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func quotaExceeded(t *testing.T, b *bed) {
	b.fault(t, map[string]any{
		"service": "nova", "method": "POST", "path": "/servers$", "status": 403, "count": 1,
		"message": "Quota exceeded for cores: Requested 4, but already used 18 of 20 cores",
	})
	vnf, op := b.instantiate(t, "quota", nil)
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(?i)quota exceeded.*raise the quota`, got["error"].(map[string]any)["detail"])
	b.act(t, op, "rollback", nil)
	b.await(t, op, quick, "ROLLED_BACK")
	b.requireNothingLeft(t)
	b.call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
}

func deadVM(t *testing.T, b *bed) {
	b.pace(t, time.Hour, 0)
	vnf, op := b.instantiate(t, "dead", func(_, cluster map[string]any) { cluster["timeouts"] = map[string]any{"ssh": 3} })
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}`, got["error"].(map[string]any)["detail"])
	b.pace(t, 0, 0)
	b.act(t, op, "rollback", nil)
	b.await(t, op, quick, "ROLLED_BACK")
	b.requireNothingLeft(t)
	b.call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
}

func preflight(t *testing.T, b *bed) {
	b.scriptFault(t, map[string]any{"script": "check-node", "times": 2, "exit_code": 78, "output": "windlass: swap is on. Switch it off."})
	vnf, op := b.instantiate(t, "preflight", nil)
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(?s)2 of 5 nodes.*swap is on.*swap is on`, got["error"].(map[string]any)["detail"])
	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func diskFull(t *testing.T, b *bed) {
	b.scriptFault(t, map[string]any{"script": "prepare-node", "times": 1, "exit_code": 73, "output": "windlass: the disk is full. Free some space."})
	vnf, op := b.instantiate(t, "disk", nil)
	got := b.await(t, op, quick, "FAILED_TEMP")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}.*disk is full`, got["error"].(map[string]any)["detail"])
	require.Equal(t, http.StatusAccepted, b.act(t, op, "retry", nil).Status)
	b.await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func badRequests(t *testing.T, b *bed) {
	vnf := b.create(t, "bad")
	path := "/vnflcm/v1/vnf_instances/" + vnf + "/instantiate"
	a := b.call(t, http.MethodPost, path, b.instantiateRequest(t, "bad", func(_, cluster map[string]any) {
		master := cluster["master_node"].(map[string]any)
		delete(master, "username")
		master["pod_cidr"] = "not a network"
		cluster["cni_manifest_path"] = "../../etc/passwd"
	}))
	require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
	for _, at := range []string{"master_node.username", "master_node.pod_cidr", "cni_manifest_path"} {
		require.Contains(t, problem(t, a), "$.additionalParams.k8s_cluster_installation_param."+at, "all at once")
	}
	a = b.call(t, http.MethodPost, path, b.instantiateRequest(t, "bad", func(req, _ map[string]any) { req["flavourId"] = "huge" }))
	require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.Status)
	require.Contains(t, problem(t, a), "huge")
	a = b.call(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": "no-such-vnfd"})
	require.Equal(t, http.StatusUnprocessableEntity, a.Status)
	a = b.call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/terminate", map[string]any{"terminationType": "FORCEFUL"})
	require.Equal(t, http.StatusConflict, a.Status)
	require.Equal(t, http.StatusNoContent, b.call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil).Status)
	a = b.call(t, http.MethodPost, "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "wrong", "type": "openstack", "auth_url": b.Cloud.Login().AuthURL,
		"auth_cred":   map[string]any{"username": b.Cloud.Login().User, "password": "wrong", "user_domain_name": "Default"},
		"vim_project": map[string]any{"name": b.Cloud.Login().Project, "project_domain_name": "Default"},
	}})
	require.GreaterOrEqual(t, a.Status, 400)
	require.Less(t, a.Status, 500, "%s", a.Body)
	require.Contains(t, string(a.Body), "refused the credentials")
}

func oneOperation(t *testing.T, b *bed) {
	b.pace(t, 0, 300*time.Millisecond)
	defer b.pace(t, 0, 0)
	vnf, op := b.instantiate(t, "one", nil)
	a := b.call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", b.instantiateRequest(t, "one", nil))
	require.Equal(t, http.StatusConflict, a.Status)
	require.Contains(t, problem(t, a), "is under way")
	b.await(t, op, quick, "COMPLETED")
	b.terminate(t, vnf)
}

func failOperation(t *testing.T, b *bed) {
	b.scriptFault(t, map[string]any{"script": "check-node", "times": 1, "exit_code": 78, "output": "windlass: no."})
	vnf, op := b.instantiate(t, "fail", nil)
	b.await(t, op, quick, "FAILED_TEMP")
	a := b.act(t, op, "fail", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), `"FAILED"`)
	// What the failed operation has left is found and used by the next one.
	op = b.begin(t, vnf, "instantiate", b.instantiateRequest(t, "fail", nil))
	b.await(t, op, quick, "COMPLETED")
	b.requireCluster(t, 3, 2)
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

func singleControlPlane(t *testing.T, b *bed) {
	vnf := b.create(t, "single")
	req := b.instantiateRequest(t, "single", func(req, cluster map[string]any) {
		req["flavourId"] = "simple"
		cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no VIP
	})
	op := b.begin(t, vnf, "instantiate", req)
	b.await(t, op, quick, "COMPLETED")
	b.requireCluster(t, 1, 1)
	require.False(t, slices.ContainsFunc(b.steps(t, op), func(s step) bool { return s.Title == "Set up HAProxy and keepalived" }))
	b.terminate(t, vnf)
	b.requireNothingLeft(t)
}

// joinStep is the step in which a second worker process, a cancel or a failure does most harm.
const joinStep = "Join the other nodes"

// awaitControlPlanes waits until the two control planes that join are in these states, in either order.
func (b *bed) awaitControlPlanes(t *testing.T, op string, limit time.Duration, states ...string) {
	t.Helper()
	slices.Sort(states)
	require.Eventually(t, func() bool {
		var got []string
		for _, s := range b.steps(t, op) {
			if s.Title == joinStep && strings.HasPrefix(s.Node, "cp-") {
				got = append(got, s.State)
			}
		}
		for len(got) < len(states) {
			got = append(got, "PENDING") // its part is not begun
		}
		slices.Sort(got)
		return slices.Equal(got, states)
	}, limit, 20*time.Millisecond, "the control planes that join are not %v", states)
}

// affected lists the VNFCs that an operation says it has changed.
func affected(opOcc map[string]any) []any {
	changes, _ := opOcc["resourceChanges"].(map[string]any)
	vnfcs, _ := changes["affectedVnfcs"].([]any)
	return vnfcs
}

// awaitNode waits until one node's part of a step is in the state.
func (b *bed) awaitNode(t *testing.T, op, title, state string) {
	t.Helper()
	b.awaitNodeFor(t, op, title, state, time.Minute)
}

func (b *bed) awaitNodeFor(t *testing.T, op, title, state string, limit time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool { return slices.Contains(b.nodeStates(t, op, title), state) }, limit, 20*time.Millisecond,
		"no node's part of %q is %s", title, state)
}

func (b *bed) nodeStates(t *testing.T, op, title string) []string {
	t.Helper()
	var out []string
	for _, s := range b.steps(t, op) {
		if s.Title == title && s.Node != "" {
			out = append(out, s.State)
		}
	}
	return out
}

func (b *bed) awaitAPI(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.api+"/readyz", nil)
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
