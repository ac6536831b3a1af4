package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
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
