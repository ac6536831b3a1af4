package kubetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	networks      = "k8s.v1.cni.cncf.io/networks"
	networkStatus = "k8s.v1.cni.cncf.io/network-status"
	// networksAPI is the path of NetworkAttachmentDefinitions.
	networksAPI = "/apis/k8s.cni.cncf.io/v1"
)

// attachment is an element of the annotation that Multus reads, or of the annotation that it writes.
type attachment struct {
	Name      string   `json:"name"`
	Namespace string   `json:"namespace,omitempty"`
	Interface string   `json:"interface"`
	IPs       []string `json:"ips,omitempty"`
	MAC       string   `json:"mac,omitempty"`
	Default   bool     `json:"default,omitempty"`
}

// plug writes, before the Pod's containers start, which interfaces the Pod has, as Multus does.
func (k *Kubelet) plug(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	var wanted []attachment
	text := pod.Annotations[networks]
	if text == "" || k.WithoutMultus.Load() || pod.Annotations[networkStatus] != "" {
		return pod, nil
	}
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		return nil, err
	}
	made := []attachment{{Name: "cbr0", Interface: "eth0", IPs: []string{"10.244.0.1"}, Default: true}}
	for _, a := range wanted {
		n := k.addresses.Add(1)
		a.Name, a.Namespace = a.Namespace+"/"+a.Name, ""
		if a.MAC == "" {
			a.MAC = fmt.Sprintf("0a:58:c0:a8:%02x:%02x", n/250, n%250)
		}
		if len(a.IPs) == 0 {
			a.IPs = []string{fmt.Sprintf("192.168.%d.%d", n/250, n%250)}
		}
		for i := range a.IPs {
			a.IPs[i], _, _ = strings.Cut(a.IPs[i], "/")
		}
		made = append(made, a)
	}
	said, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	pod.Annotations[networkStatus] = string(said)
	return k.client.CoreV1().Pods(pod.Namespace).Update(ctx, pod, metav1.UpdateOptions{})
}

// InstallMultus adds the kind NetworkAttachmentDefinition to the cluster.
func (p *ControlPlane) InstallMultus(t testing.TB) {
	t.Helper()
	const definition = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
"metadata": {"name": "network-attachment-definitions.k8s.cni.cncf.io"},
"spec": {"group": "k8s.cni.cncf.io", "scope": "Namespaced",
 "names": {"plural": "network-attachment-definitions", "singular": "network-attachment-definition",
  "kind": "NetworkAttachmentDefinition", "shortNames": ["net-attach-def"]},
 "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
  "properties": {"spec": {"type": "object", "properties": {"config": {"type": "string"}}}}}}}]}}`
	p.post(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
	require.Eventually(t, func() bool {
		return p.Client.Discovery().RESTClient().Get().
			AbsPath(networksAPI+"/network-attachment-definitions").Do(t.Context()).Error() == nil
	}, time.Minute, 100*time.Millisecond, "the kind is served")
}

// AddNetwork creates a NetworkAttachmentDefinition.
func (p *ControlPlane) AddNetwork(t testing.TB, namespace, name, config string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
		"metadata": map[string]any{"name": name, "namespace": namespace}, "spec": map[string]any{"config": config},
	})
	require.NoError(t, err)
	p.post(t, networksAPI+"/namespaces/"+namespace+"/network-attachment-definitions", string(text))
}

func (p *ControlPlane) post(t testing.TB, path, body string) {
	t.Helper()
	require.NoError(t, p.Client.Discovery().RESTClient().Post().AbsPath(path).
		SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(t.Context()).Error())
}
