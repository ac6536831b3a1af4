package lcm

import (
	"encoding/json"
	"net/netip"
	"strings"
)

// The defaults of ClusterParams that are more than a zero.
const (
	DefaultPodCIDR     = "192.168.0.0/16" // Tacker's
	DefaultServiceCIDR = "10.96.0.0/12"   // Tacker's and kubeadm's
	DefaultFrontPort   = 16443            // Tacker's HAProxy port
	// APIServerPort is where every API server listens; HAProxy shares its VM, so it takes another one.
	APIServerPort = 6443
	// EtcdClientPort is where every etcd member serves clients.
	EtcdClientPort = 2379
)

// clusterParamsPath is where ClusterParams stand in an instantiate request.
const clusterParamsPath = "$.additionalParams." + ClusterParamsKey

// ParseClusterParams reads the parameters of a cluster out of additionalParams and fills in defaults. The
// error lists every value of a wrong type; what could be read is returned with it, so that Problems can add
// the mistakes of the rest. Numbers and booleans may be strings, as Tacker's guides write them.
func ParseClusterParams(additionalParams json.RawMessage) (ClusterParams, error) {
	p, problems := parseClusterParams(additionalParams)
	return p, InvalidAll("The cluster's parameters are not of the right types.", problems)
}

// CheckClusterParams parses and checks in one go: every mistake once, whether of type or of meaning.
func CheckClusterParams(additionalParams json.RawMessage, controlPlanes, workers int) (ClusterParams, []Problem) {
	p, problems := parseClusterParams(additionalParams)
	known := map[string]bool{}
	for _, problem := range problems {
		known[problem.Path] = true
	}
	for _, problem := range p.Problems(controlPlanes, workers) {
		if !covered(known, problem.Path) {
			problems = append(problems, problem)
		}
	}
	return p, append(problems, unknownParams(additionalParams)...)
}

