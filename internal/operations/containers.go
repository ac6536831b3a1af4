package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// Containers reads the manifests and charts of a containerised VNF, from its package or as fetched for it. opened are
// the secrets among its parameters; they must stay hidden.
func (r *Resolver) Containers(ctx context.Context, o *Operation) (v *cnf.VNF, opened []string, err error) {
	params, opened, err := secrets.Open(ctx, r.Vault, o.Request.AdditionalParams)
	if err != nil {
		return nil, nil, err
	}
	v, err = cnf.Resolve(ctx, o.Flavour.Part(true), params, cnf.FilesOf(ctx, r.Store, o.Instance.VnfPkgID, o.Instance.ID),
		o.Instance.ID)
	return v, opened, err
}

// takeWorkloads removes the VDUs of containers that the VNF's manifests and charts do not have. If these files are
// invalid, the flavour stays as in the VNFD; the code that uses the files reports the error.
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
