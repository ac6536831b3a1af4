package vnflcm_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestInstantiate_refusesATakenVimName checks that the API refuses a name in use at once, although the operation
// registers the VIM of its cluster only at its end.
func TestInstantiate_refusesATakenVimName(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	b.Client = servertest.Edge
	vim := b.RegisterVim("lab", true)
	_, vnfdID := b.Onboard()
	request := func(name string) map[string]any {
		r := servertest.ClusterRequest(vim)
		cluster := r["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)
		delete(cluster, "vim_name")
		if name != "" {
			cluster["vim_name"] = name
		}
		return r
	}
	const at = "$.additionalParams.k8s_cluster_installation_param.vim_name"
	refused := func(instance, name, says string) {
		t.Helper()
		a := b.Do("POST", instance+"/instantiate", request(name))
		require.Contains(t, a.Problem(http.StatusUnprocessableEntity), says)
		require.Equal(t, []string{at}, a.Paths())
	}
	first, second := b.Create("/vnflcm/v1", vnfdID), b.Create("/vnflcm/v1", vnfdID)
	refused(first, "lab", `there is a VIM named "lab" already (`+vim+`)`)

	op := b.Do("POST", first+"/instantiate", request("edge-1"))
	op.Want(http.StatusAccepted)
	refused(
		second,
		"edge-1",
		"the operation "+servertest.LastPart(
			op.Path(),
		)+" on the VNF instance "+servertest.LastPart(
			first,
		)+` will register a VIM named "edge-1"`,
	)
	b.Enter(op.Path(), lcm.Processing)
	b.Enter(op.Path(), lcm.FailedTemp)
	refused(second, "edge-1", "will register") // the operation may be retried
	refused(second, k8s.DefaultVimName+servertest.LastPart(third(b, vnfdID, request(""))), "will register")

	b.Client = servertest.Core // another project has its own names
	theirs := b.RegisterVim("lab", true)
	_, theirVnfd := b.Onboard()
	taken := request("edge-1")
	taken["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = theirs
	b.Do("POST", b.Create("/vnflcm/v1", theirVnfd)+"/instantiate", taken).Want(http.StatusAccepted)

	b.Client = servertest.Edge
	b.Enter(op.Path(), lcm.RollingBack)
	b.Enter(op.Path(), lcm.RolledBack)
	b.Do("POST", second+"/instantiate", request("edge-1")).Want(http.StatusAccepted)
}

// TestVim_leavesNamesToOperationsInFlight checks that a client cannot register a VIM with a name that an operation in
// flight will register at its end.
func TestVim_leavesNamesToOperationsInFlight(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	b.Client = servertest.Edge
	lab := b.RegisterVim("lab", true)
	_, vnfdID := b.Onboard()
	instance, request := b.Create("/vnflcm/v1", vnfdID), servertest.ClusterRequest(lab)
	request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)["vim_name"] = "edge-1"
	op := b.Do("POST", instance+"/instantiate", request)
	op.Want(http.StatusAccepted)
	vim := func(name string) map[string]any {
		return map[string]any{"vim": map[string]any{
			"name": name, "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
			"auth_cred": map[string]any{"password": servertest.Marker},
		}}
	}
	refused := func(ask func() servertest.Answer) {
		t.Helper()
		before := b.Sealed()
		a := ask()
		a.Want(http.StatusConflict)
		require.Contains(
			t,
			string(a.Body),
			"The operation "+servertest.LastPart(
				op.Path(),
			)+" on the VNF instance "+servertest.LastPart(
				instance,
			)+` will register a VIM named \"edge-1\"`,
		)
		require.Equal(t, before, b.Sealed(), "nothing is left of the request")
	}
	rename := func() servertest.Answer {
		return b.Do("PUT", "/v1.0/vims/"+lab, map[string]any{"vim": map[string]any{"name": "edge-1"}})
	}
	refused(func() servertest.Answer { return b.Do("POST", "/v1.0/vims", vim("edge-1")) })
	refused(rename)
	b.Do("PUT", "/v1.0/vims/"+lab,
		map[string]any{"vim": map[string]any{"name": "lab", "description": "its own name"}}).Want(http.StatusOK)
	b.Do("POST", "/v1.0/vims", vim("edge-2")).Want(http.StatusCreated)
	b.Client = servertest.Core // another project has its own names
	b.Do("POST", "/v1.0/vims", vim("edge-1")).Want(http.StatusCreated)
	b.Client = servertest.Edge

	// The operation itself can use the name.
	ctx := lcm.InProject(t.Context(), b.Instance(instance).ProjectID)
	own := lcm.Vim{
		ID: rest.NewID[lcm.VimID](), Name: "edge-1", Type: lcm.VimKubernetes, Status: "REACHABLE",
		Extra: map[string]any{lcm.ClusterOfParam: servertest.LastPart(instance)},
	}
	require.NoError(t, b.Store.CreateVim(ctx, own))
	require.NoError(t, b.Store.DeleteVim(ctx, own.ID))

	for _, state := range []lcm.OperationState{lcm.Processing, lcm.FailedTemp} {
		b.Enter(op.Path(), state)
		refused(rename)
	}
	b.Enter(op.Path(), lcm.RollingBack)
	b.Enter(op.Path(), lcm.RolledBack)
	rename().Want(http.StatusOK)
}

// TestVim_andOperationDoNotGetTheSameName requests an operation and a VIM with the same name at the same time. Only one
// of them may get the name.
func TestVim_andOperationDoNotGetTheSameName(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	lab := b.RegisterVim("lab", true)
	for i := range 8 {
		name := fmt.Sprintf("edge-%d", i)
		request := servertest.ClusterRequest(lab)
		request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)["vim_name"] = name
		instance, accepted := b.Create("/vnflcm/v1", vnfdID), make(chan bool)
		go func() { accepted <- b.Do("POST", instance+"/instantiate", request).Status == http.StatusAccepted }()
		go func() {
			accepted <- b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
				"name": name, "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3", "auth_cred": map[string]any{},
			}}).Status == http.StatusCreated
		}()
		first, second := <-accepted, <-accepted
		require.NotEqual(t, first, second, "one of the two gets %s", name)
	}
}

