// Package k8s has the common parameters of drivers of Kubernetes clusters: nodes, proxy, registries, storage. It reads
// them from a request, and reports every mistake.
package k8s

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Params is additionalParams.k8s_cluster_installation_param, as Tacker's Kubernetes driver takes it (the first block),
// with Windlass's own optional additions.
type Params struct {
	ScriptPath                 string `json:"script_path,omitempty" param:"is=package path"`
	VimName                    string `json:"vim_name,omitempty"`
	HelmInstallationScriptPath string `json:"helm_installation_script_path,omitempty" param:"is=package path"`

	// CniManifestPath is a manifest in the package that is applied as the pod network.
	CniManifestPath string `json:"cni_manifest_path,omitempty" param:"is=package path"`
	// KubeadmConfigPath is a YAML file in the package with further kubeadm, kubelet or kube-proxy
	// configuration documents, appended to the generated ones.
	KubeadmConfigPath string `json:"kubeadm_config_path,omitempty" param:"is=package path"`
	// KubernetesVersion is like "1.34.4"; default: the version of kubeadm on the first control plane.
	KubernetesVersion string `json:"kubernetes_version,omitempty" param:"is=Kubernetes release"`
	// IgnorePreflightErrors are names of kubeadm's checks, e.g. "SystemVerification".
	IgnorePreflightErrors []string `json:"ignore_preflight_errors,omitempty" param:"is=preflight check"`
	// DrainPolicy says what happens to pods that do not leave a node within timeouts.drain.
	DrainPolicy DrainPolicy `json:"drain_policy,omitempty" param:"default=fail; enum=fail|force"`

	MasterNode    NodeParams        `json:"master_node"`
	WorkerNode    NodeParams        `json:"worker_node"`
	Proxy         *ProxyParams      `json:"proxy,omitempty"`
	AptRepository *AptRepository    `json:"apt_repository,omitempty"`
	LoadBalancer  LoadBalancerParam `json:"load_balancer,omitzero"`
	Timeouts      TimeoutParams     `json:"timeouts,omitzero"`
	// Ansible is the server that runs kubespray; only the driver for kubespray takes it.
	Ansible *AnsibleParams `json:"ansible,omitempty"`
	// ExternalLB is a load balancer before the cluster, nil for none.
	ExternalLB *ExternalLBParams `json:"external_lb_param,omitempty"`
	// PrivateRegistries are the image registries to which every node is connected.
	PrivateRegistries []PrivateRegistry `json:"private_registry_connection_info,omitempty"`

	// StorageServer and PersistentVolumes are also Tacker's: a VM that exports volumes, and the manifests of these
	// volumes.
	StorageServer     *StorageServerParams   `json:"storage_server,omitempty"`
	PersistentVolumes []PVRegistrationParams `json:"pv_registration_params,omitempty"`
	// StorageClasses use the storage server's exports.
	StorageClasses []StorageClassParams `json:"storage_class_params,omitempty"`
}

// NodeParams says how to find and reach the nodes of one role.
type NodeParams struct {
	// AspectID is the Heat AutoScalingGroup (or ResourceGroup); "" means a single VM in the top stack.
	AspectID string `json:"aspect_id,omitempty"`
	// VduID names the nodes by their VDU instead, as Tacker's requests of v2 do. Each node is then in a stack of its own.
	VduID string `json:"vdu_id,omitempty"`
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name" param:"required=it names the port or floating IP for SSH"`
	// NicCpName is the Heat port whose fixed IP is the node's own address; default SSHCpName.
	NicCpName string     `json:"nic_cp_name,omitempty"`
	Username  string     `json:"username" param:"required=it is the user for SSH; is=user name"`
	Password  lcm.Secret `json:"password,omitzero"`
	// PrivateKey is an OpenSSH or PEM private key; preferred to Password when both are given.
	PrivateKey lcm.Secret `json:"private_key,omitzero"`

	// The rest is for master_node only. ServiceCIDR has Tacker's name.
	PodCIDR        string `json:"pod_cidr,omitempty"`
	ServiceCIDR    string `json:"cluster_cidr,omitempty"`
	ClusterCpName  string `json:"cluster_cp_name,omitempty"`
	ClusterFipName string `json:"cluster_fip_name,omitempty"`
}

