//go:build lab

package activities_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// sshHosts are real machines.
type sshHosts struct {
	dialer              *remote.Dialer
	user, key, password string
}

func (s sshHosts) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (activities.Host, error) {
	host, err := s.dialer.Dial(ctx, remote.Target{Node: node.Name, Address: node.SSHAddress, User: s.user, PrivateKey: s.key, Password: s.password, ServerID: node.ServerID})
	if err != nil {
		return nil, err
	}
	return host, nil
}

type anyHostKey struct{}

func (anyHostKey) PinHostKey(_ context.Context, _ string, key []byte) ([]byte, error) {
	return key, nil
}

// TestLab_buildsARealCluster runs the suite on machines that are up: WINDLASS_LAB_CONTROL_PLANES and
// WINDLASS_LAB_WORKERS are addresses, WINDLASS_LAB_VIP is free, WINDLASS_LAB_KEY a private key's file,
// WINDLASS_LAB_CNI and WINDLASS_LAB_KUBEADM files that stand for the package's.
func TestLab_buildsARealCluster(t *testing.T) {
	key, err := os.ReadFile(os.Getenv("WINDLASS_LAB_KEY"))
	require.NoError(t, err)
	s := site{virtualIP: os.Getenv("WINDLASS_LAB_VIP")}
	for i, addr := range strings.Fields(os.Getenv("WINDLASS_LAB_CONTROL_PLANES")) {
		s.nodes = append(s.nodes, labNode(lcm.ControlPlane, i, addr))
	}
	for i, addr := range strings.Fields(os.Getenv("WINDLASS_LAB_WORKERS")) {
		s.nodes = append(s.nodes, labNode(lcm.Worker, i, addr))
	}
	master := lcm.NodeParams{SSHCpName: "cp", NicCpName: "cp", ClusterCpName: "vip", PodCIDR: "10.244.0.0/16", ClusterCIDR: "10.96.0.0/16"}
	if s.virtualIP == "" {
		master.ClusterCpName = "cp"
	}
	cluster := activities.ClusterContext{
		Instance: lcm.VnfInstance{ID: "11112222-3333-4444-8555-666677778888"},
		Params: lcm.ClusterParams{
			MasterNode: master, CniManifestPath: "WINDLASS_LAB_CNI", KubeadmConfigPath: "WINDLASS_LAB_KUBEADM",
			IgnorePreflightErrors: []string{"SystemVerification"}, LoadBalancer: lcm.LoadBalancerParam{Port: 16443, EtcdPort: 12379},
			Timeouts: lcm.TimeoutParams{SSH: 60, Login: 30, Command: 180, Install: 300, VirtualIP: 60, Join: 300, NodeReady: 180},
		},
		PackageFile: func(_ context.Context, path string) ([]byte, error) { return os.ReadFile(os.Getenv(path)) },
	}
	began := time.Now()
	output := &logOutput{show: func(line string) { fmt.Printf("%5.1f %s\n", time.Since(began).Seconds(), line) }}
	secrets := newSecrets()
	s.reach = activities.Reach{
		Hosts: sshHosts{dialer: &remote.Dialer{HostKeys: anyHostKey{}}, user: "root", key: string(key)}, Clusters: &fixedCluster{cluster},
		Secrets: secrets, Output: output,
	}
	account := buildCluster(t, s)
	fmt.Printf("built in %s: %s\n", time.Since(began).Round(time.Second), account.ServerURL)
	again := time.Now()
	assert.Equal(t, account, buildCluster(t, s), "a second run changes nothing")
	fmt.Printf("again in %s\n", time.Since(again).Round(time.Second))
	for ref, secret := range secrets.values {
		assert.NotContains(t, strings.Join(output.lines, "\n"), secret, "%s is in the output", ref)
	}
}

func labNode(role lcm.Role, i int, addr string) lcm.Node {
	id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0xabc0+i)
	return lcm.Node{Name: lcm.NodeName(role, id), Role: role, ServerID: id, SSHAddress: addr, Address: addr, ComputeHost: "compute/1", Zone: "az1"}
}
