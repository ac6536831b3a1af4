package records

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// PlanInput is the known health of the cluster at planning time.
type PlanInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// Unhealthy are the nodes that do not work, with the reason.
	Unhealthy []UnhealthyNode `json:"unhealthy,omitempty"`
}

// UnhealthyNode is a node that does not work. Why is a clause.
type UnhealthyNode struct {
	Node string `json:"node"`
	Why  string `json:"why"`
}

// PlanOperation decides what the operation changes, and stores this plan.
// Idempotent: the first stored plan stays valid, even if the cluster has changed since.
func (o *OpOccs) PlanOperation(ctx context.Context, in PlanInput) (plan lcm.Plan, err error) {
	defer func() { err = activities.Boundary(ctx, "plan the operation", err) }()
	unhealthy := map[string]string{}
	for _, n := range in.Unhealthy {
		unhealthy[n.Node] = n.Why
	}
	if plan, err = o.Facts.Plan(ctx, in.OpOccID, unhealthy); err != nil {
		return plan, err
	}
	return o.Records.KeepPlan(ctx, in.OpOccID, plan)
}
