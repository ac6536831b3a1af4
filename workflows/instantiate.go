package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// The structs whose methods are the activities. Workflows use them only as receivers of method values: the SDK takes
// the activities' names from these receivers.
var (
	infra       *activities.Infrastructure
	images      *activities.Images
	nodes       *activities.Nodes
	cluster     *activities.Cluster
	vims        *activities.VimRegistry
	clusterVnfs *activities.ClusterVnfs
	grants      *activities.Grants
)

// Instantiate carries out one INSTANTIATE operation (SOL003 clause 5.4.4). It makes the infrastructure. When the VNF is
// a cluster, it also builds a Kubernetes cluster there. listing.making in package lifecycle lists its steps.
func Instantiate(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.lookBack = v.outcome, v.lookForLeftovers
	return runOperation(ctx, v.op)
}

// createStack is the step that makes the deployment.
const createStack lifecycle.StepID = "create-stack"

// lookForLeftovers finds out whether a given-up INSTANTIATE has left nothing. The VNF instance can be deleted then. If
// more than the deployment may exist, or if the VIM does not answer, the instance stays until somebody has cleaned up.
func (v *vnf) lookForLeftovers(ctx workflow.Context) error {
	const change = "look-for-leftovers"
	if !v.op.hasBegunOnly(createStack) || workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) < 1 {
		return nil
	}
	in := activities.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	out, err := call(glance(ctx), infra.LookForLeftovers, in)
	v.nothing = err == nil && out.Nothing
	return err
}

func (v *vnf) making() table {
	return table{
		"ask-for-grant": {do: v.requestGrant},
		"upload-images": {do: v.uploadImages, undo: v.releaseImages},
		createStack:     {do: v.deploy, undo: v.remove},
		"find-nodes":    {do: v.findNodes},
	}
}

func (v *vnf) uploadImages(ctx workflow.Context) error {
	in := activities.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	_, err := call(untilDone(ctx), images.UploadImages, in)
	return err
}

func (v *vnf) releaseImages(ctx workflow.Context) error {
	in := activities.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	_, err := call(polling(ctx), images.ReleaseImages, in)
	return err
}

func (v *vnf) deploy(ctx workflow.Context) error {
	_, err := call(polling(ctx), infra.CreateStack, activities.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	return err
}

func (v *vnf) remove(ctx workflow.Context) error {
	_, err := call(polling(ctx), infra.DeleteStack, activities.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	v.gone = err == nil
	return err
}

func (v *vnf) findNodes(ctx workflow.Context) error {
	return v.findThem(onlyWaits(short(ctx)), activities.FindNodesInput{AnyNumber: v.vnfStays()})
}

// vnfStays tells whether the VNF existed before the operation and stays. An earlier operation may have left it with any
// number of VMs.
func (v *vnf) vnfStays() bool { return len(v.what.ServerIDs) > 0 && !v.what.Whole }

func (v *vnf) findThem(ctx workflow.Context, in activities.FindNodesInput) error {
	in.Tracked, in.OpOccID, in.Cluster, in.HighlyAvailable = track(ctx, ""), v.in.OpOccID, v.what.Cluster,
		v.what.HighlyAvailable
	made, err := call(ctx, infra.FindNodes, in)
	if err != nil {
		return err
	}
	v.made = made
	v.made.Nodes = made.Nodes.InOrderOf(v.what.Nodes)
	return nil
}
