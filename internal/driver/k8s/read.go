package k8s

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
)

// The networks of a cluster when the request names none.
const (
	DefaultPodCIDR     = "192.168.0.0/16" // Tacker's
	DefaultServiceCIDR = "10.96.0.0/12"   // Tacker's and kubeadm's
	// APIServerPort is the port of every API server. HAProxy is on the same VM, so it takes another port.
	APIServerPort = 6443
	// EtcdClientPort is the port of every etcd member for clients.
	EtcdClientPort = 2379
)

// ParamsKey is the member of additionalParams for the parameters of a cluster.
const ParamsKey = "k8s_cluster_installation_param"

// paramsPath is the path of Params in an instantiate request.
const paramsPath = "$.additionalParams." + ParamsKey

// Read reads the parameters of a cluster from additionalParams and fills in defaults. Values that are not wrong come
// with the mistakes. Numbers and booleans may be strings, as Tacker's guides write them.
func Read(additionalParams json.RawMessage) (p Params, wrong params.Mistakes) {
	wrong.Types, wrong.Unknown = Manner.ReadMember("$.additionalParams", additionalParams, ParamsKey,
		"it says how the cluster is made", &p)
	return p, wrong
}

// Settle implements params.Settler. Tacker's own samples have host bits set (192.168.3.0/16), so networks are masked,
// not refused.
func (p *Params) Settle() {
	p.KubernetesVersion = strings.TrimPrefix(p.KubernetesVersion, "v")
	p.MasterNode.PodCIDR = cmp.Or(p.MasterNode.PodCIDR, DefaultPodCIDR)
	p.MasterNode.ServiceCIDR = cmp.Or(p.MasterNode.ServiceCIDR, DefaultServiceCIDR)
	maskCIDR(&p.MasterNode.PodCIDR)
	maskCIDR(&p.MasterNode.ServiceCIDR)
	if p.StorageServer == nil {
		return
	}
	for i := range p.StorageClasses {
		p.StorageClasses[i].NFSServerCp = cmp.Or(p.StorageClasses[i].NFSServerCp, p.StorageServer.NicCpName)
	}
}

// Settle implements params.Settler.
func (n *NodeParams) Settle() { n.NicCpName = cmp.Or(n.NicCpName, n.SSHCpName) }

// Settle implements params.Settler.
func (p *ProxyParams) Settle() { maskCIDR(&p.K8sNodeCIDR) }

// maskCIDR does not change text that it cannot parse; the checks refuse that.
func maskCIDR(s *string) {
	if prefix, err := netip.ParsePrefix(*s); err == nil {
		*s = prefix.Masked().String()
	}
}
