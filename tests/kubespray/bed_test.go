package kubespray

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"os"
	"path/filepath"
	"testing"
	"text/template"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/tests/environment"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

const ansibleServer = "ansible"

// bed has an Ansible server and machines that are no cluster yet, made by the lab's Heat.
type bed struct {
	root    string
	address map[string]string       // by the machines' names
	host    map[string]*remote.Host // likewise
	runs    int
}

// The images of the machines. That of the Ansible server has also what kubespray installs on nodes.
const (
	nodeImage    = "debian-12-k8s"
	ansibleImage = "debian-12-ansible"
)

// newBed brings them up; all is removed with the test.
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
	b.makeStack(t, lab.Login(), image, nodes)
	return b
}

//go:embed stack.yaml
var stackTemplate string

type server struct{ Name, Image string }

// definition is gophercloud's builder of a stack.
type definition struct{ template string }

// ToStackCreateMap implements it.
func (d definition) ToStackCreateMap() (map[string]any, error) {
	return map[string]any{"stack_name": "kubespray", "template": d.template, "disable_rollback": true, "timeout_mins": 10}, nil
}

func (b *bed) makeStack(t *testing.T, login environment.Login, image string, nodes []string) {
	t.Helper()
	servers := []server{{ansibleServer, ansibleImage}}
	for _, node := range nodes {
		servers = append(servers, server{node, image})
	}
	var text bytes.Buffer
	require.NoError(t, template.Must(template.New("stack").Parse(stackTemplate)).Execute(&text, servers))
	provider, err := login.Client(t.Context())
	require.NoError(t, err)
	heat, err := openstack.NewOrchestrationV1(provider, login.Endpoint())
	require.NoError(t, err)
	made, err := stacks.Create(t.Context(), heat, definition{text.String()}).Extract()
	require.NoError(t, err)
	var stack *stacks.RetrievedStack
	require.Eventually(t, func() bool {
		stack, err = stacks.Get(t.Context(), heat, "kubespray", made.ID).Extract()
		return err == nil && stack.Status != "CREATE_IN_PROGRESS"
	}, 5*time.Minute, time.Second)
	require.Equal(t, "CREATE_COMPLETE", stack.Status, stack.StatusReason)
	dialer := &remote.Dialer{HostKeys: &remotetest.Pins{}}
	for _, output := range stack.Outputs {
		name, _ := output["output_key"].(string)
		value, _ := output["output_value"].([]any)
		require.Len(t, value, 2, "%v", output)
		b.address[name] = value[1].(string)
		b.logIn(t, dialer, name, value[0].(string))
	}
	require.Len(t, b.host, len(servers))
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

// upload puts a directory onto the Ansible server.
func (b *bed) upload(t *testing.T, from, to string) {
	t.Helper()
	archive, err := Archive(from)
	require.NoError(t, err)
	result, err := b.host[ansibleServer].Run(t.Context(), remote.Command{
		ID: "upload-" + filepath.Base(to), Stdin: archive,
		Script: "#!/bin/bash\nset -e\nmkdir -p " + to + "\ntar xf - -C " + to + "\n",
	})
	require.NoError(t, err, result.Output)
}
