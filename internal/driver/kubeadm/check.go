package kubeadm

import (
	"context"
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// param begins the paths of a cluster's parameters.
const param = "$.additionalParams." + lcm.ClusterParamsKey + "."

// request is an INSTANTIATE of a cluster.
type request struct {
	driver.Request
	params k8s.Params
}

// CheckRequest implements driver.Driver.
func (Driver) CheckRequest(ctx context.Context, given driver.Request) error {
	r := request{Request: given}
	r.params, _ = k8s.ParseParams(r.AdditionalParams) // its mistakes are told below
	masters, workers := r.count(r.params.MasterNode), r.count(r.params.WorkerNode)
	_, problems := k8s.CheckParams(r.AdditionalParams, masters, workers)
	r.Found.Mistake(problems...)
	r.checkNodeVdus()
	if err := r.checkFiles(ctx); err != nil {
		return err
	}
	if err := checkCertificates(ctx, param+lcm.RegistriesKey, r.params.PrivateRegistries, r.Package, r.Found); err != nil {
		return err
	}
	return r.checkStorageServer(ctx)
}

// VimName implements driver.Registrar.
func (Driver) VimName(inst lcm.VnfInstanceID, additionalParams json.RawMessage) string {
	params, _ := k8s.ParseParams(additionalParams) // its mistakes are told elsewhere
	return params.VimNameOf(inst)
}

// count tells how many VMs a role has: those of the VDU that its connection points belong to, or that its
// aspect scales. What the VNFD does not tell is found out when the stack is there; until then the smallest
// number that fits the request is taken.
func (r request) count(n k8s.NodeParams) int {
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
func (r request) checkNodeVdus() {
	for _, role := range []struct {
		key  string
		node k8s.NodeParams
	}{{"master_node", r.params.MasterNode}, {"worker_node", r.params.WorkerNode}} {
		path := param + role.key
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
