package k8s_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tackerRequest is additionalParams from Tacker's guide for a highly available cluster.
const tackerRequest = `{
  "k8s_cluster_installation_param": {
    "script_path": "Scripts/install_k8s_cluster.sh",
    "vim_name": "kubernetes_vim",
    "master_node": {"aspect_id": "master_instance", "ssh_cp_name": "masterNode_CP1", "nic_cp_name": "masterNode_CP1",
      "username": "ubuntu", "password": "ubuntu", "pod_cidr": "192.168.3.0/16", "cluster_cidr": "10.199.187.0/24",
      "cluster_cp_name": "vip_CP"},
    "worker_node": {"aspect_id": "worker_instance", "ssh_cp_name": "workerNode_CP2", "nic_cp_name": "workerNode_CP2",
      "username": "ubuntu", "password": "ubuntu"},
    "proxy": {"http_proxy": "http://user1:password1@host1:port1", "https_proxy": "https://user2:password2@host2:port2",
      "no_proxy": "192.168.246.0/24,10.0.0.1", "k8s_node_cidr": "10.10.0.0/24"}
  },
  "lcm-operation-user-data": "./UserData/k8s_cluster_user_data.py"
}`

func TestParseClusterParams_readsTackersRequestAndFillsDefaults(t *testing.T) {
	p, err := parsed(json.RawMessage(tackerRequest))
	require.NoError(t, err)

	assert.Equal(t, "192.168.0.0/16", p.MasterNode.PodCIDR, "host bits are masked")
	assert.Equal(t, "10.199.187.0/24", p.MasterNode.ServiceCIDR)
	assert.Equal(t, 16443, p.LoadBalancer.Port)
	assert.Equal(t, k8s.TimeoutParams{
		Stack: 1800, SSH: 600, Login: 30, Command: 180, Install: 2700, VirtualIP: 60,
		Join: 900, NodeReady: 600, Drain: 300, VolumeDetach: 120,
	}, p.Timeouts)
	assert.Equal(t, "ubuntu", p.WorkerNode.Password.Clear)
	assert.Empty(t, p.Problems(3, 2))
}

func TestParseClusterParams_readsSealedSecretsAndNumbersInStrings(t *testing.T) {
	p, err := parsed(json.RawMessage(`{"k8s_cluster_installation_param": {
		"master_node": {"ssh_cp_name": "cp", "password": {"$secret": "vnf/1/request/x"}},
		"load_balancer": {"port": "16440", "virtual_router_id": "51", "backup": "True"},
		"timeouts": {"ssh": "30"}, "kubernetes_version": "v1.34.4"}}`))
	require.NoError(t, err)

	assert.Equal(t, lcm.SecretRef("vnf/1/request/x"), p.MasterNode.Password.Ref)
	assert.Equal(t, "cp", p.MasterNode.NicCpName, "the SSH port is the node's own unless said otherwise")
	assert.Equal(t, k8s.LoadBalancerParam{Port: 16440, VirtualRouterID: 51, Backup: true}, p.LoadBalancer)
	assert.Equal(t, 30, p.Timeouts.SSH)
	assert.Equal(t, "1.34.4", p.KubernetesVersion)
	assert.Equal(t, "10.96.0.0/12", p.MasterNode.ServiceCIDR)
}

func TestParseClusterParams_reportsEveryWrongType(t *testing.T) {
	_, err := parsed(json.RawMessage(`{"k8s_cluster_installation_param": {
		"vim_name": 5, "master_node": {"username": ["a"], "password": 12345, "pod_cidr": {}},
		"worker_node": "none", "proxy": {"http_proxy": {"url": "http://u:hunter2@p"}},
		"load_balancer": {"port": "many", "backup": "perhaps"}, "ignore_preflight_errors": ["Swap", 7]}}`))

	require.True(t, lcm.Is(err, lcm.KindInvalid))
	assert.Equal(t, []string{
		"vim_name", "ignore_preflight_errors[1]", "master_node.username", "master_node.password",
		"master_node.pod_cidr", "worker_node", "proxy.http_proxy", "load_balancer.port", "load_balancer.backup",
	}, keys(problemsOf(err)))
	assert.NotContains(t, err.Error(), "hunter2")
	assert.NotContains(t, err.Error(), "12345")
}

func TestCheckClusterParams_namesAMissingBlockOnce(t *testing.T) {
	for _, doc := range []string{``, `null`, `{}`, `{"other": 1}`} {
		_, problems := checked(json.RawMessage(doc), 3, 2)
		require.Len(t, problems, 1, doc)
		assert.Equal(t, "$.additionalParams.k8s_cluster_installation_param", problems[0].Path)
	}
}

func TestCheckClusterParams_joinsMistakesOfTypeAndOfMeaning(t *testing.T) {
	_, problems := checked(json.RawMessage(`{"k8s_cluster_installation_param": {
		"master_node": {"aspect_id": "m", "ssh_cp_name": "cp", "username": 7, "pod_cidr": "10.96.0.0/16",
			"cluster_cp_name": "vip_CP"}, "worker_node": 1}}`), 4, 2)

	assert.Equal(t, []string{
		"master_node.username", "worker_node", "master_node.password", "master_node",
		"master_node.pod_cidr",
	}, keys(problems))
}