// covered lets a mistyped or missing object hide the complaints about the members that it therefore lacks.
func covered(known map[string]bool, path string) bool {
	for {
		if known[path] {
			return true
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

func parseClusterParams(additionalParams json.RawMessage) (ClusterParams, []Problem) {
	var (
		p        ClusterParams
		problems []Problem
	)
	root := newParamReader("$.additionalParams", additionalParams, &problems)
	if o := root.object(ClusterParamsKey); o != nil {
		p.read(o)
	} else if len(problems) == 0 {
		problems = append(problems, Problem{clusterParamsPath, "is missing: it says how the cluster is made."})
	}
	p.fillDefaults()
	return p, problems
}

func (p *ClusterParams) read(o *paramReader) {
	o.text("script_path", &p.ScriptPath)
	o.text("vim_name", &p.VimName)
	o.text("helm_installation_script_path", &p.HelmInstallationScriptPath)
	o.text("cni_manifest_path", &p.CniManifestPath)
	o.text("kubeadm_config_path", &p.KubeadmConfigPath)
	o.text("kubernetes_version", &p.KubernetesVersion)
	o.texts("ignore_preflight_errors", &p.IgnorePreflightErrors)
	var drainPolicy string
	o.text("drain_policy", &drainPolicy)
	p.DrainPolicy = DrainPolicy(drainPolicy)
	p.MasterNode.read(o.object("master_node"))
	p.WorkerNode.read(o.object("worker_node"))
	if proxy := o.object("proxy"); proxy != nil {
		p.Proxy = &ProxyParams{}
		proxy.secret("http_proxy", &p.Proxy.HTTPProxy)
		proxy.secret("https_proxy", &p.Proxy.HTTPSProxy)
		proxy.text("no_proxy", &p.Proxy.NoProxy)
		proxy.text("k8s_node_cidr", &p.Proxy.K8sNodeCIDR)
	}
	if apt := o.object("apt_repository"); apt != nil {
		p.AptRepository = &AptRepository{}
		apt.text("url", &p.AptRepository.URL)
		apt.text("suite", &p.AptRepository.Suite)
		apt.text("component", &p.AptRepository.Component)
		apt.text("key_path", &p.AptRepository.KeyPath)
		apt.boolean("trusted", &p.AptRepository.Trusted)
		apt.text("version", &p.AptRepository.Version)
	}
	p.readRegistries(o)
	lb := o.object("load_balancer")
	lb.number("port", &p.LoadBalancer.Port)
	lb.number("etcd_port", &p.LoadBalancer.EtcdPort)
	lb.number("virtual_router_id", &p.LoadBalancer.VirtualRouterID)
	lb.boolean("backup", &p.LoadBalancer.Backup)
	limits := o.object("timeouts")
	limits.number("stack", &p.Timeouts.Stack)
	limits.number("ssh", &p.Timeouts.SSH)
	limits.number("login", &p.Timeouts.Login)
	limits.number("command", &p.Timeouts.Command)
	limits.number("install", &p.Timeouts.Install)
	limits.number("virtual_ip", &p.Timeouts.VirtualIP)
	limits.number("join", &p.Timeouts.Join)
	limits.number("node_ready", &p.Timeouts.NodeReady)
	limits.number("drain", &p.Timeouts.Drain)
	limits.number("volume_detach", &p.Timeouts.VolumeDetach)
	p.readStorage(o)
}

func (n *NodeParams) read(o *paramReader) {
	o.text("aspect_id", &n.AspectID)
	o.text("vdu_id", &n.VduID)
	o.text("ssh_cp_name", &n.SSHCpName)
	o.text("nic_cp_name", &n.NicCpName)
	o.text("username", &n.Username)
	o.secret("password", &n.Password)
	o.secret("private_key", &n.PrivateKey)
	o.text("pod_cidr", &n.PodCIDR)
	o.text("cluster_cidr", &n.ClusterCIDR)
	o.text("cluster_cp_name", &n.ClusterCpName)
	o.text("cluster_fip_name", &n.ClusterFipName)
}

func (p *ClusterParams) fillDefaults() {
	orText(&p.MasterNode.PodCIDR, DefaultPodCIDR)
	orText(&p.MasterNode.ClusterCIDR, DefaultServiceCIDR)
	// The seeds' own samples have host bits set (192.168.3.0/16), so they are masked, not refused.
	maskCIDR(&p.MasterNode.PodCIDR)
	maskCIDR(&p.MasterNode.ClusterCIDR)
	if p.Proxy != nil {
		maskCIDR(&p.Proxy.K8sNodeCIDR)
	}
	orText(&p.MasterNode.NicCpName, p.MasterNode.SSHCpName)
	orText(&p.WorkerNode.NicCpName, p.WorkerNode.SSHCpName)
	p.KubernetesVersion = strings.TrimPrefix(p.KubernetesVersion, "v")
	if p.AptRepository != nil {
		orText(&p.AptRepository.Suite, "/")
	}
	orNumber(&p.LoadBalancer.Port, DefaultFrontPort)
	orNumber(&p.Timeouts.Stack, 1800)
	orNumber(&p.Timeouts.SSH, 600)
	orNumber(&p.Timeouts.Login, 30)
	orNumber(&p.Timeouts.Command, 180)
	orNumber(&p.Timeouts.Install, 2700)
	orNumber(&p.Timeouts.VirtualIP, 60)
	orNumber(&p.Timeouts.Join, 900)
	orNumber(&p.Timeouts.NodeReady, 600)
	orNumber(&p.Timeouts.Drain, 300)
	orNumber(&p.Timeouts.VolumeDetach, 120)
	if p.DrainPolicy == "" {
		p.DrainPolicy = DrainFail
	}
	p.fillStorageDefaults()
}

func orText(s *string, fallback string) {
	if *s == "" {
		*s = fallback
	}
}

func orNumber(n *int, fallback int) {
	if *n == 0 {
		*n = fallback
	}
}

// maskCIDR leaves what it cannot parse for Problems to refuse.
func maskCIDR(s *string) {
	if prefix, err := netip.ParsePrefix(*s); err == nil {
		*s = prefix.Masked().String()
	}
}
