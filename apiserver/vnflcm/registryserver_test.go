package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// onboardRegistry uploads the sample package of a registry.
func onboardRegistry(b *servertest.Bench) (vnfdID string) {
	b.Helper()
	return b.OnboardDir("../../vnfpkg/samples/private-registry")
}

// registryRequest returns one of the sample's requests, and its parameters for the registry.
func registryRequest(t *testing.T, name, vim string) (request, params map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../../vnfpkg/samples/requests/" + name + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &request))
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = vim
	return request, request["additionalParams"].(map[string]any)[registry.ParamsKey].(map[string]any)
}

func TestRegistry_onAVolumeIsCheckedWhenItIsMadeAndHealed(t *testing.T) {
	b := servertest.New(t)
	vnfdID := onboardRegistry(b)
	instance := b.Create("/vnflcm/v1", vnfdID)
	request, params := registryRequest(t, "instantiate-registry-volume", b.RegisterVim("lab", true))
	const at = "$.additionalParams.private_registry_installation_param"
	volume := params["volume"].(map[string]any)
	for name, says := range map[string]string{"nothing": "no resource", "CP1": "a volume is needed"} {
		volume["volume_resource_id"] = name
		a := b.Do("POST", instance+"/instantiate", request)
		require.Contains(t, a.Problem(http.StatusUnprocessableEntity), says)
		require.Equal(t, []string{at + ".volume.volume_resource_id"}, a.Paths())
	}
	volume["volume_resource_id"] = "registry_volume"
	params["tls"].(map[string]any)["host_names"] = []any{"a_b"}
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{at + ".tls.host_names[0]"}, a.Paths())
	params["tls"].(map[string]any)["host_names"] = []any{"registry.example.com"}
	plan := b.Do("POST", "/windlass/v1/vnf_instances/"+string(b.Instance(instance).ID)+"/plan",
		map[string]any{"operation": "INSTANTIATE", "request": request}).Want(http.StatusOK)
	require.Contains(t, plan["steps"], map[string]any{
		"id":    "mount-registry-volume",
		"title": "Mount the volume of the registry",
	})
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)

	stored, err := json.Marshal(request["additionalParams"])
	require.NoError(t, err)
	running := b.Instance(b.Create("/vnflcm/v1", vnfdID))
	running.InstantiationState, running.Instantiated = lcm.Instantiated, &lcm.InstantiatedVnfInfo{
		FlavourID: "volume", VnfState: "STARTED", AdditionalParams: stored,
		VnfcResources: []lcm.VnfcResourceInfo{{
			ID: "s", VduID: "PrivateRegistryVDU",
			ComputeResource: lcm.ResourceHandle{ResourceID: "s"}, StorageIDs: []string{"v"},
		}},
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), running))
	healed := "/vnflcm/v1/vnf_instances/" + string(running.ID) + "/heal"
	heal := func(additional map[string]any) map[string]any { return map[string]any{"additionalParams": additional} }
	a = b.Do(
		"POST",
		healed,
		heal(
			map[string]any{
				registry.ParamsKey: map[string]any{"tls": map[string]any{"host_names": []any{"x y"}}, "colour": "red"},
			},
		),
	)
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + ".tls.host_names[0]", at + ".colour"}, a.Paths())
	planned := func(additional map[string]any) map[string]any {
		return b.Do("POST", "/windlass/v1/vnf_instances/"+string(running.ID)+"/plan",
			map[string]any{"operation": "HEAL", "request": heal(additional)}).Want(http.StatusOK)
	}
	require.Equal(t, true, planned(nil)["keepVolumes"])
	require.Equal(t, true, planned(map[string]any{"keep_volumes": false})["whole"])
	b.Do("POST", healed, heal(map[string]any{registry.ParamsKey: map[string]any{"tls": map[string]any{"host_names": []any{"other.example.com"}}}})).
		Want(http.StatusAccepted)
}

func TestInstantiate_checksTheParametersOfARegistry(t *testing.T) {
	b := servertest.New(t)
	vnfdID := onboardRegistry(b)
	instance := b.Create("/vnflcm/v1", vnfdID)
	request, params := registryRequest(t, "instantiate-registry", b.RegisterVim("lab", true))
	const at = "$.additionalParams.private_registry_installation_param"

	params["port_no"], params["ssh_username"] = 0.5, ""
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + ".port_no", at + ".ssh_username"}, a.Paths())
	params["port_no"], params["ssh_username"], params["image_path"] = "5001", "debian", "Files/images/registry.tar"
	a = b.Do("POST", instance+"/instantiate", request)
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "has no file")
	require.Equal(t, []string{at + ".image_path"}, a.Paths())
	delete(params, "image_path")
	plan := b.Do("POST", "/windlass/v1/vnf_instances/"+string(b.Instance(instance).ID)+"/plan",
		map[string]any{"operation": "INSTANTIATE", "request": request}).Want(http.StatusOK)
	require.Contains(t, plan["steps"], map[string]any{"id": "install-registry", "title": "Install the registry"})
	b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)

	stored, err := json.Marshal(request["additionalParams"])
	require.NoError(t, err)
	running := b.Instance(b.Create("/vnflcm/v1", vnfdID))
	running.InstantiationState, running.Instantiated = lcm.Instantiated, &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: "STARTED", AdditionalParams: stored,
		VnfcResources: []lcm.VnfcResourceInfo{{ID: "s", VduID: "PrivateRegistryVDU"}},
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), running))
	a = b.Do("POST", "/vnflcm/v1/vnf_instances/"+string(running.ID)+"/scale",
		map[string]any{"type": "SCALE_OUT", "aspectId": "x"})
	require.Contains(t, a.Problem(http.StatusNotFound), "cannot be scaled")
}
