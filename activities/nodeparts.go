package activities

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// membersOf are the parts of the deployment in which nodes are, by id: those with a server of their VDU, or the members
// of their group.
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
