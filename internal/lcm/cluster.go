package lcm

import "encoding/json"

// ClusterParamsKey is the member of additionalParams that holds ClusterParams.
const ClusterParamsKey = "k8s_cluster_installation_param"

// ClusterParams is additionalParams.k8s_cluster_installation_param, as Tacker's Kubernetes driver takes
// it (the first block), with Windlass's own optional additions.
type ClusterParams struct {
	ScriptPath                 string       `json:"script_path,omitempty"`
	VimName                    string       `json:"vim_name,omitempty"`
	HelmInstallationScriptPath string       `json:"helm_installation_script_path,omitempty"`
	MasterNode                 NodeParams   `json:"master_node"`
	WorkerNode                 NodeParams   `json:"worker_node"`
	Proxy                      *ProxyParams `json:"proxy,omitempty"`

	// CniManifestPath is a manifest in the package that is applied as the pod network.
	CniManifestPath string `json:"cni_manifest_path,omitempty"`
	// KubeadmConfigPath is a YAML file in the package with further kubeadm, kubelet or kube-proxy
	// configuration documents, appended to the generated ones.
	KubeadmConfigPath string `json:"kubeadm_config_path,omitempty"`
	// KubernetesVersion is like "1.34.4"; default: the version of kubeadm on the first control plane.
	KubernetesVersion string            `json:"kubernetes_version,omitempty"`
	AptRepository     *AptRepository    `json:"apt_repository,omitempty"`
	LoadBalancer      LoadBalancerParam `json:"load_balancer,omitzero"`
	Timeouts          TimeoutParams     `json:"timeouts,omitzero"`
	// DrainPolicy settles what happens to pods that do not leave a node within timeouts.drain; default "fail".
	DrainPolicy DrainPolicy `json:"drain_policy,omitempty"`
	// IgnorePreflightErrors are names of kubeadm's checks, e.g. "SystemVerification".
	IgnorePreflightErrors []string `json:"ignore_preflight_errors,omitempty"`
	// PrivateRegistries are the registries of images that every node is connected to.
	PrivateRegistries []PrivateRegistry `json:"private_registry_connection_info,omitempty"`

	// StorageServer and PersistentVolumes are Tacker's again: a VM that exports volumes, and their manifests.
	StorageServer     *StorageServerParams   `json:"storage_server,omitempty"`
	PersistentVolumes []PVRegistrationParams `json:"pv_registration_params,omitempty"`
	// StorageClasses are made on the storage server's exports.
	StorageClasses []StorageClassParams `json:"storage_class_params,omitempty"`
}

// NodeParams says how the nodes of one role are found and reached.
type NodeParams struct {
	// AspectID is the Heat AutoScalingGroup (or ResourceGroup); "" means a single VM in the top stack.
	AspectID string `json:"aspect_id,omitempty"`
	// VduID names the nodes by their VDU instead, as Tacker's requests of v2 do: each is in a stack of its own, however
	// that came to be.
	VduID string `json:"vdu_id,omitempty"`
	// SSHCpName is the Heat port or floating IP that gives the address for SSH.
	SSHCpName string `json:"ssh_cp_name"`
	// NicCpName is the Heat port whose fixed IP is the node's own address; default SSHCpName.
	NicCpName string `json:"nic_cp_name,omitempty"`
	Username  string `json:"username"`
	Password  Secret `json:"password,omitzero"`
	// PrivateKey is an OpenSSH or PEM private key; preferred to Password when both are given.
	PrivateKey Secret `json:"private_key,omitzero"`

	// The rest is for master_node only.
	PodCIDR        string `json:"pod_cidr,omitempty"`     // default 192.168.0.0/16
	ClusterCIDR    string `json:"cluster_cidr,omitempty"` // services; default 10.96.0.0/12
	ClusterCpName  string `json:"cluster_cp_name,omitempty"`
	ClusterFipName string `json:"cluster_fip_name,omitempty"`
}

// ProxyParams is the way out of the cloud for package downloads. A URL with a password in it is a Secret.
type ProxyParams struct {
	HTTPProxy   Secret `json:"http_proxy,omitzero"`
	HTTPSProxy  Secret `json:"https_proxy,omitzero"`
	NoProxy     string `json:"no_proxy,omitempty"`
	K8sNodeCIDR string `json:"k8s_node_cidr,omitempty"`
}

// LoadBalancerParam settles what is in front of the API servers.
type LoadBalancerParam struct {
	Port            int  `json:"port,omitempty"`              // HAProxy's front; default 16443, never 6443
	EtcdPort        int  `json:"etcd_port,omitempty"`         // front for etcd's client port; 0: none
	VirtualRouterID int  `json:"virtual_router_id,omitempty"` // 1..255; default derived from the cluster
	Backup          bool `json:"backup,omitempty"`            // other API servers as HAProxy "backup", as in the seed
}

// TimeoutParams are limits in seconds; 0 means the default.
type TimeoutParams struct {
	Stack     int `json:"stack,omitempty"`      // default 1800
	SSH       int `json:"ssh,omitempty"`        // until a VM answers; default 600
	Login     int `json:"login,omitempty"`      // one login; default 30
	Command   int `json:"command,omitempty"`    // a script that installs nothing and waits for little; default 180
	Install   int `json:"install,omitempty"`    // packages on one node; default 2700
	VirtualIP int `json:"virtual_ip,omitempty"` // default 60
	Join      int `json:"join,omitempty"`       // kubeadm init or join; default 900
	NodeReady int `json:"node_ready,omitempty"` // default 600
	// Drain is how long the pods of a node that leaves may take to go; default 300.
	Drain int `json:"drain,omitempty"`
	// VolumeDetach is how long their volumes may take after that; default 120.
	VolumeDetach int `json:"volume_detach,omitempty"`
}

// DrainPolicy is what happens to pods that do not leave a node in time.
type DrainPolicy string

// The policies.
const (
	// DrainFail stops the operation: a person looks at the pods and what holds them.
	DrainFail DrainPolicy = "fail"
	// DrainForce deletes them, against their disruption budgets.
	DrainForce DrainPolicy = "force"
)

// Secret is a value that is sealed before it is stored: a string in a request, {"$secret": ref} afterwards.
type Secret struct {
	// Ref names the sealed value; "" before sealing.
	Ref SecretRef
	// Clear is the value in a request that has not been sealed yet; it is never marshalled.
	Clear string
}

// IsZero reports whether nothing was given.
func (s Secret) IsZero() bool { return s.Ref == "" && s.Clear == "" }

// MarshalJSON writes the reference, never the value.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s.Ref == "" {
		return []byte("null"), nil
	}
	return json.Marshal(map[string]SecretRef{SecretKey: s.Ref})
}

// UnmarshalJSON reads a string or a reference.
func (s *Secret) UnmarshalJSON(b []byte) error {
	var ref map[string]SecretRef
	if err := json.Unmarshal(b, &ref); err == nil {
		*s = Secret{Ref: ref[SecretKey]}
		return nil
	}
	return json.Unmarshal(b, &s.Clear)
}

// String keeps values out of logs and errors.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return "***"
}

// GoString keeps values out of %#v.
func (s Secret) GoString() string { return s.String() }