// Vdus finds the VDUs whose VMs are the nodes: the named VDU, else those of the aspect or the connection points.
func (n NodeParams) Vdus(f *descriptor.Flavour) []string {
	if n.VduID == "" {
		return f.VdusOf(n.AspectID, n.NicCpName, n.SSHCpName)
	}
	if _, ok := f.Vdu(n.VduID); !ok {
		return nil
	}
	return []string{n.VduID}
}

// ProxyParams is the proxy for package downloads. A URL with a password is a Secret.
type ProxyParams struct {
	HTTPProxy   lcm.Secret `json:"http_proxy,omitzero" param:"is=proxy URL"`
	HTTPSProxy  lcm.Secret `json:"https_proxy,omitzero" param:"is=proxy URL"`
	NoProxy     string     `json:"no_proxy,omitempty" param:"is=list of hosts"`
	K8sNodeCIDR string     `json:"k8s_node_cidr,omitempty" param:"is=network"`
}

// LoadBalancerParam configures the load balancer before the API servers.
type LoadBalancerParam struct {
	// Port is HAProxy's port for the API, EtcdPort its port for etcd's clients; 0: none.
	Port     int `json:"port,omitempty" param:"default=16443; is=load balancer port"`
	EtcdPort int `json:"etcd_port,omitempty" param:"is=load balancer port"`
	// VirtualRouterID comes from the cluster when it is absent.
	VirtualRouterID int `json:"virtual_router_id,omitempty" param:"min=1; max=255"`
	// Backup makes the other API servers HAProxy's "backup", as in the seed.
	Backup bool `json:"backup,omitempty"`
}

// TimeoutParams are limits in seconds; 0 means the default.
type TimeoutParams struct {
	Stack int `json:"stack,omitempty" param:"default=1800; is=timeout"`
	// SSH is the time until a VM answers, Login the time of one login.
	SSH   int `json:"ssh,omitempty" param:"default=600; is=timeout"`
	Login int `json:"login,omitempty" param:"default=30; is=timeout"`
	// Command is for a script that installs nothing and waits for little. Install is for the packages on one node.
	Command   int `json:"command,omitempty" param:"default=180; is=timeout"`
	Install   int `json:"install,omitempty" param:"default=2700; is=timeout"`
	VirtualIP int `json:"virtual_ip,omitempty" param:"default=60; is=timeout"`
	// Join is for kubeadm init or join.
	Join      int `json:"join,omitempty" param:"default=900; is=timeout"`
	NodeReady int `json:"node_ready,omitempty" param:"default=600; is=timeout"`
	// Drain is how long the pods of a leaving node may take to go.
	Drain int `json:"drain,omitempty" param:"default=300; is=timeout"`
	// VolumeDetach is how long their volumes may take after that, on top of Drain.
	VolumeDetach int `json:"volume_detach,omitempty" param:"default=120; min=1; max=1800; unit=seconds"`
}

// DrainPolicy is what happens to pods that do not leave a node in time.
type DrainPolicy string

// The policies.
const (
	// DrainFail stops the operation: a person finds out what holds the pods.
	DrainFail DrainPolicy = "fail"
	// DrainForce deletes them, against their disruption budgets.
	DrainForce DrainPolicy = "force"
)

// DefaultVimName begins the name of the VIM of a cluster whose request gives none.
const DefaultVimName = "kubernetes_vim_"

// VimNameOf is the VIM name of the cluster of a VNF instance.
func (p Params) VimNameOf(id lcm.VnfInstanceID) string {
	if p.VimName == "" {
		return DefaultVimName + string(id)
	}
	return p.VimName
}
