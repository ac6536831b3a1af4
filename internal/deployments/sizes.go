package deployments

import (
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Capacity returns the numbers of VNFCs, by VDU, that an existing VNF has or gets.
func Capacity(op *operations.Operation, sizes vim.Sizes) map[string]int {
	capacity := op.Recorded()
	if p := op.OpOcc.Plan; p != nil && sizes != vim.SizesRecorded {
		for _, g := range p.Groups {
			if sizes == vim.SizesPlanned || g.To > g.From {
				capacity[g.VduID] = g.To
			}
		}
	}
	return capacity
}
