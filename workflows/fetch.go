package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// packages only names the activities.
var packages *activities.Packages

// FetchPackage fetches the archive of a VNF package and takes it on board; a package that cannot be had, or cannot be
// used, is CREATED again and says why.
func FetchPackage(ctx workflow.Context, in lcm.FetchInput) error {
	_, err := deliver(fetching(ctx), packages.FetchPackage, activities.FetchPackageInput{VnfPkgID: in.VnfPkgID})
	if err == nil {
		return nil
	}
	_, err = deliver(asking(ctx), packages.GiveUpPackage,
		activities.GiveUpPackageInput{VnfPkgID: in.VnfPkgID, Error: errorOf(err)})
	return err
}

// fetching tries about two minutes long, but lets one attempt take as long as its archive is large.
func fetching(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    beat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second, MaximumAttempts: 10,
		},
	})
}
