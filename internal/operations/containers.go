package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/cnf"
)

// takeWorkloads leaves out those VDUs of a containerised VNF that its manifests do not have. Where these cannot be used
// the flavour stays as the VNFD has it: whoever uses them says why.
func (r *Resolver) takeWorkloads(ctx context.Context, o *Operation) error {
	if !o.Flavour.Containers {
		return nil
	}
	p, problems := cnf.ReadParams(o.Request.AdditionalParams)
	if len(problems) > 0 {
		return nil
	}
	manifests, err := cnf.Read(p, func(path string) ([]byte, error) {
		return r.Store.PackageFile(ctx, o.Instance.VnfPkgID, path)
	})
	if err != nil || len(manifests.Problems()) > 0 {
		return err
	}
	workloads, problems := cnf.Workloads(o.Flavour, p, manifests.Objects)
	if len(problems) > 0 {
		return nil
	}
	sized := map[string]bool{}
	for vdu, w := range workloads {
		sized[vdu] = w.Scalable()
	}
	o.Flavour = o.Flavour.WithWorkloads(sized)
	return nil
}