func TestProblems_nameEachMistake(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(*k8s.Params)
		controlPlanes int
		path, says    string
	}{
		"two control planes":    {nil, 2, "master_node", "at least three"},
		"four control planes":   {nil, 4, "master_node", "odd number"},
		"no control plane":      {nil, 0, "master_node", "no control-plane VM"},
		"one with a virtual IP": {nil, 1, "master_node.cluster_cp_name", "at least three"},
		"three without a virtual IP": {
			func(p *k8s.Params) { p.MasterNode.ClusterCpName = "masterNode_CP1" }, 3,
			"master_node.cluster_cp_name", "virtual IP",
		},
		"no cluster_cp_name": {
			func(p *k8s.Params) { p.MasterNode.ClusterCpName = "" }, 3,
			"master_node.cluster_cp_name", "missing",
		},
		"no aspect": {
			func(p *k8s.Params) { p.MasterNode.AspectID = "" }, 3,
			"master_node.aspect_id", "missing",
		},
		"no ssh_cp_name": {
			func(p *k8s.Params) { p.WorkerNode.SSHCpName = "" }, 3,
			"worker_node.ssh_cp_name", "missing",
		},
		"no user": {
			func(p *k8s.Params) { p.WorkerNode.Username = "" }, 3, "worker_node.username",
			"missing",
		},
		"odd user": {
			func(p *k8s.Params) { p.WorkerNode.Username = "a b" }, 3,
			"worker_node.username", "user name",
		},
		"no credential": {
			func(p *k8s.Params) { p.WorkerNode.Password = lcm.Secret{} }, 3,
			"worker_node.password", "missing",
		},
		"unparsable pod CIDR": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "10.0.0.0" }, 3,
			"master_node.pod_cidr", "network",
		},
		"unparsable service CIDR": {
			func(p *k8s.Params) { p.MasterNode.ServiceCIDR = "10.0.0.0/33" }, 3,
			"master_node.cluster_cidr", "network",
		},
		"another line beside no_proxy": {
			func(p *k8s.Params) { p.Proxy.NoProxy = "a\nLD_PRELOAD=/tmp/x" }, 3,
			"proxy.no_proxy", "commas",
		},
		"unparsable node CIDR": {
			func(p *k8s.Params) { p.Proxy.K8sNodeCIDR = "x" }, 3, "proxy.k8s_node_cidr",
			"network",
		},
		"overlapping CIDRs": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "10.199.0.0/16" }, 3,
			"master_node.pod_cidr", "overlaps",
		},
		"too few pod addresses": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "10.1.0.0/27" }, 3,
			"master_node.pod_cidr", "too small",
		},
		"too many service addresses": {
			func(p *k8s.Params) { p.MasterNode.ServiceCIDR = "10.0.0.0/8" }, 3,
			"master_node.cluster_cidr", "addresses",
		},
		"pods of another family": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "fd00:10:244::/56" }, 3,
			"master_node.cluster_cidr", "10.199.187.0/24 is IPv4, but master_node.pod_cidr fd00:10:244::/56 is IPv6",
		},
		"services of another family": {
			func(p *k8s.Params) { p.MasterNode.ServiceCIDR = "fd00:96::/112" }, 3,
			"master_node.cluster_cidr", "fd00:96::/112 is IPv6, but master_node.pod_cidr 192.168.0.0/16 is IPv4",
		},
		"nodes of another family": {
			func(p *k8s.Params) {
				p.MasterNode.PodCIDR, p.MasterNode.ServiceCIDR = "fd00:10:244::/56", "fd00:96::/112"
			}, 3, "proxy.k8s_node_cidr", "10.10.0.0/24 is IPv4, but master_node.pod_cidr fd00:10:244::/56 is IPv6",
		},
		"multicast pods": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "224.0.0.0/8" }, 3, "master_node.pod_cidr", "multicast",
		},
		"loopback pods": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "127.0.0.0/8" }, 3, "master_node.pod_cidr", "loopback",
		},
		"link-local services": {
			func(p *k8s.Params) { p.MasterNode.ServiceCIDR = "169.254.0.0/16" }, 3,
			"master_node.cluster_cidr", "link-local",
		},
		"IPv6 link-local pods": {
			func(p *k8s.Params) { p.MasterNode.PodCIDR = "fe80::/56" }, 3, "master_node.pod_cidr", "link-local",
		},
		"front on the API's port": {
			func(p *k8s.Params) { p.LoadBalancer.Port = 6443 }, 3, "load_balancer.port",
			"API server",
		},
		"front out of range": {
			func(p *k8s.Params) { p.LoadBalancer.Port = 70000 }, 3, "load_balancer.port",
			"65535",
		},
		"etcd front on etcd's port": {
			func(p *k8s.Params) { p.LoadBalancer.EtcdPort = 2379 }, 3,
			"load_balancer.etcd_port", "etcd",
		},
		"both fronts on one port": {
			func(p *k8s.Params) { p.LoadBalancer.EtcdPort = 16443 }, 3,
			"load_balancer.etcd_port", "differ",
		},
		"router id": {
			func(p *k8s.Params) { p.LoadBalancer.VirtualRouterID = 256 }, 3,
			"load_balancer.virtual_router_id", "255",
		},
		"script above the package": {
			func(p *k8s.Params) { p.ScriptPath = "Scripts/../../etc/passwd" }, 3,
			"script_path", "leaves the package",
		},
		"absolute manifest": {
			func(p *k8s.Params) { p.CniManifestPath = "/etc/cni.yaml" }, 3,
			"cni_manifest_path", "leaves the package",
		},
		"backslash in a path": {
			func(p *k8s.Params) { p.KubeadmConfigPath = `..\x.yaml` }, 3,
			"kubeadm_config_path", "leaves the package",
		},
		"version that is no release": {
			func(p *k8s.Params) { p.KubernetesVersion = "stable" }, 3,
			"kubernetes_version", "release",
		},
		"check that is no name": {
			func(p *k8s.Params) { p.IgnorePreflightErrors = []string{"a;b"} }, 3,
			"ignore_preflight_errors[0]", "check",
		},
		"repository with a password": {func(p *k8s.Params) { p.AptRepository = &k8s.AptRepository{URL: "http://u:p@h/", Trusted: true} }, 3, "apt_repository.url", "password"},
		"repository without a key":   {func(p *k8s.Params) { p.AptRepository = &k8s.AptRepository{URL: "http://h/"} }, 3, "apt_repository.key_path", "key"},
		"key above the package": {func(p *k8s.Params) {
			p.AptRepository = &k8s.AptRepository{
				URL:     "http://h/",
				KeyPath: "../k",
			}
		}, 3, "apt_repository.key_path", "leaves"},
		"quote in a repository suite": {func(p *k8s.Params) {
			p.AptRepository = &k8s.AptRepository{URL: "http://h/", Trusted: true, Suite: "a'b"}
		}, 3, "apt_repository.suite", "suite"},
		"negative timeout": {func(p *k8s.Params) { p.Timeouts.Join = -1 }, 3, "timeouts.join", "seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parsed(json.RawMessage(tackerRequest))
			require.NoError(t, err)
			if c.change != nil {
				c.change(&p)
			}
			problems := p.Problems(c.controlPlanes, 2)
			require.Len(t, problems, 1)
			assert.Equal(t, []string{c.path}, keys(problems))
			assert.Contains(t, problems[0].Detail, c.says)
		})
	}
}

