package apiserver

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestInstantiate_refusesATakenVimName checks that the API refuses a name in use at once, although the operation
// registers the VIM of its cluster only at its end.
func TestInstantiate_refusesATakenVimName(t *testing.T) {
	b := newBench(t, withAuth)
	b.client = edge
	vim := b.registerVim("lab", true)
	_, vnfdID := b.onboard()
	request := func(name string) map[string]any {
		r := clusterRequest(vim)
		cluster := r["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)
		delete(cluster, "vim_name")
		if name != "" {
			cluster["vim_name"] = name
		}
		return r
	}
	const at = "$.additionalParams.k8s_cluster_installation_param.vim_name"
	refused := func(instance, name, says string) {
		t.Helper()
		a := b.do("POST", instance+"/instantiate", request(name))
		require.Contains(t, a.problem(http.StatusUnprocessableEntity), says)
		require.Equal(t, []string{at}, a.paths())
	}
	first, second := b.create("/vnflcm/v1", vnfdID), b.create("/vnflcm/v1", vnfdID)
	refused(first, "lab", `there is a VIM named "lab" already (`+vim+`)`)

	op := b.do("POST", first+"/instantiate", request("edge-1"))
	op.want(http.StatusAccepted)
	refused(second, "edge-1", "the operation "+last(op.path())+" on the VNF instance "+last(first)+` will register a VIM named "edge-1"`)
	b.enter(op.path(), lcm.Processing)
	b.enter(op.path(), lcm.FailedTemp)
	refused(second, "edge-1", "will register") // the operation may be retried
	refused(second, lcm.DefaultVimName+last(third(b, vnfdID, request(""))), "will register")

	b.client = core // another project has its own names
	theirs := b.registerVim("lab", true)
	_, theirVnfd := b.onboard()
	taken := request("edge-1")
	taken["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = theirs
	b.do("POST", b.create("/vnflcm/v1", theirVnfd)+"/instantiate", taken).want(http.StatusAccepted)

	b.client = edge
	b.enter(op.path(), lcm.RollingBack)
	b.enter(op.path(), lcm.RolledBack)
	b.do("POST", second+"/instantiate", request("edge-1")).want(http.StatusAccepted)
}

// TestVim_leavesNamesToOperationsInFlight checks that a client cannot register a VIM with a name that an operation in
// flight will register at its end.
func TestVim_leavesNamesToOperationsInFlight(t *testing.T) {
	b := newBench(t, withAuth)
	b.client = edge
	lab := b.registerVim("lab", true)
	_, vnfdID := b.onboard()
	instance, request := b.create("/vnflcm/v1", vnfdID), clusterRequest(lab)
	request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)["vim_name"] = "edge-1"
	op := b.do("POST", instance+"/instantiate", request)
	op.want(http.StatusAccepted)
	vim := func(name string) map[string]any {
		return map[string]any{"vim": map[string]any{
			"name": name, "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
			"auth_cred": map[string]any{"password": marker},
		}}
	}
	refused := func(ask func() answer) {
		t.Helper()
		before := sealed(b)
		a := ask()
		a.want(http.StatusConflict)
		require.Contains(t, string(a.Body),
			"The operation "+last(op.path())+" on the VNF instance "+last(instance)+` will register a VIM named \"edge-1\"`)
		require.Equal(t, before, sealed(b), "nothing is left of the request")
	}
	rename := func() answer {
		return b.do("PUT", "/v1.0/vims/"+lab, map[string]any{"vim": map[string]any{"name": "edge-1"}})
	}
	refused(func() answer { return b.do("POST", "/v1.0/vims", vim("edge-1")) })
	refused(rename)
	b.do("PUT", "/v1.0/vims/"+lab,
		map[string]any{"vim": map[string]any{"name": "lab", "description": "its own name"}}).want(http.StatusOK)
	b.do("POST", "/v1.0/vims", vim("edge-2")).want(http.StatusCreated)
	b.client = core // another project has its own names
	b.do("POST", "/v1.0/vims", vim("edge-1")).want(http.StatusCreated)
	b.client = edge

	// The operation itself can use the name.
	ctx := lcm.InProject(t.Context(), b.instance(instance).ProjectID)
	own := lcm.Vim{
		ID: rest.NewID[lcm.VimID](), Name: "edge-1", Type: lcm.VimKubernetes, Status: "REACHABLE",
		Extra: map[string]any{lcm.ClusterOfParam: last(instance)},
	}
	require.NoError(t, b.store.CreateVim(ctx, own))
	require.NoError(t, b.store.DeleteVim(ctx, own.ID))

	for _, state := range []lcm.OperationState{lcm.Processing, lcm.FailedTemp} {
		b.enter(op.path(), state)
		refused(rename)
	}
	b.enter(op.path(), lcm.RollingBack)
	b.enter(op.path(), lcm.RolledBack)
	rename().want(http.StatusOK)
}

// TestVim_andOperationDoNotGetTheSameName requests an operation and a VIM with the same name at the same time. Only one
// of them may get the name.
func TestVim_andOperationDoNotGetTheSameName(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	lab := b.registerVim("lab", true)
	for i := range 8 {
		name := fmt.Sprintf("edge-%d", i)
		request := clusterRequest(lab)
		request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)["vim_name"] = name
		instance, accepted := b.create("/vnflcm/v1", vnfdID), make(chan bool)
		go func() { accepted <- b.do("POST", instance+"/instantiate", request).Status == http.StatusAccepted }()
		go func() {
			accepted <- b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
				"name": name, "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3", "auth_cred": map[string]any{},
			}}).Status == http.StatusCreated
		}()
		first, second := <-accepted, <-accepted
		require.NotEqual(t, first, second, "one of the two gets %s", name)
	}
}

