package activities

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// membersOf are the stacks of the nodes, by id: those with a server of their VDU, or the members of their group.
func membersOf(inv *openstack.Inventory, params lcm.NodeParams) ([]string, error) {
	if params.VduID == "" {
		return inv.Members(params.AspectID)
	}
	var stacks []string
	for _, r := range inv.OfType("OS::Nova::Server") {
		if r.Name == params.VduID {
			stacks = append(stacks, r.StackID)
		}
	}
	slices.Sort(stacks)
	return stacks, nil
}