// third creates another instance, whose request contains no name.
func third(b *servertest.Bench, vnfdID string, request map[string]any) (instance string) {
	b.Helper()
	instance = b.Create("/vnflcm/v1", vnfdID)
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
	return instance
}

// TestInstantiate_vimNamesOfClustersThatAreThere checks that an existing cluster keeps its name, and its own operations
// may use it.
func TestInstantiate_vimNamesOfClustersThatAreThere(t *testing.T) {
	b := servertest.New(t)
	vim := b.RegisterVim("lab", true)
	_, vnfdID := b.Onboard()
	running := b.Instance(b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 2))
	fresh := b.Instance(b.Create("/vnflcm/v1", vnfdID))
	own := lcm.Vim{
		ID: rest.NewID[lcm.VimID](), Name: "edge-1", Type: lcm.VimKubernetes, AuthURL: "https://192.0.2.9:6443",
		Status: "REACHABLE", Extra: map[string]any{lcm.ClusterOfParam: string(running.ID)},
	}
	require.NoError(t, b.Store.CreateVim(lcm.InProject(t.Context(), lcm.DefaultProject), own))
	holder, err := b.Store.VimNameHolder(t.Context(), fresh, "edge-1")
	require.NoError(t, err)
	require.Equal(t, lcm.VimNameHolder{VimID: own.ID}, holder)
	holder, err = b.Store.VimNameHolder(t.Context(), running, "edge-1")
	require.NoError(t, err)
	require.Empty(t, holder)

	// The name is no reason to refuse a heal of a node or of the entire VNF. While a heal makes the cluster anew, the
	// name stays reserved.
	name, _ := k8s.Read(running.Instantiated.AdditionalParams)
	heal := b.Do("POST", "/vnflcm/v1/vnf_instances/"+string(running.ID)+"/heal",
		map[string]any{"vnfcInstanceId": []string{"worker-0"}})
	heal.Want(http.StatusAccepted)
	holder, err = b.Store.VimNameHolder(t.Context(), fresh, name.VimNameOf(running.ID))
	require.NoError(t, err)
	require.Equal(
		t,
		lcm.VimNameHolder{OpOccID: lcm.OpOccID(servertest.LastPart(heal.Path())), VnfInstanceID: running.ID},
		holder,
	)
	require.NotEmpty(t, vim)
}

// TestInstantiate_oneOfManyGetsAVimName sends several requests with the same name at the same time. Only one of them
// may get the name.
func TestInstantiate_oneOfManyGetsAVimName(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	request := servertest.ClusterRequest(b.RegisterVim("lab", true))
	var instances []string
	for range 6 {
		instances = append(instances, b.Create("/vnflcm/v1", vnfdID))
	}
	status := make(chan int)
	for _, instance := range instances {
		go func() { status <- b.Do("POST", instance+"/instantiate", request).Status }()
	}
	got := map[int]int{}
	for range instances {
		got[<-status]++
	}
	require.Equal(t, map[int]int{http.StatusAccepted: 1, http.StatusUnprocessableEntity: 5}, got)
}
