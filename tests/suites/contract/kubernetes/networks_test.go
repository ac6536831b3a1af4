package kubernetes

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

const mediaConfig = `{"cniVersion": "0.3.1", "type": "macvlan", "ipam": {"type": "static", "routes": [{"dst": "10.0.0.0/8"}],
 "addresses": [{"address": "10.7.0.0/20"}]}}`

const network = `---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: signalling}
spec: {config: '{"type": "bridge"}'}
`

const barePod = `---
apiVersion: v1
kind: Pod
metadata: {name: bare, annotations: {k8s.v1.cni.cncf.io/networks: "nets/media@own"}}
spec: {containers: [{name: main, image: httpd}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: set}
spec:
  replicas: 2
  selector: {matchLabels: {app: set}}
  template:
    metadata: {labels: {app: set}}
    spec: {containers: [{name: main, image: httpd}]}
`

// TestNetworks attaches Pods to networks of Multus, and changes the networks later.
func TestNetworks(t *testing.T) {
	t.Parallel()
	p := start(t)
	c := p.Connect(t, "default")
	workloads := map[string]kube.Workload{
		"WEB": {Kind: "Deployment", Name: "web"}, "BARE": {Kind: "Pod", Name: "bare"}, "SET": {Kind: "ReplicaSet", Name: "set"},
	}
	d := kube.Definition{
		Objects: manifests(t, deployment("web", "httpd", 1)+barePod), Workloads: workloads,
		Attachments: []kube.Attachment{
			{Vdu: "WEB", Cpd: "web_ext", Path: "$.extVirtualLinks[0].resourceId", Network: "nets/media", Addresses: []string{"10.7.1.5"}},
			{Vdu: "WEB", Cpd: "a_connection_point_with_a_long_name", Path: "$.extVirtualLinks[1].resourceId", Network: "signalling"},
			{Vdu: "BARE", Cpd: "bare_ext", Path: "$.extVirtualLinks[1].resourceId", Network: "signalling"},
			{Vdu: "SET", Cpd: "set_ext", Path: "$.extVirtualLinks[1].resourceId", Network: "signalling"},
		},
	}
	_, err := deploy(t, c, "vnf-1", owner, d)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "$.extVirtualLinks[0].resourceId")
	require.ErrorContains(t, err, "no NetworkAttachmentDefinitions; install Multus")
	requireNothingOf(t, p, owner)

	p.InstallMultus(t)
	_, err = p.Client.CoreV1().Namespaces().Create(t.Context(), kubetest.Namespace("nets"), metav1.CreateOptions{})
	require.NoError(t, err)
	p.AddNetwork(t, "nets", "media", mediaConfig)
	p.AddNetwork(t, "nets", "other", mediaConfig)
	_, err = deploy(t, c, "vnf-1", owner, d)
	require.ErrorContains(t, err, "no NetworkAttachmentDefinition signalling in the namespace default")
	requireNothingOf(t, p, owner)

	d.Objects = append(d.Objects, manifests(t, network)...)
	for range 2 {
		_, err = deploy(t, c, "vnf-1", owner, d)
		require.NoError(t, err)
	}
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	web := portsNamed(t, inv, "web_ext", 1)[0]
	require.Equal(t, "10.7.1.5", web.Address)
	require.Equal(t, "nets/media", web.NetworkID)
	require.NotEmpty(t, web.MAC)
	require.Contains(t, inv.Servers, web.ServerID)
	require.Equal(t, "signalling", portsNamed(t, inv, "a_connection_point_with_a_long_name", 1)[0].NetworkID)
	portsNamed(t, inv, "bare_ext", 1)
	portsNamed(t, inv, "own", 1) // the annotation of the manifest has it
	portsNamed(t, inv, "set_ext", 2)
	pod, err := p.Client.CoreV1().Pods("default").Get(t.Context(), web.ServerID, metav1.GetOptions{})
	require.NoError(t, err)
	require.Contains(t, pod.Annotations["k8s.v1.cni.cncf.io/networks"], `"ips":["10.7.1.5/20"]`, "the subnet's length is the network's")
	var nets []string
	for _, r := range inv.OfKind(vim.Network) {
		nets = append(nets, r.Name)
	}
	require.Equal(t, []string{"signalling"}, nets)

	// Other networks replace them in all kinds of workloads. Then the former networks return.
	renewed := slices.Clone(d.Attachments)
	for i := range renewed {
		if renewed[i].Network == "signalling" {
			renewed[i].Network = "nets/other"
		}
	}
	change := func(to []kube.Attachment) error {
		return c.Change(t.Context(), vim.Change{
			Name: "vnf-1", Owner: owner, Operation: "change", Timeout: time.Minute, Definition: kube.Definition{Attachments: to},
		}, func(string) {})
	}
	for _, to := range [][]kube.Attachment{renewed, renewed, d.Attachments} {
		require.NoError(t, change(to))
		inv, err = c.Inventory(t.Context(), "vnf-1")
		require.NoError(t, err)
		for name, count := range map[string]int{"a_connection_point_with_a_long_name": 1, "bare_ext": 1, "set_ext": 2} {
			for _, port := range portsNamed(t, inv, name, count) {
				require.Equal(t, to[1].Network, port.NetworkID, name)
			}
		}
		portsNamed(t, inv, "own", 1)
		portsNamed(t, inv, "web_ext", 1)
	}

	// Somebody deletes a network while the VNF is attached to another one. The connector reports that when a change needs
	// the network.
	require.NoError(t, p.Client.Discovery().RESTClient().Delete().
		AbsPath("/apis/k8s.cni.cncf.io/v1/namespaces/nets/network-attachment-definitions/other").Do(t.Context()).Error())
	require.ErrorContains(t, change(renewed), "no NetworkAttachmentDefinition other in the namespace nets")

	// The cluster has NetworkAttachmentDefinitions, but Multus attaches no Pod. The connector reports that.
	p.Kubelet.WithoutMultus.Store(true)
	err = change([]kube.Attachment{{Vdu: "WEB", Cpd: "web_ext", Network: "signalling"}})
	require.ErrorContains(t, err, "Check whether Multus works on the node node-1")
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

func portsNamed(t *testing.T, inv *vim.Inventory, name string, count int) (out []vim.Port) {
	t.Helper()
	for _, r := range inv.OfKind(vim.LinkPort) {
		if r.Name == name {
			out = append(out, inv.Ports[r.ID])
		}
	}
	require.Len(t, out, count, name)
	return out
}
