package cluster

import (
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Param is the beginning of the paths of a cluster's parameters.
const Param = "$.additionalParams." + lcm.ClusterParamsKey + "."

// Request is an INSTANTIATE of a cluster while it is checked.
type Request struct {
	driver.Request
	Params k8s.Params
}

// Checked reads the parameters of a request, and finds the mistakes in the parameters alone.
func Checked(given driver.Request) Request {
	r := Request{Request: given}
	r.Params, _ = k8s.ParseParams(r.AdditionalParams) // CheckParams reports its mistakes below
	_, problems := k8s.CheckParams(r.AdditionalParams, r.count(r.Params.MasterNode), r.count(r.Params.WorkerNode))
	r.Found.Mistake(problems...)
	r.checkNodeVdus()
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
