package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const (
	networksPackage = "vnfpkg/samples/cnf-networks"
	networksVnfdID  = "3f1c8a57-94d2-4f6e-8d0b-6a2e5b7c9d13"
)

// TestContainersNetworks connects Pods to networks of Multus, and changes the networks later.
func TestContainersNetworks(t *testing.T) {
	cluster := kubetest.Start(t)
	cluster.InstallMultus(t)
	b := newBed(t, "fake")
	b.Onboard(t, networksPackage)
	vim := b.registerCluster(t, cluster, "default")
	for version := range 2 {
		b.connectsContainers(t, cluster, vim, "/vnflcm/v"+string(rune('1'+version)))
	}
	b.refusesNetworks(t, vim)
}

// networksRequest returns a request of the sample in the form of a version of the API.
func (b *bed) networksRequest(t *testing.T, file, vim, api string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.Root, "vnfpkg/samples/requests", file))
	require.NoError(t, err)
	var request map[string]any
	require.NoError(t, json.Unmarshal(text, &request))
	if list, ok := request["vimConnectionInfo"].([]any); ok {
		connection := list[0].(map[string]any)
		connection["vimId"] = vim
		if api == "/vnflcm/v2" {
			delete(connection, "id")
			request["vimConnectionInfo"] = map[string]any{"kubernetes": connection}
		}
	}
	if api == "/vnflcm/v2" {
		for _, link := range request["extVirtualLinks"].([]any) {
			cp := link.(map[string]any)["extCps"].([]any)[0].(map[string]any)
			cp["cpConfig"] = map[string]any{"one": cp["cpConfig"].([]any)[0]}
		}
	}
	return request
}

// connectsContainers runs the operations of the sample by one version of the API.
func (b *bed) connectsContainers(t *testing.T, cluster *kubetest.ControlPlane, vim, api string) {
	t.Helper()
	a := b.Call(t, http.MethodPost, api+"/vnf_instances", map[string]any{"vnfdId": networksVnfdID, "vnfInstanceName": "nets"})
	require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
	s := secondForm{b, strings.TrimPrefix(a.Header.Get("Location"), b.URL)}
	s.done(t, "instantiate", b.networksRequest(t, "instantiate-cnf-networks.json", vim, api))
	s.requireNetwork(t, cluster, "media", "media", "10.12.0.20")
	s.requireNetwork(t, cluster, "signalling", "signalling", "")

	// The scale-out is refused: all Pods would have the fixed address.
	more := map[string]any{"type": "SCALE_OUT", "aspectId": "web_pods"}
	a = b.Call(t, http.MethodPost, s.path+"/scale", more)
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, string(a.Body), "media has a fixed address")

	request := b.networksRequest(t, "change-ext-conn-cnf-networks.json", vim, api)
	a = b.Call(t, http.MethodPost, "/windlass/v1/vnf_instances/"+filepath.Base(s.path)+"/plan", map[string]any{
		"operation": "CHANGE_EXT_CONN", "request": request,
	})
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	s.done(t, "change_ext_conn", request)
	s.requireNetwork(t, cluster, "media", "media-new", "")
	s.done(t, "scale", more)
	require.Len(t, s.portsOf(t, "media"), 2)
	s.done(t, "heal", map[string]any{})
	require.Len(t, s.portsOf(t, "media"), 2)

	// The change fails before any Pod goes, because the network does not exist. After the rollback the VNF is
	// unchanged.
	had := s.portsOf(t, "media")
	link := request["extVirtualLinks"].([]any)[0].(map[string]any)
	link["resourceId"] = "nowhere"
	op := s.begin(t, "change_ext_conn", request)
	failed := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "no NetworkAttachmentDefinition nowhere in the namespace default")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Equal(t, had, s.portsOf(t, "media"))

	// Somebody makes the network after the failure, and the retry finds it.
	link["resourceId"] = "late" + api[len(api)-1:]
	op = s.begin(t, "change_ext_conn", request)
	b.Await(t, op, quick, "FAILED_TEMP")
	cluster.AddNetwork(t, "default", link["resourceId"].(string), "{}")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	s.requireNetwork(t, cluster, "media", link["resourceId"].(string), "")

	// Without Multus the Pods start without the interfaces. The error says so, and the rollback works.
	cluster.Kubelet.WithoutMultus.Store(true)
	link["resourceId"] = "media"
	op = s.begin(t, "change_ext_conn", request)
	failed = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, failed["error"].(map[string]any)["detail"], "Check whether Multus works on the node")
	cluster.Kubelet.WithoutMultus.Store(false)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	s.requireNetwork(t, cluster, "media", "late"+api[len(api)-1:], "")

	s.done(t, "operate", map[string]any{"changeStateTo": "STOPPED"})
	a = b.Call(t, http.MethodPost, s.path+"/change_ext_conn", request)
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	s.done(t, "operate", map[string]any{"changeStateTo": "STARTED"})
	s.requireNetwork(t, cluster, "media", "late"+api[len(api)-1:], "")
	s.done(t, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	requireNoPods(t, cluster.Client)
	require.Equal(t, http.StatusNoContent, b.Call(t, http.MethodDelete, s.path, nil).Status)
}

