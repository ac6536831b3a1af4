package locate

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// membersOf returns the ids of the deployment's parts that contain nodes: parts with a server of the nodes' VDU, or the
// members of the nodes' group.
func membersOf(inv *vim.Inventory, params k8s.NodeParams) ([]string, error) {
	if params.VduID == "" {
		return inv.Members(params.AspectID)
	}
	var parts []string
	for _, r := range inv.OfKind(vim.Compute) {
		if r.Name == params.VduID {
			parts = append(parts, r.Part)
		}
	}
	slices.Sort(parts)
	return parts, nil
}
