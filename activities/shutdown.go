package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// ShutDownServersOutput names the servers that were not off when the time was over.
type ShutDownServersOutput struct {
	StillOn []string `json:"stillOn,omitempty"`
}

// ShutDownServers takes the VNF out of service (SOL003 clause 5.4.8): every server is told to shut down, so that
// its services end in order, and has gracefulTerminationTimeout for it. A server that does not is no failure:
// it is deleted as it is.
//
// Idempotent: what is off or on its way is left alone, and the time counts from the first attempt. Takes minutes,
// so it heartbeats; a cancel stops the waiting only.
func (i *Infrastructure) ShutDownServers(ctx context.Context, in DeploymentInput) (out ShutDownServersOutput, err error) {
	defer func() { err = boundary(ctx, "shut the servers down", err) }()
	defer heartbeat(ctx)()
	limit, err := i.Deployments.GracePeriod(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	deployment, err := i.deploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	power, err := powerOf(deployment.cloud)
	if err != nil {
		return out, err
	}
	begun := time.Now()
	if info := activity.GetInfo(ctx); info.Attempt > 1 {
		begun = info.ScheduledTime
	}
	out.StillOn, err = power.ShutDown(ctx, deployment.name, deployment.owner, begun.Add(limit), deployment.show)
	if len(out.StillOn) > 0 {
		activity.GetLogger(ctx).Warn("Servers are deleted without having shut down.", "servers", out.StillOn)
	}
	return out, err
}
