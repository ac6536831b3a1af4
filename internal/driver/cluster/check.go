package cluster

import (
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Param begins the paths of a cluster's parameters.
const Param = "$.additionalParams." + lcm.ClusterParamsKey + "."

// Request is an INSTANTIATE of a cluster that is checked.
type Request struct {
	driver.Request
	Params k8s.Params
}

// Checked reads the parameters of a request, and finds what is wrong with them alone.
func Checked(given driver.Request) Request {
	r := Request{Request: given}
	r.Params, _ = k8s.ParseParams(r.AdditionalParams) // its mistakes are told below
	_, problems := k8s.CheckParams(r.AdditionalParams, r.count(r.Params.MasterNode), r.count(r.Params.WorkerNode))
	r.Found.Mistake(problems...)
	r.checkNodeVdus()
	return r
}

// count tells how many VMs a role has: those of the VDU that its connection points belong to, or that its
// aspect scales. What the VNFD does not tell is found out when the servers are there; until then the smallest
// number that fits the request is taken.
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

// checkNodeVdus wants the VDUs that a request names nodes by to be there. Where each VNFC is a resource of its own
// there is no group that could have the nodes, so their VDU must be named.
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
