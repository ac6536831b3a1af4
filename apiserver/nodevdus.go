package apiserver

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// checkNodeVdus wants the VDUs that a request names nodes by to be there. Where each VNFC is a resource of its own
// there is no group that could have the nodes, so their VDU must be named.
func checkNodeVdus(f *vnfpkg.Flavour, req lcm.InstantiateRequest, params lcm.ClusterParams, found *findings) {
	for _, role := range []struct {
		key  string
		node lcm.NodeParams
	}{{"master_node", params.MasterNode}, {"worker_node", params.WorkerNode}} {
		path := "$.additionalParams." + lcm.ClusterParamsKey + "." + role.key
		if _, ok := f.Vdu(role.node.VduID); !ok && role.node.VduID != "" {
			found.names(path+".vdu_id", "the flavour %s has no VDU %q", f.ID, role.node.VduID)
		}
		used := role.node.AspectID != "" || role.node.SSHCpName != ""
		if used && role.node.VduID == "" && lcm.ParseUserData(req.AdditionalParams).SeparateResources() {
			const why = "is missing: " + lcm.StandardUserData + " makes a resource of each VNFC, so that there is no group: name the VDU of these nodes"
			found.mistake(lcm.Problem{Path: path + ".vdu_id", Detail: why})
		}
	}
}

// unrepeated is a heal without what it repeats of the parameters that the VNF was instantiated with.
func unrepeated(inst lcm.VnfInstance, op lcm.Operation, body []byte) []byte {
	if op != lcm.OpHeal || inst.Instantiated == nil {
		return body
	}
	return lcm.WithoutRepeated(body, inst.Instantiated.AdditionalParams)
}
