package cluster

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Param is the beginning of the paths of a cluster's parameters.
const Param = "$.additionalParams." + k8s.ParamsKey + "."

// Request is an INSTANTIATE of a cluster while it is checked.
type Request struct {
	driver.Request
	Params k8s.Params
}

// Checked finds the mistakes in the parameters alone. wrong are those that reading has found.
func (c *Common) Checked(given driver.Request, wrong params.Mistakes) Request {
	r := Request{Request: given, Params: c.Params}
	r.Found.Mistake(wrong.With(r.Params.Problems(r.count(r.Params.MasterNode), r.count(r.Params.WorkerNode)))...)
	r.checkNodeVdus()
	r.checkFamilies()
	return r
}

// count tells how many VMs a role has: those of the VDU of its connection points, or of the VDU that its aspect scales.
// If the VNFD does not say, a later step counts the servers. Until then count returns the smallest number that fits the
// request.
func (r Request) count(n k8s.NodeParams) int {
	vdus := n.Vdus(r.Flavour)
	switch {
	case len(vdus) > 0:
		sum := 0
		for _, vdu := range vdus {
			sum += r.Capacity[vdu]
		}
		return sum
	case n.AspectID != "" && n.ClusterCpName != "":
		return 3
	default:
		return 1
	}
}

// checkNodeVdus checks that the VDUs exist by which a request names nodes. If each VNFC is a resource of its own, no
// group can have the nodes, so the request must name their VDU.
func (r Request) checkNodeVdus() {
	for _, role := range []struct {
		key  string
		node k8s.NodeParams
	}{{"master_node", r.Params.MasterNode}, {"worker_node", r.Params.WorkerNode}} {
		path := Param + role.key
		if _, ok := r.Flavour.Vdu(role.node.VduID); !ok && role.node.VduID != "" {
			r.Found.Names(path+".vdu_id", "the flavour %s has no VDU %q", r.Flavour.ID, role.node.VduID)
		}
		used := role.node.AspectID != "" || role.node.SSHCpName != ""
		if used && role.node.VduID == "" && lcm.ParseUserData(r.AdditionalParams).SeparateResources() {
			const why = "is missing: " + lcm.StandardUserData +
				" makes a resource of each VNFC, so that there is no group: name the VDU of these nodes"
			r.Found.Mistake(lcm.Problem{Path: path + ".vdu_id", Detail: why})
		}
	}
}

// checkFamilies compares the family of the pod network with the addresses that the request gives to the nodes and to
// the virtual IP.
func (r Request) checkFamilies() {
	pods, err := netip.ParsePrefix(r.Params.MasterNode.PodCIDR)
	if err != nil {
		return // CheckParams reports it
	}
	want := k8s.Family(pods.Addr())
	ports := []string{r.Params.MasterNode.NicCpName, r.Params.WorkerNode.NicCpName, r.Params.MasterNode.ClusterCpName}
	for i, link := range r.ExtVirtualLinks {
		for j, cp := range link.ExtCps {
			if cp.CpdID == "" || !slices.Contains(ports, cp.CpdID) {
				continue
			}
			if address, other := addressOfOther(want, cp); other {
				r.Found.Mistake(lcm.Problem{
					Path: fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpConfig", i, j),
					Detail: fmt.Sprintf("gives %s, which is not %s as %smaster_node.pod_cidr %s; the nodes and their pods need "+
						"addresses of one family", address, want, Param, pods),
				})
			}
		}
	}
}

// addressOfOther finds the address of a connection point that has only addresses of another family.
func addressOfOther(family string, cp lcm.ExtCp) (address string, other bool) {
	configs := cp.Configs
	if len(configs) == 0 {
		configs = []lcm.CpConfig{{FixedIPs: cp.FixedIPs}}
	}
	for _, config := range configs {
		for _, ip := range config.FixedIPs {
			addr, err := netip.ParseAddr(ip.Address)
			switch {
			case err == nil && k8s.Family(addr) == family:
				return "", false
			case err == nil:
				address = ip.Address
			}
		}
	}
	return address, address != ""
}
