package e2e

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// bareNodes are real machines without Kubernetes.
type bareNodes struct {
	key        string // SSH, private
	nodes      lcm.Nodes
	host       string // this host's address in the nodes' network
	params     k8s.Params
	packageKey []byte // the file apt.asc of the VNF package
	mu         sync.Mutex
	output     []string
}

func bootBareNodes(t *testing.T, dir string, img image.Image, names ...string) *bareNodes {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	authorized, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	b := &bareNodes{key: string(pem.EncodeToMemory(block)), params: k8s.Params{
		MasterNode: k8s.NodeParams{PodCIDR: "192.168.0.0/16", ServiceCIDR: "10.96.0.0/12"},
		Timeouts:   k8s.TimeoutParams{SSH: 600, Install: 120},
	}}
	d, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, d.Down(context.WithoutCancel(t.Context())))
		require.NoError(t, d.Close())
	})
	free, err := nspawn.FreeSubnets(t.Context(), 1)
	require.NoError(t, err)
	gateway := free[0].Addr().Next()
	network := machine.Network{ID: "install", CIDR: free[0], Gateway: gateway}
	require.NoError(t, d.EnsureNetwork(t.Context(), network))
	address := gateway
	for i, name := range names {
		address = address.Next()
		require.NoError(t, d.Create(t.Context(), machine.Machine{
			ID: name, Name: name, Image: "debian", AuthorizedKeys: []string{string(ssh.MarshalAuthorizedKey(authorized))},
			// cloud-init still runs when the test prepares the node for the first time.
			UserData: []byte("#!/bin/sh\nuntil [ -e /run/go-on ]; do sleep 0.2; done\ntouch /run/first-boot-done\n"),
			Ports: []machine.Port{{
				ID: name, NetworkID: network.ID, MAC: fmt.Sprintf("fa:16:3e:00:22:%02x", i), FixedIPs: []string{address.String()},
				PrefixLen: 24, Gateway: gateway.String(),
			}},
		}))
		b.nodes = append(b.nodes, lcm.Node{
			Name: name, Role: lcm.Worker, ServerID: name, SSHAddress: address.String(), Address: address.String(),
		})
		_, err = act(t, b.activities().WaitForSSH, b.input(b.nodes[i]))
		require.NoError(t, err)
		b.run(t, b.nodes[i], `rm -f /usr/bin/kubeadm /usr/bin/kubelet /usr/bin/kubectl
			rm -f /etc/systemd/system/kubelet.service /etc/systemd/system/multi-user.target.wants/kubelet.service
			systemctl daemon-reload`)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "udp", b.nodes[0].Address+":9")
	require.NoError(t, err)
	b.host, _, _ = net.SplitHostPort(conn.LocalAddr().String())
	require.NoError(t, conn.Close())
	return b
}

func (b *bareNodes) activities() *kubenode.Activities {
	return &kubenode.Activities{Reach: reach.Runner{Hosts: b, Vnfs: b, Output: b}}
}

func (b *bareNodes) input(node lcm.Node) reach.NodeInput {
	return reach.NodeInput{Tracked: activities.Tracked{Step: lcm.StepRef{Node: node.Name}}, Node: node}
}

// Dial implements activities.Hosts.
func (b *bareNodes) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	d := &remote.Dialer{HostKeys: b}
	host, err := d.Dial(ctx, remote.Target{
		Node: node.Name, Address: node.SSHAddress, User: machine.User, PrivateKey: b.key, ServerID: node.ServerID,
	})
	if err != nil {
		return nil, err
	}
	return host, nil
}

// PinHostKey accepts every key: these machines exist only during the test.
func (b *bareNodes) PinHostKey(_ context.Context, _ string, key []byte) ([]byte, error) {
	return key, nil
}

// Vnf implements activities.Vnfs.
func (b *bareNodes) Vnf(context.Context, lcm.OpOccID) (activities.VnfContext, error) {
	return activities.VnfContext{
		Drivers:     []lifecycle.VnfDriver{kubeadm.New(b.params)},
		PackageFile: func(context.Context, string) ([]byte, error) { return b.packageKey, nil },
	}, nil
}

// Lines implements activities.Output.
func (b *bareNodes) Lines(context.Context, lcm.StepRef) func(string) {
	return func(line string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.output = append(b.output, line)
	}
}

// said returns the output of the steps since the last call.
func (b *bareNodes) said() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := strings.Join(b.output, "\n")
	b.output = nil
	return all
}

// run runs a script of the test as root.
func (b *bareNodes) run(t *testing.T, node lcm.Node, script string) string {
	t.Helper()
	host, err := b.Dial(t.Context(), "", node)
	require.NoError(t, err)
	defer func() { _ = host.Close() }()
	result, err := host.Run(t.Context(), remote.Command{ID: "test-" + rand.Text(), Script: "#!/bin/bash\nset -eu\n" +
		script, Sudo: true, Deadline: time.Minute})
	require.NoError(t, err, "%s", result.Output)
	return strings.TrimSpace(result.Stdout)
}

// prepare runs the real activity PrepareNode.
func (b *bareNodes) prepare(t *testing.T, node lcm.Node) (kubenode.PrepareNodeOutput, error) {
	t.Helper()
	return act(t, b.activities().PrepareNode, kubenode.PrepareNodeInput{
		NodeInput: b.input(node),
		Hosts:     reach.HostEntries(b.nodes),
	})
}

// refused prepares a node. This must fail with that kind and an error that contains all words. It returns the output.
func (b *bareNodes) refused(t *testing.T, node lcm.Node, kind lcm.ErrorKind, words ...string) string {
	t.Helper()
	_, err := b.prepare(t, node)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	said := b.said()
	require.Equal(t, string(kind), app.Type(), "%s\n%s", app.Message(), said)
	for _, word := range append(words, node.Name) {
		require.Contains(t, app.Message(), word)
	}
	return said
}

// act runs one activity as a worker does.
func act[In, Out any](t *testing.T, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	t.Helper()
	env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
	env.RegisterActivity(activity)
	value, err := env.ExecuteActivity(activity, in)
	if err != nil {
		return out, err
	}
	return out, value.Get(&out)
}

// labImage returns the image for real machines. It skips the test if there is none.
func labImage(t *testing.T) image.Image {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("Not run: real machines need root.")
	}
	dir := os.Getenv("WINDLASS_LAB_IMAGE_DIR")
	if dir == "" {
		dir = image.DefaultDir
	}
	img, ok := image.Find(image.Options{Dir: dir})
	if !ok {
		t.Skipf("Not run: the lab's node image is not built in %s; the demo or TestOnRealMachines builds it.", dir)
	}
	return img
}
