package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/kubespray"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// TestPages_ofKubespray runs the commands of the pages about clusters by kubespray and the load balancers in front of
// them.
func TestPages_ofKubespray(t *testing.T) {
	b := newBed(t, "fake")
	const server = "ansible"
	made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), server,
		kubespray.Server{Name: server, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
	require.NoError(t, err)
	r := newReader(t, b)
	r.env = []string{"ANSIBLE=" + made[server].Address, "PASSWORD=" + testbed.NodePassword}
	r.ownSamples(t)
	page := r.page(t, "kubespray.md")
	before, after, found := strings.Cut(page, "\n## Terminate\n")
	require.True(t, found)
	_, section, found := strings.Cut(r.page(t, "external-load-balancer.md"), "\n## Try it\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	r.paste(t, "kubespray.md and external-load-balancer.md", before+section+after)
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), server))
	b.RequireNothingLeft(t)
}

// ownSamples gives the reader copies of the samples, with an Ansible server of the lab.
func (r *reader) ownSamples(t *testing.T) {
	t.Helper()
	r.copyPackages(t)
	file := filepath.Join(r.dir, "vnfpkg/samples/requests/instantiate-kubespray-balanced.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	const ofPage = `"username": "ansible",`
	require.Contains(t, string(text), ofPage)
	text = []byte(strings.Replace(string(text), ofPage, `"username": "debian", "ssh_port": 2222,`, 1))
	require.NoError(t, os.WriteFile(file, text, 0o600))
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
