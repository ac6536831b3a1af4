package kubespray

import (
	"cmp"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Control planes come or go: kubespray has separate playbooks for them.

// changesControlPlanes tells whether some control planes come or go, but not the entire VNF.
func (c *Installer) changesControlPlanes(f lifecycle.Facts, p lcm.Plan) bool {
	return p.ChangeStateTo == "" && !p.Whole && c.ControlPlanes(f, p)
}

// changesWorkers tells whether workers come or go.
func (l listing) changesWorkers() bool {
	vdus := l.Cluster.ControlPlaneVdus(l.Facts)
	isOther := func(vdu string) bool { return !slices.Contains(vdus, vdu) }
	return slices.ContainsFunc(l.Plan.Groups, func(g lcm.GroupChange) bool { return isOther(g.VduID) }) ||
		slices.ContainsFunc(l.Plan.Leaving, func(v lcm.LeavingVnfc) bool { return isOther(v.VduID) })
}

// keepsOdd refuses plans without an odd number of control planes, as kubespray does: each is a member of etcd.
func (c *Installer) keepsOdd(f lifecycle.Facts, p lcm.Plan) error {
	vdus := c.ControlPlaneVdus(f)
	for _, g := range p.Groups {
		if slices.Contains(vdus, g.VduID) && g.To%2 == 0 {
			return lcm.Errorf(lcm.KindInvalid, "The cluster would have %d control planes, each with a member of etcd, and "+
				"kubespray installs an odd number of them only. Scale by another number of steps.", g.To)
		}
	}
	return nil
}

// keepsMajority refuses to heal control planes if etcd has no majority without them: the data of the cluster would then
// be whatever one of the others has.
func (c *Installer) keepsMajority(f lifecycle.Facts, p lcm.Plan) error {
	vdus, all, stay := c.ControlPlaneVdus(f), 0, 0
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if !slices.Contains(vdus, v.VduID) {
			continue
		}
		all++
		if !slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return l.VnfcID == v.ID }) {
			stay++
		}
	}
	if p.Whole || stay == all || stay >= all/2+1 {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The cluster would lose the quorum of etcd: %d of %d control planes would "+
		"stay, but etcd needs %d. Heal fewer of them at once, or the entire VNF (without vnfcInstanceId).", stay, all,
		all/2+1)
}

// joined makes new servers members of the cluster.
func (l listing) joined() []lifecycle.Step {
	recovers := l.cluster.changesControlPlanes(l.Facts, l.Plan)
	const undo = "the new nodes are taken out of the cluster (remove-node.yml)"
	return lifecycle.Join(
		lifecycle.When(recovers, lifecycle.Step{
			ID: StepPlayRecover, Title: "Make the control plane whole with kubespray (recover-control-plane.yml)", Undo: undo,
		}),
		lifecycle.When(l.changesWorkers() || !recovers, lifecycle.Step{
			ID: StepPlayScale, Title: "Join the new nodes with kubespray (scale.yml)", Undo: undo,
		}),
		lifecycle.When(recovers, lifecycle.Step{
			ID: StepPlayClusterAgain, Title: "Tell all nodes of the new control planes (cluster.yml)",
		}),
	)
}

// left takes nodes out of the cluster whose servers go. A healed control plane leaves when its successor comes.
func (l listing) left() []lifecycle.Step {
	changes := l.cluster.changesControlPlanes(l.Facts, l.Plan)
	scales := changes && !l.Plan.Replaces()
	return lifecycle.Join(
		lifecycle.When(scales, lifecycle.Step{
			ID: StepSendLeavingLast, Title: "Send the inventory with the nodes that leave at its end",
			Undo: "the former inventory is sent",
		}),
		lifecycle.When(l.changesWorkers() || scales || !changes, lifecycle.Step{
			ID: StepPlayRemoveNode, Title: "Take the nodes out of the cluster with kubespray (remove-node.yml)", Final: true,
		}),
	)
}

// registeredAgain is for a cluster that is registered with the address of a control plane.
func (l listing) registeredAgain() []lifecycle.Step {
	return lifecycle.When(l.Cluster.Params.ExternalLB == nil && l.cluster.changesControlPlanes(l.Facts, l.Plan), lifecycle.Step{
		ID: StepRegisterAgain, Title: "Register the cluster where it is now",
	})
}

// registeredElsewhere is for such a cluster before control planes leave: the registered address may be of one of them.
func (l listing) registeredElsewhere() []lifecycle.Step {
	stays := l.Cluster.Params.ExternalLB != nil || l.Cluster.Params.MasterNode.ClusterFipName != ""
	return lifecycle.When(!stays && l.cluster.changesControlPlanes(l.Facts, l.Plan), lifecycle.Step{
		ID: StepRegisterRemaining, Title: "Register the cluster at a control plane that stays", Final: true,
	})
}

// etcdByKubespray changes the infrastructure's steps that remove servers, because kubespray takes the control planes
// out of etcd.
func etcdByKubespray(list []lifecycle.Step) []lifecycle.Step {
	only := map[lifecycle.StepID]lifecycle.StepID{cluster.StepRemoveNodes: StepRemoveNodesOnly, cluster.StepReplaceNodes: StepReplaceNodesOnly}
	for i, s := range list {
		list[i].ID = cmp.Or(only[s.ID], s.ID)
	}
	return list
}
