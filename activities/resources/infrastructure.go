// Package resources has the activities on the VNF's resources in its VIM. It knows neither clusters nor the parameters
// of any driver.
package resources

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// VIMs opens the VIM on which an operation works.
type VIMs interface {
	VIM(ctx context.Context, id lcm.OpOccID) (vim.VIM, error)
}

// Deployments makes the deployment of an operation from its package and request.
type Deployments interface {
	Deployment(ctx context.Context, id lcm.OpOccID) (vim.Deployment, error)
	DeploymentName(ctx context.Context, id lcm.OpOccID) (name, owner string, err error)
	// Change returns the deployment's change to those sizes, and the servers of the VNF as recorded.
	Change(ctx context.Context, id lcm.OpOccID, sizes vim.Sizes) (change vim.Change, servers []string, err error)
	// Recorded returns the recorded VMs of the VNF, with their ports; each port has the name of its connection point.
	Recorded(ctx context.Context, id lcm.OpOccID) ([]record.Vnfc, error)
	// Links returns the external links of the VNF as recorded, and as the operation should make them.
	Links(ctx context.Context, id lcm.OpOccID) (before, after []lcm.ExtVirtualLink, err error)
	// Reconnection returns the deployment's change to the external links of the plan, or back to the VNF's recorded
	// links.
	Reconnection(ctx context.Context, id lcm.OpOccID, asBefore bool) (vim.Change, error)
	// Repackaging returns the deployment's change to the new package of a CHANGE_VNFPKG, or back to the former package.
	Repackaging(ctx context.Context, id lcm.OpOccID, asBefore bool) (vim.Change, error)
	// Halting returns the change of an OPERATE's deployment, and the time that running containers have to end.
	Halting(ctx context.Context, id lcm.OpOccID) (ch vim.Change, grace time.Duration, err error)
	// GracePeriod returns how long a TERMINATE waits for the servers to shut down.
	GracePeriod(ctx context.Context, id lcm.OpOccID) (time.Duration, error)
	// Removal returns how the operation removes the deployment, for VIMs that have several ways.
	Removal(ctx context.Context, id lcm.OpOccID) (vim.Removal, error)
}

// Activities makes and removes the VNF's resources in the VIM.
type Activities struct{ Cloud Cloud }

// Cloud is where the resources of VNFs are, and what operations order there.
type Cloud struct {
	VIMs        VIMs
	Deployments Deployments
	Output      activities.Output
}

// DeploymentInput names the operation that the deployment belongs to.
type DeploymentInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// CreateStackOutput is the new deployment.
type CreateStackOutput struct {
	DeploymentID string `json:"stackId"`
}

// CreateStack makes the VNF's deployment and waits until it is complete.
//
// Idempotent: the deployment's name derives from the VNF instance. The activity waits for an existing deployment; it
// deletes a failed deployment and makes it again. Takes minutes, so it heartbeats. A cancel makes the VIM stop. Any
// other end of the context does not: the next attempt goes on waiting for the deployment.
func (i *Activities) CreateStack(ctx context.Context, in DeploymentInput) (out CreateStackOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "create the deployment", err) }()
	defer activities.Heartbeat(context.WithoutCancel(ctx))() // also while the VIM stops
	cloud, err := i.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	deployment, err := i.Cloud.Deployments.Deployment(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if err := i.checkGiven(ctx, cloud, in.OpOccID, lookedAll); err != nil {
		return out, err
	}
	show := i.Cloud.Output.Lines(ctx, in.Step)
	out.DeploymentID, err = cloud.Deploy(ctx, deployment, show)
	if err != nil && cancelled(ctx) {
		stopCreation(ctx, cloud, deployment, show)
	}
	return out, err
}

// stopLimit limits how long a cancel waits for the VIM to stop. The VIM only marks the deployment, which is quick.
const stopLimit = time.Minute

// stopCreation makes the VIM stop. If the VIM cannot stop, the operation is cancelled anyway: a retry finds the
// deployment in its state at that time, and a rollback deletes it.
func stopCreation(ctx context.Context, cloud vim.VIM, deployment vim.Deployment, show func(string)) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer done()
	if err := cloud.Interrupt(ctx, deployment.Name, deployment.Owner, show); err != nil {
		show("The deployment could not be cancelled: " + activities.Classify(err).Sentence())
	}
}

// cancelled tells whether ctx ended because of a cancel of the operation, and not because this worker stops or Temporal
// has given up this attempt.
func cancelled(ctx context.Context) bool {
	return ctx.Err() != nil && temporal.IsCanceledError(context.Cause(ctx))
}

// DeleteStackOutput is empty.
type DeleteStackOutput struct{}

// DeleteStack deletes the VNF's deployment and waits until it is gone.
//
// Idempotent: a missing deployment counts as deleted. It does not touch a deployment of that name that Windlass did not
// make. Takes minutes, so it heartbeats. A cancel only stops the waiting.
func (i *Activities) DeleteStack(ctx context.Context, in DeploymentInput) (out DeleteStackOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "delete the deployment", err) }()
	defer activities.Heartbeat(ctx)()
	deployment, err := i.Cloud.DeploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	how, err := i.Cloud.Deployments.Removal(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if disposer, ok := deployment.Cloud.(vim.Disposer); ok {
		return out, disposer.Dispose(ctx, deployment.Name, deployment.Owner, how, deployment.Show)
	}
	return out, deployment.Cloud.Remove(ctx, deployment.Name, deployment.Owner, deployment.Show)
}

// VnfcsOf lists the servers of an inventory, with their volumes and ports.
func VnfcsOf(inv *vim.Inventory) []record.Vnfc {
	var out []record.Vnfc
	volumes, ports := map[string]string{}, map[string][]record.Attached{} // names by volume, ports by server
	for _, r := range inv.OfKind(vim.Storage) {
		volumes[r.ID] = r.Name
	}
	for _, r := range inv.OfKind(vim.LinkPort) {
		if port := inv.Ports[r.ID]; port.ServerID != "" {
			ports[port.ServerID] = append(ports[port.ServerID], record.Attached{
				Type: lcm.GrantLinkPort, Resource: r.Name, ID: r.ID, VimType: r.VimType, MAC: port.MAC, Addresses: port.FixedIPs,
			})
		}
	}
	for _, r := range inv.OfKind(vim.Compute) {
		v := record.Vnfc{VduID: r.Name, ServerID: r.ID, ParentResource: r.Member, VimType: r.VimType}
		if !inv.AtTop(r) {
			v.Part = r.Part
		}
		server := inv.Servers[r.ID]
		v.Zone, v.VolumeIDs, v.Created = server.Zone, server.VolumeIDs, r.Created
		for _, id := range server.VolumeIDs {
			v.Attached = append(v.Attached, record.Attached{
				Type: lcm.GrantStorage, Resource: volumes[id], ID: id, VimType: server.VolumeType,
			})
		}
		v.Attached = append(v.Attached, ports[r.ID]...)
		out = append(out, v)
	}
	return out
}

// NetworksOf lists the networks that a deployment has made.
func NetworksOf(inv *vim.Inventory) (out []record.Network) {
	for _, r := range inv.OfKind(vim.Network) {
		n := record.Network{Resource: r.Name, ID: r.ID, VimType: r.VimType}
		if !inv.AtTop(r) {
			n.Part = r.Part
		}
		out = append(out, n)
	}
	return out
}
