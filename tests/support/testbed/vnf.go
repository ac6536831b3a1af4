package testbed

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// Create creates an instance of the sample package and returns its id.
func (b *Bed) Create(t testing.TB, name string) string {
	t.Helper()
	return b.CreateOf(t, VnfdID, name)
}

// CreateOf creates an instance of a VNFD and returns its id.
func (b *Bed) CreateOf(t testing.TB, vnfdID, name string) string {
	t.Helper()
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": name})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	var out struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out.ID
}

// InstantiateRequest returns the sample's request for this cloud; edit may change the cluster's parameters.
func (b *Bed) InstantiateRequest(t testing.TB, name string, edit func(request, cluster map[string]any)) map[string]any {
	t.Helper()
	return b.SampleRequest(t, "ha", name, edit)
}

// SampleRequest is InstantiateRequest for another flavour of the sample.
func (b *Bed) SampleRequest(
	t testing.TB, flavour, name string, edit func(request, cluster map[string]any),
) map[string]any {
	t.Helper()
	req := b.RequestOf(t, flavour)
	cluster := req["additionalParams"].(map[string]any)["k8s_cluster_installation_param"].(map[string]any)
	cluster["vim_name"] = "cluster-" + name
	environment.SetNodePassword(req, NodePassword)
	b.Cloud.Adapt(req)
	if edit != nil {
		edit(req, cluster)
	}
	return req
}

// RequestOf returns the request of a sample, with the passwords of nodes and a license. Its connections lead to these
// VIMs in their order; without a VIM, the only one leads to the bed's OpenStack.
func (b *Bed) RequestOf(t testing.TB, sample string, vims ...string) (request map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests/instantiate-"+sample+".json"))
	require.NoError(t, err)
	filled := strings.NewReplacer("REPLACE-WITH-THE-PASSWORD", NodePassword, "REPLACE-WITH-A-LICENSE", License)
	require.NoError(t, json.Unmarshal([]byte(filled.Replace(string(text))), &request))
	if len(vims) == 0 {
		request["vimConnectionInfo"] = b.OnOpenStack()
	}
	for i, id := range vims {
		request["vimConnectionInfo"].([]any)[i].(map[string]any)["vimId"] = id
	}
	return request
}

// License is the license in the requests of samples. It is a secret.
const License = "license-that-nobody-sees-4711"

// OnOpenStack returns a vimConnectionInfo with the bed's OpenStack.
func (b *Bed) OnOpenStack() []any {
	return []any{map[string]any{"id": "openstack", "vimId": b.Vim, "vimType": "openstack"}}
}

// Instantiate creates an instance and begins its instantiation.
func (b *Bed) Instantiate(t testing.TB, name string, edit func(request, cluster map[string]any)) (vnf, op string) {
	t.Helper()
	vnf = b.Create(t, name)
	return vnf, b.Begin(t, vnf, "instantiate", b.InstantiateRequest(t, name, edit))
}

// Vnfcs maps the ids of an instance's VNFCs to their VDUs.
func (b *Bed) Vnfcs(t testing.TB, vnf string) map[string]string {
	t.Helper()
	info, _ := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	list, _ := info["vnfcResourceInfo"].([]any)
	out := map[string]string{}
	for _, v := range list {
		vnfc := v.(map[string]any)
		out[vnfc["id"].(string)] = vnfc["vduId"].(string)
	}
	return out
}

// VnfcOf returns the VNFC of a VDU with the lowest id.
func (b *Bed) VnfcOf(t testing.TB, vnf, vdu string) string {
	t.Helper()
	first := ""
	for id, of := range b.Vnfcs(t, vnf) {
		if of == vdu && (first == "" || id < first) {
			first = id
		}
	}
	require.NotEmpty(t, first, vdu)
	return first
}

// ScaleLevel returns an instance's level of an aspect, or -1 if it has no such aspect.
func (b *Bed) ScaleLevel(t testing.TB, vnf, aspect string) int {
	t.Helper()
	info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
	for _, s := range info["scaleStatus"].([]any) {
		if status := s.(map[string]any); status["aspectId"] == aspect {
			return int(status["scaleLevel"].(float64))
		}
	}
	return -1
}

// Changed counts the VNFCs that an operation reports as added and removed.
func Changed(opOcc map[string]any) (added, removed int) {
	for _, v := range Affected(opOcc) {
		switch v.(map[string]any)["changeType"] {
		case "ADDED":
			added++
		case "REMOVED":
			removed++
		}
	}
	return added, removed
}

// RequireChanged requires that an operation has added and removed these numbers of VNFCs.
func (b *Bed) RequireChanged(t testing.TB, op string, added, removed int) {
	t.Helper()
	gotAdded, gotRemoved := Changed(b.Get(t, op))
	require.Equal(t, [2]int{added, removed}, [2]int{gotAdded, gotRemoved}, "VNFCs added and removed")
}

// Affected lists the VNFCs that an operation reports as changed.
func Affected(opOcc map[string]any) []any {
	changes, _ := opOcc["resourceChanges"].(map[string]any)
	vnfcs, _ := changes["affectedVnfcs"].([]any)
	return vnfcs
}

// Remove terminates and deletes an instance, and returns the path of the termination.
func (b *Bed) Remove(t testing.TB, vnf string) (op string) {
	t.Helper()
	op = b.Terminate(t, vnf)
	b.Await(t, op, 5*time.Minute, "COMPLETED")
	b.Delete(t, vnf)
	return op
}

// Delete deletes an instance.
func (b *Bed) Delete(t testing.TB, vnf string) {
	t.Helper()
	a := b.Call(t, http.MethodDelete, "/vnflcm/v1/vnf_instances/"+vnf, nil)
	require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
}
