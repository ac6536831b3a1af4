package worker

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/record"
)

// facts answers the questions of activities about an operation. Histories hold only ids.
type facts struct{ *operations.Resolver }

// Instantiated implements activities.Facts.
func (f facts) Instantiated(
	ctx context.Context, id lcm.OpOccID, made record.Outcome,
) (out record.InstantiatedVnf, err error) {
	op, err := f.Load(ctx, id)
	if err != nil {
		return out, err
	}
	connections, err := f.Connections(ctx, op)
	if err != nil {
		return out, err
	}
	if made.ClusterVimID == "" || record.KeepsConnections(op, made) {
		return record.Instantiated(op, made, connections, nil), nil
	}
	cluster, err := f.Store.Vim(ctx, made.ClusterVimID)
	if err != nil {
		return out, err
	}
	return record.Instantiated(op, made, connections, &cluster), nil
}

// Vnf implements activities.Vnfs.
func (f facts) Vnf(ctx context.Context, id lcm.OpOccID) (activities.VnfContext, error) {
	op, err := f.Load(ctx, id)
	if err != nil {
		return activities.VnfContext{}, err
	}
	drivers, err := op.Drivers()
	return activities.VnfContext{
		OpOcc: op.OpOcc, Own: op.Own, Instance: op.Instance, Former: op.Former, Drivers: drivers,
		PackageFile: func(ctx context.Context, path string) ([]byte, error) {
			return f.PackageFile(ctx, op.Instance.VnfPkgID, path)
		},
	}, err
}
