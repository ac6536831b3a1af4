package operations

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Describe implements activities.Facts.
func (r *Resolver) Describe(ctx context.Context, id lcm.OpOccID) (lifecycle.Description, error) {
	o, err := r.Load(ctx, id)
	if err != nil {
		return lifecycle.Description{}, err
	}
	facts, p, err := o.Planned()
	if err != nil {
		return lifecycle.Description{}, err
	}
	d := lifecycle.Description{
		State: o.OpOcc.State, Sequence: o.OpOcc.Sequence, ForwardOnly: o.OpOcc.ForwardOnly, Refused: o.Refused(),
		Whole: p.Whole, ChangeStateTo: p.ChangeStateTo, VimTypes: o.vimTypes,
	}
	if c := cluster.Of(facts); c != nil {
		d.Cluster, d.HighlyAvailable = true, c.HighlyAvailable(facts, p)
		d.ControlPlanes, d.StorageServer = c.Shared().ControlPlanes(facts, p), c.Shared().StorageServer(facts)
		lb := c.Shared().Params.ExternalLB
		d.Balanced, d.CloudBalanced = lb != nil, lb != nil && lb.Octavia != nil
	}
	if o.OpOcc.Operation.Makes() {
		if _, d.LeftBehind, err = r.Store.LeftBehind(ctx, o.Instance.ID, o.OpOcc.StartTime); err != nil {
			return d, err
		}
	}
	if d.Steps, err = r.stepsOf(ctx, id, facts, p); err != nil {
		return d, err
	}
	if info := o.Instance.Instantiated; info != nil {
		d.Stopped, d.ServerIDs, d.Nodes, d.ClusterVimID = info.StoppedServers(), o.Servers(), info.Nodes, info.ClusterVimID
	}
	if d.Balanced {
		d.Exposed, err = r.exposedOn(ctx, d.ClusterVimID)
	}
	return d, err
}

// stepsOf returns the stored steps of the operation. Without stored steps it returns this release's steps: rows of
// former releases have no ids.
func (r *Resolver) stepsOf(
	ctx context.Context, id lcm.OpOccID, f lifecycle.Facts, p lcm.Plan,
) ([]lifecycle.Step, error) {
	rows, err := r.Store.Steps(ctx, id)
	var kept []lifecycle.Step
	for _, row := range rows {
		if row.Phase != lcm.PhaseForward || row.Node != "" {
			continue
		}
		if row.ID == "" { // the rest comes from a former release
			break
		}
		kept = append(kept, lifecycle.Step{ID: lifecycle.StepID(row.ID), Title: row.Title, Undo: row.Undo, Final: row.Final})
	}
	if err != nil || len(kept) > 0 {
		return kept, err
	}
	return lifecycle.Steps(f, p), nil
}

// Plan implements activities.Facts.
func (r *Resolver) Plan(ctx context.Context, id lcm.OpOccID, unhealthy map[string]string) (lcm.Plan, error) {
	o, err := r.Load(ctx, id)
	if err != nil {
		return lcm.Plan{}, err
	}
	return o.Plan(unhealthy)
}

// PlanHeal returns the error that would refuse a heal of these VNFCs.
func (o *Operation) PlanHeal(vnfcs []string, unhealthy map[string]string) error {
	_, err := o.PlanOf(lcm.HealRequest{VnfcInstanceID: vnfcs}, unhealthy)
	return err
}

// Grant implements activities.Facts.
func (r *Resolver) Grant(ctx context.Context, id lcm.OpOccID) (lcm.Grant, error) {
	o, err := r.Load(ctx, id)
	if err != nil {
		return lcm.Grant{}, err
	}
	facts, p, err := o.Planned()
	if err != nil {
		return lcm.Grant{}, err
	}
	return r.Asked(ctx, o, facts, p)
}

// Asked returns the resources of an operation in the form of a grant.
func (r *Resolver) Asked(ctx context.Context, o *Operation, f lifecycle.Facts, p lcm.Plan) (lcm.Grant, error) {
	vims, err := r.Foreseen(ctx, o)
	if err != nil {
		return lcm.Grant{}, err
	}
	asked := lifecycle.Granted(f, p, vims...)
	asked.VnfInstanceID, asked.OpOccID = o.Instance.ID, o.OpOcc.ID
	return asked, nil
}
