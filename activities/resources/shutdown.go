package resources

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities"
)

// ShutDownServersOutput names the servers that were not off in time.
type ShutDownServersOutput struct {
	StillOn []string `json:"stillOn,omitempty"`
}

// ShutDownServers takes the VNF out of service (SOL003 clause 5.4.8). It tells every server to shut down, so that
// services end in order, and waits for gracefulTerminationTimeout. It is no failure if a server stays on: the operation
// deletes it anyway.
//
// Idempotent: it skips servers that are off or shutting down, and the time counts from the first attempt. Takes
// minutes, so it heartbeats. A cancel only stops the waiting.
func (i *Activities) ShutDownServers(ctx context.Context, in DeploymentInput) (out ShutDownServersOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "shut the servers down", err) }()
	defer activities.Heartbeat(ctx)()
	limit, err := i.Cloud.Deployments.GracePeriod(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	power, err := powerOf(deployment.Cloud)
	if err != nil {
		return out, err
	}
	begun := time.Now()
	if info := activity.GetInfo(ctx); info.Attempt > 1 {
		begun = info.ScheduledTime
	}
	out.StillOn, err = power.ShutDown(ctx, deployment.Name, deployment.Owner, begun.Add(limit), deployment.Show)
	if len(out.StillOn) > 0 {
		activity.GetLogger(ctx).Warn("Servers are deleted without having shut down.", "servers", out.StillOn)
	}
	return out, err
}
