package ui

import (
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// titles are the headings of the layers of a topology, with the number of parts in each.
const titles = `[...document.querySelectorAll(".layer h3")].map((e) => e.innerText.trim())`

// others looks at the sample VNFs of other kinds than a plain cluster.
func (b *tab) others() {
	b.Helper()
	for _, of := range []struct {
		sample, vnfd, request string
		layers                []string
	}{
		{"", testbed.VnfdID, "storage", []string{"Control planes 1", "Workers 2", "Storage server 1", "Networks 1", "Volumes 1"}},
		{
			"external-lb", "6c2b6f1e-4d0e-4f0b-9f6d-8a3a5b1c9e42", "external-lb",
			[]string{"Load balancer 1", "Control planes 1", "Workers 1", "Networks 1"},
		},
		{"private-registry", "7d7c4a18-1c6b-4d8a-9c53-0b6c3f1b8e20", "registry", []string{"Registry 1", "Networks 1"}},
	} {
		if of.sample != "" { // else the bed has it
			b.bed.Onboard(b, "vnfpkg/samples/"+of.sample)
		}
		vnf := b.bed.CreateOf(b, of.vnfd, of.request)
		b.bed.Await(b, b.bed.Begin(b, vnf, "instantiate", b.request(of.request)), patience, "COMPLETED")
		b.goTo("instances/" + vnf)
		b.says("h1", of.request)
		b.shows(titles, of.layers...)
		b.press("Check for drift")
		b.says(".facts", "In order")
		b.shows(`[...new Set([...document.querySelectorAll(".part .pill")].map((e) => e.innerText))]`, "In order")
	}
	b.containers()
}

// request returns the request of a sample, changed for this lab.
func (b *tab) request(name string) map[string]any {
	b.Helper()
	if name == "registry" {
		request := b.bed.RequestOf(b, "registry")
		params := request["additionalParams"].(map[string]any)
		params["node_password"] = testbed.NodePassword
		params["private_registry_installation_param"].(map[string]any)["ssh_password"] = testbed.NodePassword
		return request
	}
	return b.bed.SampleRequest(b, name, name, func(_, cluster map[string]any) {
		if lb, ok := cluster["external_lb_param"].(map[string]any); ok {
			lb["ssh_password"] = testbed.NodePassword
		}
	})
}

// containers looks at a containerised VNF on a real control plane of Kubernetes, and deletes its Deployment.
func (b *tab) containers() {
	b.Helper()
	if _, ok := image.Find(image.Options{Dir: image.DefaultDir}); !ok {
		b.Log("NOT RUN: a containerised VNF, for the programs of Kubernetes are not here; go tool task test:machines builds them.")
		return
	}
	cluster := kubetest.Start(b.T)
	b.bed.Onboard(b, "vnfpkg/samples/cnf-manifests")
	vim := b.bed.RegisterCluster(b, "containers", cluster.URL, cluster.CA, kubetest.Token)
	request := b.bed.RequestOf(b, "cnf-manifests", vim)
	vnf := b.bed.CreateOf(b, "b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24", "web")
	b.bed.Await(b, b.bed.Begin(b, vnf, "instantiate", request), patience, "COMPLETED")
	b.goTo("instances/" + vnf)
	b.says("h1", "web")
	b.shows(titles, "Kubernetes objects 1")
	b.says(".part", "Deployment")
	b.press("Check for drift")
	b.says(".facts", "In order")

	require.NoError(b, cluster.Client.AppsV1().Deployments("default").Delete(b.Context(), "web", metav1.DeleteOptions{}))
	b.press("Check for drift")
	b.says(".part.drifted", "Drifted")
	b.press("Heal…")
	b.press("Show the plan")
	b.press("Heal now")
	b.is("COMPLETED")
	b.goTo("instances/" + vnf)
	b.press("Check for drift")
	b.says(".facts", "In order")
}
