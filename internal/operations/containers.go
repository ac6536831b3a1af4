package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/cnf"
)

// takeWorkloads leaves out those VDUs of a containerised VNF that its manifests and charts do not have. Where these
// cannot be used the flavour stays as the VNFD has it: whoever uses them says why.
func (r *Resolver) takeWorkloads(ctx context.Context, o *Operation) error {
	if !o.Flavour.Containers {
		return nil
	}
	v, err := cnf.Resolve(ctx, o.Flavour, o.Request.AdditionalParams, 
		cnf.FilesOf(ctx, r.Store, o.Instance.VnfPkgID, o.Instance.ID), o.Instance.ID)
	if err != nil || len(v.Problems()) > 0 {
		return err
	}
	sized := map[string]bool{}
	for vdu := range v.Workloads {
		_, sized[vdu] = v.Sized(vdu)
	}
	o.Flavour = o.Flavour.WithWorkloads(sized)
	return nil
}