func TestProblems_acceptOneControlPlaneOnItsOwnPort(t *testing.T) {
	p, err := parsed(json.RawMessage(strings.ReplaceAll(tackerRequest, "vip_CP", "masterNode_CP1")))
	require.NoError(t, err)
	assert.Empty(t, p.Problems(1, 2))
}

func TestNodeCIDRMask_sharesSmallNetworks(t *testing.T) {
	assert.Equal(t, 24, k8s.NodeCIDRMask(netip.MustParsePrefix("192.168.0.0/16"), 5))
	assert.Equal(t, 27, k8s.NodeCIDRMask(netip.MustParsePrefix("192.168.3.0/24"), 5), "the private registry's sample")
	assert.Equal(t, 24, k8s.NodeCIDRMask(netip.MustParsePrefix("192.168.3.0/24"), 1))
	assert.Equal(t, 0, k8s.NodeCIDRMask(netip.MustParsePrefix("10.0.0.0/7"), 5))
	assert.Equal(t, 64, k8s.NodeCIDRMask(netip.MustParsePrefix("fd00::/56"), 5))
}

func FuzzParseClusterParams(f *testing.F) {
	f.Add([]byte(tackerRequest), 3, 2)
	f.Add([]byte(`{"k8s_cluster_installation_param":{"master_node":[],"load_balancer":{"port":"-"}}}`), 1, 0)
	f.Fuzz(func(t *testing.T, doc []byte, controlPlanes, workers int) {
		p, problems := checked(doc, controlPlanes, workers)
		for _, problem := range problems {
			if !strings.HasPrefix(problem.Path, "$.additionalParams") || problem.Detail == "" {
				t.Errorf("problem without a place or a sentence: %+v", problem)
			}
		}
		if len(problems) == 0 && !(netip.MustParsePrefix(p.MasterNode.PodCIDR).Bits() > 0) {
			t.Error("a pod network that is everything was accepted")
		}
	})
}

func problemsOf(err error) []lcm.Problem {
	e, _ := err.(*lcm.Error) //nolint:errorlint // the function promises this very type
	return e.Problems
}

func keys(problems []lcm.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, strings.TrimPrefix(p.Path, "$.additionalParams.k8s_cluster_installation_param."))
	}
	return out
}
