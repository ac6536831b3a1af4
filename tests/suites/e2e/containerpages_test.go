package e2e

import (
	"testing"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// containerPages are the pages about containerised VNFs.
var containerPages = []session{
	{page: "how-to/containers.md"},
	{page: "how-to/container-networks.md"},
	{page: "how-to/helm.md"},
	{page: "how-to/tosca-containers.md"},
	{page: "how-to/hybrid.md"},
	{page: "how-to/change-package.md", before: (*reader).haveWeb},
}

// TestPages_ofContainers pastes these pages. A Kubernetes with Multus is registered as the VIM edge.
func TestPages_ofContainers(t *testing.T) {
	cluster := kubetest.Start(t)
	cluster.InstallMultus(t)
	b := newBed(t, "fake")
	b.RegisterCluster(t, "edge", cluster.URL, cluster.CA, kubetest.Token)
	b.beforeTutorial(t)
	newReader(t, b).follow(t, "3. Register the cloud as a VIM")
	for _, s := range containerPages {
		if !t.Run(s.page, func(t *testing.T) { newReader(t, b).read(t, s) }) {
			return
		}
	}
	requireNoPods(t, cluster.Client)
	b.RequireNothingLeft(t)
}

// haveWeb makes the VNF of the page about containerised VNFs.
func (r *reader) haveWeb(t *testing.T) {
	t.Helper()
	s := session{page: "how-to/containers.md"}
	commands := commandsOf(s.text(t))
	script := sessionStart + "set -e\n"
	for _, c := range commands[:3] { // on-board, create, instantiate
		script += c.text + "\n"
	}
	r.run(t, script)
}
