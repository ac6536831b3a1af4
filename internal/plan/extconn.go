package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// changeExtConn connects external connection points to other links.
func changeExtConn(f Facts, body json.RawMessage) (lcm.Plan, error) {
	info := f.Instance.Instantiated
	plan := lcm.Plan{Operation: lcm.OpChangeExtConn, ScaleStatus: info.ScaleStatus, InstantiationLevelID: info.InstantiationLevelID}
	req, err := lcm.ParseChangeExtConn(body)
	if err != nil {
		return plan, err
	}
	if err := f.checkLinks(req); err != nil {
		return plan, err
	}
	plan.Links = lcm.Reconnected(info.ExtVirtualLinks, req.ExtVirtualLinks)
	for _, link := range req.ExtVirtualLinks {
		plan.ChangedLinks = append(plan.ChangedLinks, link.ID)
	}
	plan.VimConnectionID = info.VimConnectionID()
	return plan, nil
}

// checkLinks refuses connection points that the VNF does not have, or that it must keep.
func (f Facts) checkLinks(req lcm.ChangeExtConnRequest) error {
	var problems []lcm.Problem
	add := func(path, format string, args ...any) {
		problems = append(problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
	}
	seen := map[string]bool{}
	for i, link := range req.ExtVirtualLinks {
		for k, cp := range link.ExtCps {
			path := fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpdId", i, k)
			cpd, known := f.Flavour.Cp(cp.CpdID)
			switch {
			case !known || !cpd.External:
				add(path, "the VNFD has no external connection point %q in the flavour %s", cp.CpdID, f.Flavour.ID)
			case seen[cp.CpdID]:
				add(path, "is named twice")
			}
			seen[cp.CpdID] = true
		}
	}
	if len(problems) > 0 {
		return problemsOf(problems)
	}
	for _, name := range f.nodeCps() {
		if seen[name] {
			return lcm.Errorf(lcm.KindConflict, "The nodes of the cluster have their addresses on the connection point %s: without them it would fall apart. "+
				"Instantiate the VNF anew to have it on another network.", name)
		}
	}
	return nil
}

// nodeCps are the connection points on which the nodes of a cluster know each other.
func (f Facts) nodeCps() (names []string) {
	if f.Cluster == nil {
		return nil
	}
	for _, n := range []lcm.NodeParams{f.Cluster.MasterNode, f.Cluster.WorkerNode} {
		names = append(names, n.SSHCpName, n.NicCpName, n.ClusterCpName)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
