package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Heal carries out one HEAL operation (SOL003 clause 5.4.9). It gives the VNFCs that the request names new VMs, or
// makes the entire VNF anew. A rollback is possible until the first server is deleted, or the first node leaves its
// cluster.
func Heal(ctx workflow.Context, in lcm.OperationInput) error {
	v := newVnf(in)
	v.op.outcome, v.op.lookBack = v.outcome, v.lookBack
	return runOperation(ctx, v.op)
}

func (v *vnf) healWork() table {
	return table{
		lifecycle.StepCheckGivenPorts:         {do: v.checkPorts},
		lifecycle.StepLookBeforeHeal:          {do: v.lookBefore},
		lifecycle.StepReplaceServers:          {do: v.replaceServers},
		lifecycle.StepReplaceServersRevocably: {do: v.replaceRevocably, undo: v.restoreServers},
		lifecycle.StepReplaceContainers:       {do: v.replaceContainers, undo: v.recordPods},
	}
}

// lookBefore also refuses to replace a server if volumes would go with it that its successor is to get.
func (v *vnf) lookBefore(ctx workflow.Context) error {
	if err := v.decided(ctx); err != nil {
		return err
	}
	return v.findThem(onlyWaits(short(ctx)), kubenode.FindNodesInput{AnyNumber: v.vnfStays(), Keepers: v.keepers()})
}

// replaceServers gives new servers to exactly the VNFCs that the plan names.
func (v *vnf) replaceServers(ctx workflow.Context) error {
	if err := v.freeVolumes(ctx); err != nil {
		return err
	}
	return v.replace(ctx)
}

// replace replaces the servers of the plan, but not the Pods of a hybrid VNF.
func (v *vnf) replace(ctx workflow.Context) error {
	servers, on := v.leavingServers()
	return v.changePart(ctx, vim.SizesPlanned, servers, on)
}

// leavingServers are the plan's servers without the Pods of a hybrid VNF. on is the type of their VIM, if there are
// any.
func (v *vnf) leavingServers() (servers []string, on string) {
	pods := v.change.LeavingPods()
	if servers = v.change.LeavingServers(); len(pods) == 0 {
		return servers, ""
	}
	return slices.DeleteFunc(servers, func(id string) bool { return slices.Contains(pods, id) }), lcm.VimKindFor(false, v.what.VimTypes...).Type
}

// replaceContainers replaces the Pods of the plan. In a VNF of Pods only, these are all VNFCs that the plan names.
func (v *vnf) replaceContainers(ctx workflow.Context) error {
	if pods := v.change.LeavingPods(); len(pods) > 0 {
		return v.changePart(ctx, vim.SizesPlanned, pods, lcm.VimKindFor(true, v.what.VimTypes...).Type)
	}
	return v.replaceServers(ctx)
}

// replaceNodes first deletes the nodes from the cluster.
func (c *clusterWork) replaceNodes(ctx workflow.Context) error {
	if err := c.expelLeaving(ctx); err != nil {
		return err
	}
	return c.replaceServers(ctx)
}

// replaceRevocably keeps a rollback possible if it fails before a server is deleted. If it cannot tell now, the
// rollback itself looks.
func (v *vnf) replaceRevocably(ctx workflow.Context) error {
	err := v.replace(ctx)
	if err == nil {
		v.op.journal.status.ForwardOnly = true
		return nil
	}
	looking, _ := workflow.NewDisconnectedContext(ctx)
	out, unknown := call(glance(looking), act.infrastructure.FindLostServers, v.leavingInput(looking))
	v.op.journal.status.ForwardOnly = v.op.journal.status.ForwardOnly || unknown == nil && len(out.Lost) > 0
	return err
}

func (v *vnf) leavingInput(ctx workflow.Context) resources.ServersInput {
	servers, _ := v.leavingServers()
	return resources.ServersInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, ServerIDs: servers}
}

// restoreServers gives back to the former servers what the VIM has taken from them, as long as all of them exist.
func (v *vnf) restoreServers(ctx workflow.Context) error {
	if err := v.decided(ctx); err != nil {
		return err
	}
	out, err := call(polling(ctx), act.infrastructure.RestoreServers, v.leavingInput(ctx))
	if err != nil || len(out.Lost) == 0 {
		return err
	}
	v.op.journal.status.ForwardOnly = true
	return lcm.Errorf(lcm.KindConflict, "The VIM has deleted %s meanwhile.", strings.Join(out.Lost, ", "))
}

// recordPods looks at the VNF again. A heal of Pods changes no object, but replaced Pods do not come back.
func (v *vnf) recordPods(ctx workflow.Context) error {
	v.op.restored = v.formerPods
	return v.findThem(onlyWaits(short(ctx)), kubenode.FindNodesInput{AnyNumber: true})
}

// checkPorts looks at ports that others have made, before anything is changed. Once the deployment is gone, a port that
// cannot be used again would leave no way back.
func (v *vnf) checkPorts(ctx workflow.Context) error {
	_, err := call(onlyWaits(short(ctx)), act.infrastructure.CheckPorts,
		resources.DeploymentInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	return err
}

func (v *vnf) heals() bool { return v.in.Operation == lcm.OpHeal }
