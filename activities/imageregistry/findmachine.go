package imageregistry

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Activities makes a server a registry of images.
type Activities struct {
	Reach reach.Runner
	Cloud resources.Cloud
}

// FindMachineInput names an operation on a VNF with one machine.
type FindMachineInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// FindMachineOutput is the machine, with a name like a node's.
type FindMachineOutput struct {
	Machine lcm.Node `json:"machine"`
	// Volume is the volume for the images, nil when the request asks for none.
	Volume *lcm.StorageVolume `json:"volume,omitempty"`
}

// FindMachine finds the only machine of a registry VNF. Idempotent: it only reads.
func (n *Activities) FindMachine(ctx context.Context, in FindMachineInput) (out FindMachineOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "find the machine", err) }()
	defer activities.Heartbeat(ctx)()
	cloud, err := n.Cloud.VIMs.VIM(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	name, _, err := n.Cloud.Deployments.DeploymentName(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	inv, err := n.Cloud.Inventory(ctx, cloud, in.OpOccID, name)
	if err != nil {
		return out, err
	}
	vnf, err := registryOf(ctx, n.Reach.Vnfs, in.OpOccID)
	if err != nil {
		return out, err
	}
	p := vnf.Params
	at := k8s.NodeParams{SSHCpName: p.SSHCpName, NicCpName: p.SSHCpName}
	if out.Machine, err = locate.NodeOf(inv, inv.ID, lcm.RegistryServer, at); err != nil {
		return out, err
	}
	if p.Volume != nil {
		out.Volume, err = locate.FindVolume(inv, p.Volume.VolumeResourceID)
	}
	return out, err
}
