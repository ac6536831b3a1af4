package lcm

import (
	"fmt"
	"math/bits"
	"net/netip"
	"path"
	"regexp"
	"strings"
)

// Problems lists everything in p that cannot work for a cluster of so many nodes, each with its JSON path.
func (p ClusterParams) Problems(controlPlanes, workers int) []Problem {
	c := &paramChecks{}
	c.nodeParams("master_node", p.MasterNode, controlPlanes)
	if workers > 0 {
		c.nodeParams("worker_node", p.WorkerNode, workers)
	}
	c.controlPlanes(p.MasterNode, controlPlanes)
	c.networks(p, controlPlanes+workers)
	c.loadBalancer(p.LoadBalancer)
	c.packagePath("script_path", p.ScriptPath)
	c.packagePath("helm_installation_script_path", p.HelmInstallationScriptPath)
	c.packagePath("cni_manifest_path", p.CniManifestPath)
	c.packagePath("kubeadm_config_path", p.KubeadmConfigPath)
	c.pattern("kubernetes_version", p.KubernetesVersion, releasePattern, `a release such as "1.34.4"`)
	for i, name := range p.IgnorePreflightErrors {
		c.pattern(fmt.Sprintf("ignore_preflight_errors[%d]", i), name, checkPattern, `the name of a kubeadm check, such as "NumCPU"`)
	}
	if p.AptRepository != nil {
		c.aptRepository(*p.AptRepository)
	}
	c.timeouts(p.Timeouts)
	c.found = append(c.found, registryProblems(clusterParamsPath+"."+RegistriesKey, p.PrivateRegistries)...)
	if p.DrainPolicy != "" && p.DrainPolicy != DrainFail && p.DrainPolicy != DrainForce {
		c.add("drain_policy", "must be %q or %q, not %q.", DrainFail, DrainForce, p.DrainPolicy)
	}
	c.storage(p)
	return c.found
}

