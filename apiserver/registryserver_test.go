package apiserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestInstantiate_checksTheParametersOfARegistry(t *testing.T) {
	b := newBench(t)
	var csar bytes.Buffer
	require.NoError(t, vnfpkg.Build("../vnfpkg/samples/private-registry", &csar))
	created := b.do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{})
	b.do("PUT", created.path()+"/package_content", &csar, "Content-Type: application/zip").want(http.StatusAccepted)
	vnfdID := b.do("GET", created.path(), nil).want(http.StatusOK)["vnfdId"].(string)
	instance := b.create("/vnflcm/v1", vnfdID)
	text, err := os.ReadFile("../vnfpkg/samples/requests/instantiate-registry.json")
	require.NoError(t, err)
	var request map[string]any
	require.NoError(t, json.Unmarshal(text, &request))
	request["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = b.registerVim("lab", true)
	params := request["additionalParams"].(map[string]any)[lcm.RegistryServerKey].(map[string]any)
	const at = "$.additionalParams.private_registry_installation_param"

	params["port_no"], params["ssh_username"] = 0.5, ""
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + ".port_no", at + ".ssh_username"}, a.paths())
	params["port_no"], params["ssh_username"], params["image_path"] = "5001", "debian", "Files/images/registry.tar"
	a = b.do("POST", instance+"/instantiate", request)
	require.Contains(t, a.problem(http.StatusUnprocessableEntity), "has no file")
	require.Equal(t, []string{at + ".image_path"}, a.paths())
	delete(params, "image_path")
	plan := b.do("POST", "/windlass/v1/vnf_instances/"+string(b.instance(instance).ID)+"/plan", map[string]any{"operation": "INSTANTIATE", "request": request}).want(http.StatusOK)
	require.Contains(t, plan["steps"], map[string]any{"title": "Install the registry"})
	b.do("POST", instance+"/instantiate", request).want(http.StatusAccepted)

	running := b.instance(b.create("/vnflcm/v1", vnfdID))
	running.InstantiationState, running.Instantiated = lcm.Instantiated, &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: "STARTED", VnfcResources: []lcm.VnfcResourceInfo{{ID: "s", VduID: "PrivateRegistryVDU"}},
	}
	require.NoError(t, b.store.UpdateInstance(t.Context(), running))
	a = b.do("POST", "/vnflcm/v1/vnf_instances/"+string(running.ID)+"/scale", map[string]any{"type": "SCALE_OUT", "aspectId": "x"})
	require.Contains(t, a.problem(http.StatusNotFound), "cannot be scaled")
}
