package lcm

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
)

// The networks of a cluster whose request names none.
const (
	DefaultPodCIDR     = "192.168.0.0/16" // Tacker's
	DefaultServiceCIDR = "10.96.0.0/12"   // Tacker's and kubeadm's
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
	p, problems, _ := readClusterParams(additionalParams)
	return p, InvalidAll("The cluster's parameters are not of the right types.", problems)
}

// CheckClusterParams parses and checks in one go: every mistake once, whether of type or of meaning.
func CheckClusterParams(additionalParams json.RawMessage, controlPlanes, workers int) (ClusterParams, []Problem) {
	p, problems, unknown := readClusterParams(additionalParams)
	return p, append(params.Join(problems, p.Problems(controlPlanes, workers)), unknown...)
}

func readClusterParams(additionalParams json.RawMessage) (p ClusterParams, problems, unknown []Problem) {
	problems, unknown = readParams(additionalParams, ClusterParamsKey, "it says how the cluster is made", &p)
	return p, problems, unknown
}

// readParams reads the member of additionalParams that a driver has for itself; why says what it is for.
func readParams(additionalParams json.RawMessage, key, why string, to any) (problems, unknown []Problem) {
	const at = "$.additionalParams"
	var members map[string]json.RawMessage
	problems, _ = tackers.Read(at, additionalParams, &members)
	if len(problems) == 0 && params.Absent(members[key]) {
		problems = append(problems, Problem{Path: at + "." + key, Detail: "is missing: " + why + "."})
	}
	wrong, unknown := tackers.Read(at+"."+key, members[key], to)
	return append(problems, wrong...), unknown
}

// Settle implements params.Settler. The seeds' own samples have host bits set (192.168.3.0/16), so networks are masked,
// not refused.
func (p *ClusterParams) Settle() {
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

// maskCIDR leaves what it cannot parse for the checks to refuse.
func maskCIDR(s *string) {
	if prefix, err := netip.ParsePrefix(*s); err == nil {
		*s = prefix.Masked().String()
	}
}
