// Package kubespray installs clusters from an Ansible server, with the playbooks of support/kubespray and with
// kubespray itself, on real machines.
package kubespray

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const ansibleServer = "ansible"

// bed has an Ansible server and machines without a cluster, made by the lab's Heat.
type bed struct {
	root    string
	address map[string]string       // by the machines' names
	host    map[string]*remote.Host // by the machines' names
	runs    int
	id      string // of the Ansible server
}

// newBed starts a lab and makes the machines. The test's cleanup removes everything.
func newBed(t *testing.T, image string, nodes ...string) *bed {
	t.Helper()
	require.Zero(t, os.Geteuid(), "real machines need root")
	root, err := environment.Root()
	require.NoError(t, err)
	t.Setenv("WINDLASS_LAB_IMAGE_PASSWORD", testbed.NodePassword)
	dir, err := os.MkdirTemp("/var/tmp", "windlass-kubespray-")
	require.NoError(t, err)
	lab, site := &environment.Lab{Machines: environment.NSpawn, Listen: "127.0.0.1:0"},
		environment.Site{Root: root, Dir: dir, Out: io.Discard}
	t.Cleanup(func() {
		require.NoError(t, lab.Down(context.WithoutCancel(t.Context()), site))
		require.NoError(t, os.RemoveAll(dir))
	})
	require.NoError(t, lab.Up(t.Context(), site))
	b := &bed{root: root, address: map[string]string{}, host: map[string]*remote.Host{}}
	b.makeStack(t, lab.Login(), kubespray.AnsibleImage, image, nodes)
	return b
}

func (b *bed) makeStack(t *testing.T, login environment.Login, server, image string, nodes []string) {
	t.Helper()
	servers := []kubespray.Server{{Name: ansibleServer, Image: server}}
	for _, node := range nodes {
		servers = append(servers, kubespray.Server{Name: node, Image: image})
	}
	machines, err := kubespray.Machines(t.Context(), login, "kubespray", servers...)
	require.NoError(t, err)
	b.id = machines[ansibleServer].ID
	dialer := &remote.Dialer{HostKeys: &remotetest.Pins{}}
	for name, m := range machines {
		b.address[name] = m.Address
		b.logIn(t, dialer, name, m.ID)
	}
}

func (b *bed) logIn(t *testing.T, dialer *remote.Dialer, name, id string) {
	t.Helper()
	require.Eventually(t, func() bool {
		host, err := dialer.Dial(t.Context(), remote.Target{
			Node: name, Address: b.address[name], User: machine.User, Password: testbed.NodePassword, ServerID: id,
		})
		if err == nil {
			b.host[name] = host
			t.Cleanup(func() { _ = host.Close() })
		}
		return err == nil
	}, 2*time.Minute, time.Second, "%s does not answer", name)
}

// upload copies a directory to the Ansible server.
func (b *bed) upload(t *testing.T, from, to string) {
	t.Helper()
	archive, err := kubespray.Archive(from)
	require.NoError(t, err)
	result, err := b.host[ansibleServer].Run(t.Context(), remote.Command{
		ID: "upload-" + filepath.Base(to), Stdin: archive,
		Script: "#!/bin/bash\nset -e\nmkdir -p " + to + "\ntar xf - -C " + to + "\n",
	})
	require.NoError(t, err, result.Output)
}
