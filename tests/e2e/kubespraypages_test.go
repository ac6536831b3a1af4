package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/kubespray"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// kubesprayPages are the pages about clusters by kubespray and the load balancers in front of them. The second one goes
// on from the first one.
var kubesprayPages = []session{
	{
		page: "how-to/kubespray.md", sections: []string{"Instantiate", "Scale and heal", "Control planes", "Terminate"},
		own: ofAnsibleServer,
	},
	{
		page: "how-to/external-load-balancer.md", sections: []string{"Try it"},
		before: (*reader).haveKubesprayCluster,
		after:  pasting("how-to/kubespray.md", "Terminate"),
	},
}

// ofAnsibleServer are the values that the Ansible server of the test decides.
var ofAnsibleServer = []string{"ANSIBLE", "ANSIBLE_USER", "ANSIBLE_PORT", "PASSWORD"}

// haveKubesprayCluster makes the VNF of the page about kubespray.
func (r *reader) haveKubesprayCluster(t *testing.T) {
	t.Helper()
	r.paste(t, session{page: "how-to/kubespray.md", sections: []string{"Instantiate"}, own: ofAnsibleServer})
}

// TestPages_ofKubespray pastes these pages. An Ansible server is there, with a password.
func TestPages_ofKubespray(t *testing.T) {
	b := newBed(t, "fake")
	const server = "ansible"
	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	o := &others{own: map[string]string{
		"ANSIBLE": made[server].Address, "ANSIBLE_USER": "debian", "ANSIBLE_PORT": "2222", "PASSWORD": testbed.NodePassword,
	}}
	b.beforeTutorial(t)
	newReader(t, b).follow(t, "3. Register the cloud as a VIM")
	for _, s := range kubesprayPages {
		r := newReader(t, b)
		r.others = o
		r.read(t, s)
	}
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	b.RequireNothingLeft(t)
}

// copyPackages gives the reader sample packages that a test can change.
func (r *reader) copyPackages(t *testing.T) {
	t.Helper()
	dir := filepath.Join(r.dir, "vnfpkg")
	require.NoError(t, os.Remove(dir))
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(r.Root, "vnfpkg"))))
}

func (r *reader) page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Root, "docs/how-to", name))
	require.NoError(t, err)
	return string(text)
}
