package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/orchestrator"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// FetchPackage fetches the archive of a VNF package and onboards it. If it cannot fetch the package, or the package is
// unusable, the package is CREATED again and says why.
func FetchPackage(ctx workflow.Context, in lcm.FetchInput) error {
	_, err := deliver(fetching(ctx), act.packages.FetchPackage, orchestrator.FetchPackageInput{VnfPkgID: in.VnfPkgID})
	if err == nil {
		return nil
	}
	_, err = deliver(asking(ctx), act.packages.GiveUpPackage,
		orchestrator.GiveUpPackageInput{VnfPkgID: in.VnfPkgID, Error: errorOf(err)})
	return err
}

// fetching tries for about two minutes, but one attempt may take as long as its archive needs.
func fetching(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    beat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second, MaximumAttempts: 10,
		},
	})
}
