package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Instantiate carries out one INSTANTIATE operation (SOL003 clause 5.4.4). It makes the infrastructure. When the VNF is
// a cluster, it also builds a Kubernetes cluster there. internal/lifecycle/instantiate.go lists its steps; below is their
// work, in the same order, from the grant to the registration of a cluster.
func Instantiate(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.lookBack = v.outcome, v.lookForLeftovers
	return runOperation(ctx, v.op)
}

// lookForLeftovers finds out whether a given-up INSTANTIATE has left nothing. The VNF instance can be deleted then. If
// more than the deployment may exist, or if the VIM does not answer, the instance stays until somebody has cleaned up.
func (v *vnf) lookForLeftovers(ctx workflow.Context) error {
	const change = "look-for-leftovers"
	if !v.op.hasBegunOnly(lifecycle.StepCreateStack) || workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) < 1 {
		return nil
	}
	in := resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	out, err := call(glance(ctx), act.infrastructure.LookForLeftovers, in)
	v.nothing = err == nil && out.Nothing
	return err
}

// instantiateWork begins every INSTANTIATE, in the order of its steps.
func (v *vnf) instantiateWork() table {
	return table{
		lifecycle.StepAskForGrant:  {do: v.requestGrant},
		lifecycle.StepUploadImages: {do: v.uploadImages, undo: v.releaseImages},
		lifecycle.StepCreateStack:  {do: v.deploy, undo: v.remove},
		lifecycle.StepFindNodes:    {do: v.findNodes},
	}
}

// clusterMade goes on with an INSTANTIATE of a cluster, in the order of its steps, to the registration of the cluster as
// a VIM. Which of the steps an operation has is in package kubeadm; a cluster by kubespray has some of them between its
// own.
func (k *kubeadmWork) clusterMade() table {
	return table{
		cluster.StepWaitForNodes:      {do: k.waitForNodes, undo: k.forgetNodes},
		kubeadm.StepCheckNodes:        {do: k.checkNodes},
		kubeadm.StepPrepareNodes:      {do: k.prepareNodes},
		cluster.StepConnectRegistries: {do: k.connectFresh},
		kubeadm.StepBalanceAll:        {do: k.setUpLoadBalancers},
		cluster.StepCreateBalancer:    {do: k.setUpBalancers, undo: k.removeBalancer},
		cluster.StepWaitForBalancer:   {do: k.waitForBalancers},
		cluster.StepSetUpBalancer:     {do: k.setUpBalancers},
		kubeadm.StepInitControlPlane:  {do: k.initControlPlane},
		kubeadm.StepApplyPodNetwork:   {do: k.applyPodNetwork},
		kubeadm.StepJoinNodes:         {do: k.joinNodes},
		cluster.StepFinishNodes:       {do: k.finishNodes},
		cluster.StepWaitForStorage:    {do: k.waitForStorage},
		cluster.StepCheckStorage:      {do: k.checkStorage},
		cluster.StepMountVolumes:      {do: k.setUpVolumes},
		cluster.StepExportVolumes:     {do: k.exportVolumes},
		cluster.StepMountExports:      {do: k.mountEverywhere},
		cluster.StepRegisterVolumes:   {do: k.registerVolumes},
		cluster.StepSetUpClasses:      {do: k.setUpClasses},
		cluster.StepRegisterCluster:   {do: k.registerVim, undo: k.deregisterVim},
	}
}

func (v *vnf) uploadImages(ctx workflow.Context) error {
	in := resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	_, err := call(untilDone(ctx), act.images.UploadImages, in)
	return err
}

func (v *vnf) releaseImages(ctx workflow.Context) error {
	in := resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	_, err := call(polling(ctx), act.images.ReleaseImages, in)
	return err
}

func (v *vnf) deploy(ctx workflow.Context) error {
	_, err := call(
		polling(ctx), act.infrastructure.CreateStack,
		resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID},
	)
	return err
}

func (v *vnf) remove(ctx workflow.Context) error {
	_, err := call(
		polling(ctx), act.infrastructure.DeleteStack,
		resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID},
	)
	v.gone = err == nil
	return err
}

func (v *vnf) findNodes(ctx workflow.Context) error {
	return v.findThem(onlyWaits(short(ctx)), kubenode.FindNodesInput{AnyNumber: v.vnfStays()})
}

// vnfStays tells whether the VNF existed before the operation and stays. An earlier operation may have left it with any
// number of VMs.
func (v *vnf) vnfStays() bool { return len(v.what.ServerIDs) > 0 && !v.what.Whole }

func (v *vnf) findThem(ctx workflow.Context, in kubenode.FindNodesInput) error {
	in.Tracked, in.OpOccID, in.Cluster, in.HighlyAvailable = track(ctx, ""), v.in.OpOccID, v.what.Cluster,
		v.what.HighlyAvailable
	made, err := call(ctx, act.finder.FindNodes, in)
	if err != nil {
		return err
	}
	v.made = made
	v.made.Nodes = made.Nodes.InOrderOf(v.what.Nodes)
	return nil
}