// third creates another instance, whose request contains no name.
func third(b *bench, vnfdID string, request map[string]any) (instance string) {
	b.Helper()
	instance = b.create("/vnflcm/v1", vnfdID)
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)
	return instance
}

// TestInstantiate_vimNamesOfClustersThatAreThere checks that an existing cluster keeps its name, and its own operations
// may use it.
func TestInstantiate_vimNamesOfClustersThatAreThere(t *testing.T) {
	b := newBench(t)
	vim := b.registerVim("lab", true)
	_, vnfdID := b.onboard()
	running := b.instance(b.runs("/vnflcm/v1", vnfdID, "ha", 3, 2))
	fresh := b.instance(b.create("/vnflcm/v1", vnfdID))
	own := lcm.Vim{
		ID: rest.NewID[lcm.VimID](), Name: "edge-1", Type: lcm.VimKubernetes, AuthURL: "https://192.0.2.9:6443",
		Status: "REACHABLE", Extra: map[string]any{lcm.ClusterOfParam: string(running.ID)},
	}
	require.NoError(t, b.store.CreateVim(lcm.InProject(t.Context(), lcm.DefaultProject), own))
	holder, err := b.store.VimNameHolder(t.Context(), fresh, "edge-1")
	require.NoError(t, err)
	require.Equal(t, lcm.VimNameHolder{VimID: own.ID}, holder)
	holder, err = b.store.VimNameHolder(t.Context(), running, "edge-1")
	require.NoError(t, err)
	require.Empty(t, holder)

	// The name is no reason to refuse a heal of a node or of the entire VNF. While a heal makes the cluster anew, the
	// name stays reserved.
	name, _ := k8s.Read(running.Instantiated.AdditionalParams)
	heal := b.do("POST", "/vnflcm/v1/vnf_instances/"+string(running.ID)+"/heal",
		map[string]any{"vnfcInstanceId": []string{"worker-0"}})
	heal.want(http.StatusAccepted)
	holder, err = b.store.VimNameHolder(t.Context(), fresh, name.VimNameOf(running.ID))
	require.NoError(t, err)
	require.Equal(t, lcm.VimNameHolder{OpOccID: lcm.OpOccID(last(heal.path())), VnfInstanceID: running.ID}, holder)
	require.NotEmpty(t, vim)
}

// TestInstantiate_oneOfManyGetsAVimName sends several requests with the same name at the same time. Only one of them
// may get the name.
func TestInstantiate_oneOfManyGetsAVimName(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	request := clusterRequest(b.registerVim("lab", true))
	var instances []string
	for range 6 {
		instances = append(instances, b.create("/vnflcm/v1", vnfdID))
	}
	status := make(chan int)
	for _, instance := range instances {
		go func() { status <- b.do("POST", instance+"/instantiate", request).Status }()
	}
	got := map[int]int{}
	for range instances {
		got[<-status]++
	}
	require.Equal(t, map[int]int{http.StatusAccepted: 1, http.StatusUnprocessableEntity: 5}, got)
}