// portsOf returns the ids of the ports that a connection point has on its external link.
func (s secondForm) portsOf(t *testing.T, cpd string) (ids []any) {
	t.Helper()
	info := s.Get(t, s.path)["instantiatedVnfInfo"].(map[string]any)
	for _, cp := range info["extCpInfo"].([]any) {
		if cp := cp.(map[string]any); cp["cpdId"] == cpd && cp["extLinkPortId"] != nil {
			ids = append(ids, cp["extLinkPortId"])
		}
	}
	return ids
}

// requireNetwork checks that each Pod's interface of a connection point is on that network, and that the VnfInstance
// says so.
func (s secondForm) requireNetwork(t *testing.T, cluster *kubetest.ControlPlane, cpd, network, address string) {
	t.Helper()
	pods, err := cluster.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	type status struct {
		Name, Interface, MAC string
		IPs                  []string
	}
	var want [][]any
	for _, pod := range pods.Items {
		var made []status
		require.NoError(t, json.Unmarshal([]byte(pod.Annotations["k8s.v1.cni.cncf.io/network-status"]), &made))
		for _, i := range made {
			if i.Interface == cpd {
				require.Equal(t, "default/"+network, i.Name)
				want = append(want, []any{string(pod.UID) + "/" + cpd, i.MAC, i.IPs[0]})
			}
		}
	}
	require.Len(t, want, len(pods.Items))
	var have [][]any
	info := s.Get(t, s.path)["instantiatedVnfInfo"].(map[string]any)
	for _, cp := range info["extCpInfo"].([]any) {
		cp := cp.(map[string]any)
		if cp["cpdId"] != cpd {
			continue
		}
		over := cp["cpProtocolInfo"].([]any)[0].(map[string]any)["ipOverEthernet"].(map[string]any)
		ips := over["ipAddresses"].([]any)[0].(map[string]any)
		require.Equal(t, address == "", ips["isDynamic"] == true)
		have = append(have, []any{cp["extLinkPortId"], over["macAddress"], ips["addresses"].([]any)[0]})
		require.Contains(t, []any{"", ips["addresses"].([]any)[0]}, address)
	}
	require.ElementsMatch(t, want, have)
	var links []any
	for _, link := range info["extVirtualLinkInfo"].([]any) {
		links = append(links, link.(map[string]any)["resourceHandle"].(map[string]any)["resourceId"])
	}
	require.Contains(t, links, network)
}

// refusesNetworks checks that Windlass refuses at once what no cluster can do.
func (b *bed) refusesNetworks(t *testing.T, vim string) {
	t.Helper()
	vnf := b.CreateOf(t, networksVnfdID, "refused")
	for says, change := range map[string]func(request map[string]any){
		"the VDU web has 3 Pods": func(request map[string]any) { request["instantiationLevelId"] = "large" },
		"must name a NetworkAttachmentDefinition of the cluster": func(request map[string]any) {
			request["extVirtualLinks"].([]any)[0].(map[string]any)["resourceId"] = "Not A Name"
		},
	} {
		request := b.networksRequest(t, "instantiate-cnf-networks.json", vim, "/vnflcm/v1")
		change(request)
		a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", request)
		require.Equal(t, http.StatusBadRequest, a.Status, "%s", a.Body)
		require.Contains(t, string(a.Body), says)
	}
}
