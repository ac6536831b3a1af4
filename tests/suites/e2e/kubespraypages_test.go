package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// ansibleServer is the section of kubespray.md that makes an Ansible server in the lab.
const ansibleServer = "An Ansible server of the lab"

// kubesprayPages are the pages about clusters by kubespray and the load balancers in front of them. The second one goes
// on from the first one.
var kubesprayPages = []session{
	{
		page:     "how-to/kubespray.md",
		sections: []string{ansibleServer, "Instantiate", "Scale and heal", "Control planes", "Terminate"},
	},
	{
		page: "how-to/external-load-balancer.md", sections: []string{"Try it"},
		before: pasting("how-to/kubespray.md", ansibleServer, "Instantiate"),
		after:  pasting("how-to/kubespray.md", "Terminate"),
	},
}

// TestPages_ofKubespray pastes these pages.
func TestPages_ofKubespray(t *testing.T) {
	b := newBed(t, "fake")
	b.beforeTutorial(t)
	newReader(t, b).follow(t, "3. Register the cloud as a VIM")
	for _, s := range kubesprayPages {
		newReader(t, b).read(t, s)
	}
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
