package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// Containers reads what a containerised VNF is made of: its manifests and charts, in its package or fetched for it.
// opened are the secrets among its parameters, which must not be shown.
func (r *Resolver) Containers(ctx context.Context, o *Operation) (v *cnf.VNF, opened []string, err error) {
	params, opened, err := secrets.Open(ctx, r.Vault, o.Request.AdditionalParams)
	if err != nil {
		return nil, nil, err
	}
	v, err = cnf.Resolve(ctx, o.Flavour.Part(true), params, cnf.FilesOf(ctx, r.Store, o.Instance.VnfPkgID, o.Instance.ID),
		o.Instance.ID)
	return v, opened, err
}

// takeWorkloads leaves out those VDUs of containers that the VNF's manifests and charts do not have. Where these
// cannot be used the flavour stays as the VNFD has it: whoever uses them says why.
func (r *Resolver) takeWorkloads(ctx context.Context, o *Operation) error {
	if !o.Flavour.Containers && !o.Flavour.Hybrid {
		return nil
	}
	v, _, err := r.Containers(ctx, o)
	if err != nil || len(v.Problems()) > 0 {
		return err
	}
	sized, autoscaled := map[string]bool{}, map[string]string{}
	for vdu := range v.Workloads {
		_, sized[vdu] = v.Sized(vdu)
		autoscaled[vdu] = v.Autoscaler(vdu)
	}
	o.Flavour = o.Flavour.WithWorkloads(sized).WithAutoscalers(autoscaled)
	return nil
}
