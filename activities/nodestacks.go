package activities

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// membersOf are the stacks of the nodes, by id: those with a server of their VDU, or the members of their group.
func membersOf(inv *vim.Inventory, params k8s.NodeParams) ([]string, error) {
	if params.VduID == "" {
		return inv.Members(params.AspectID)
	}
	var stacks []string
	for _, r := range inv.OfKind(vim.Compute) {
		if r.Name == params.VduID {
			stacks = append(stacks, r.Part)
		}
	}
	slices.Sort(stacks)
	return stacks, nil
}