var (
	releasePattern = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
	checkPattern   = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	userPattern    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9._-]*$`)
)

type paramChecks struct{ found []Problem }

func (c *paramChecks) add(key, format string, args ...any) {
	c.found = append(c.found, Problem{clusterParamsPath + "." + key, fmt.Sprintf(format, args...)})
}

func (c *paramChecks) pattern(key, value string, want *regexp.Regexp, meaning string) {
	if value != "" && !want.MatchString(value) {
		c.add(key, "must be %s, not %q.", meaning, value)
	}
}

func (c *paramChecks) nodeParams(key string, n NodeParams, count int) {
	switch {
	case n.AspectID != "" && n.VduID != "":
		c.add(key+".vdu_id", "must not be given together with aspect_id: each says which VMs these nodes are.")
	case count > 1 && n.AspectID == "" && n.VduID == "":
		c.add(key+".aspect_id", "is missing: it names the Heat group of the %d VMs; or give their VDU, as vdu_id.", count)
	}
	if n.SSHCpName == "" {
		c.add(key+".ssh_cp_name", "is missing: it names the port or floating IP for SSH.")
	}
	if n.Username == "" {
		c.add(key+".username", "is missing: it is the user for SSH.")
	}
	c.pattern(key+".username", n.Username, userPattern, "a Linux user name")
	if n.Password.IsZero() && n.PrivateKey.IsZero() {
		c.add(key+".password", "is missing: give password or private_key.")
	}
}

// controlPlanes holds the rules of etcd's quorum, and of the virtual IP that several control planes share.
func (c *paramChecks) controlPlanes(n NodeParams, count int) {
	if n.ClusterCpName == "" {
		c.add("master_node.cluster_cp_name", "is missing: it names the port with the cluster's address.")
		return
	}
	ownPort := n.ClusterCpName == n.SSHCpName || n.ClusterCpName == n.NicCpName
	switch {
	case count < 1:
		c.add("master_node", "the VNF has no control-plane VM at this flavour and level.")
	case count == 1 && !ownPort:
		c.add("master_node.cluster_cp_name", "%q is a virtual IP, which needs at least three control planes, and the VNF has one; "+
			"name the control plane's own port.", n.ClusterCpName)
	case count > 1 && ownPort:
		c.add("master_node.cluster_cp_name", "%q is the port of one node; %d control planes need the port of a virtual IP.",
			n.ClusterCpName, count)
	case count == 2:
		c.add("master_node", "the VNF has 2 control planes; a cluster with a virtual IP needs at least three.")
	case count > 2 && count%2 == 0:
		c.add("master_node", "the VNF has %d control planes; etcd needs an odd number.", count)
	}
}

func (c *paramChecks) networks(p ClusterParams, nodes int) {
	pods, podsOK := c.cidr("master_node.pod_cidr", p.MasterNode.PodCIDR)
	services, servicesOK := c.cidr("master_node.cluster_cidr", p.MasterNode.ClusterCIDR)
	if p.Proxy != nil {
		c.proxy(*p.Proxy)
	}
	if podsOK && NodeCIDRMask(pods, nodes) == 0 {
		c.add("master_node.pod_cidr", "%s is too small for %d nodes.", pods, nodes)
	}
	if servicesOK {
		host := services.Addr().BitLen() - services.Bits()
		if host > 20 || host < 4 { // kubeadm's own limits
			c.add("master_node.cluster_cidr", "%s must have between 16 and 1048576 addresses.", services)
		}
	}
	if podsOK && servicesOK && pods.Overlaps(services) {
		c.add("master_node.pod_cidr", "%s overlaps cluster_cidr %s; pods and services need networks of their own.", pods, services)
	}
}

// NodeCIDRMask is the prefix length of each node's share of the pod network: Kubernetes's default (24, or 64
// for IPv6) where that is enough for so many nodes, a longer one where it is not, 0 when nothing fits.
func NodeCIDRMask(pods netip.Prefix, nodes int) int {
	usual, longest := 24, 28 // a /28 still holds the system's pods
	if pods.Addr().Is6() {
		usual, longest = 64, 112
	}
	mask := max(usual, pods.Bits()+bits.Len(uint(max(nodes-1, 0))))
	if mask > longest || mask-pods.Bits() > 16 { // 16: a limit of Kubernetes's allocator
		return 0
	}
	return mask
}

func (c *paramChecks) cidr(key, value string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(value)
	if err != nil {
		c.add(key, "must be a network such as %s, not %q.", DefaultPodCIDR, value)
		return prefix, false
	}
	return prefix.Masked(), true
}

func (c *paramChecks) loadBalancer(lb LoadBalancerParam) {
	c.frontPort("load_balancer.port", lb.Port)
	if lb.EtcdPort != 0 {
		c.frontPort("load_balancer.etcd_port", lb.EtcdPort)
		if lb.EtcdPort == lb.Port {
			c.add("load_balancer.etcd_port", "must differ from port (%d).", lb.Port)
		}
	}
	if lb.VirtualRouterID < 0 || lb.VirtualRouterID > 255 {
		c.add("load_balancer.virtual_router_id", "must be between 1 and 255, not %d.", lb.VirtualRouterID)
	}
}

// frontPort refuses what HAProxy could not listen on, because it runs on the control planes themselves.
func (c *paramChecks) frontPort(key string, port int) {
	taken := map[int]string{
		22: "SSH", APIServerPort: "the API server", EtcdClientPort: "etcd", 2380: "etcd", 10250: "kubelet",
		10256: "kube-proxy", 10257: "the controller manager", 10259: "the scheduler",
	}
	if by := taken[port]; by != "" {
		c.add(key, "%d is the port of %s on the same VM; take another one.", port, by)
	} else if port < 1 || port > 65535 {
		c.add(key, "must be between 1 and 65535, not %d.", port)
	}
}

// packagePath refuses paths that would leave the package.
func (c *paramChecks) packagePath(key, value string) {
	if value == "" {
		return
	}
	if !LocalPath(value) {
		c.add(key, "%q leaves the package; give a path inside it.", value)
	}
}

// LocalPath reports whether p is a relative, slash-separated path that stays below its root.
func LocalPath(p string) bool {
	clean := path.Clean(p)
	return p != "" && !path.IsAbs(p) && !strings.ContainsAny(p, "\\\x00\n") && clean != ".." && clean != "." && !strings.HasPrefix(clean, "../")
}

func (c *paramChecks) aptRepository(a AptRepository) {
	for _, p := range a.Problems() {
		c.add("apt_repository."+p.Path, "%s", p.Detail)
	}
	c.packagePath("apt_repository.key_path", a.KeyPath)
	if a.KeyPath == "" && !a.Trusted && a.URL != "" {
		c.add("apt_repository.key_path", "is missing: give the repository's key, or say trusted.")
	}
}

// proxy cannot look at URLs that are sealed already; the step that uses them does.
func (c *paramChecks) proxy(p ProxyParams) {
	if p.K8sNodeCIDR != "" {
		c.cidr("proxy.k8s_node_cidr", p.K8sNodeCIDR)
	}
	if !IsNoProxy(p.NoProxy) {
		c.add("proxy.no_proxy", noProxyProblem)
	}
	if p.HTTPProxy.Clear != "" && !IsProxyURL(p.HTTPProxy.Clear) {
		c.add("proxy.http_proxy", "must be a URL like http://user:password@proxy.example:3128.")
	}
	if p.HTTPSProxy.Clear != "" && !IsProxyURL(p.HTTPSProxy.Clear) {
		c.add("proxy.https_proxy", "must be a URL like http://user:password@proxy.example:3128.")
	}
}

func (c *paramChecks) timeouts(t TimeoutParams) {
	const longest = 2 * 60 * 60 // activities on nodes end after three hours, whatever the request says
	for _, limit := range []struct {
		key     string
		seconds int
	}{
		{"stack", t.Stack},
		{"ssh", t.SSH},
		{"login", t.Login},
		{"command", t.Command},
		{"install", t.Install},
		{"virtual_ip", t.VirtualIP},
		{"join", t.Join},
		{"node_ready", t.NodeReady},
		{"drain", t.Drain},
	} {
		if limit.seconds < 1 || limit.seconds > longest {
			c.add("timeouts."+limit.key, "must be between 1 and %d seconds, not %d.", longest, limit.seconds)
		}
	}
	const longestDetach = 30 * 60 // it comes on top of a drain
	if t.VolumeDetach < 1 || t.VolumeDetach > longestDetach {
		c.add("timeouts.volume_detach", "must be between 1 and %d seconds, not %d.", longestDetach, t.VolumeDetach)
	}
}
