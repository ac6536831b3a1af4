package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// kubesprayWork lets an Ansible server make a VNF's servers a Kubernetes cluster.
type kubesprayWork struct{ *clusterWork }

func (k *kubesprayWork) table() table {
	return table{
		kubespray.StepDecideOnCluster:  {do: k.decide},
		kubespray.StepCheckAnsible:     {do: k.checkAnsible},
		kubespray.StepSendInventory:    {do: k.sendAll, undo: k.removeInventory},
		kubespray.StepPlayCluster:      {do: k.install},
		kubespray.StepSendNewInventory: {do: k.sendNew, undo: k.sendFormer},
		kubespray.StepPlayFacts:        {do: k.playFacts},
		kubespray.StepPlayScale:        {do: k.playScale, undo: k.expelFresh},
		kubespray.StepPlayRemoveNode:   {do: k.playRemoveNode},
		kubespray.StepSendRemaining:    {do: k.sendRemaining},
		kubespray.StepRemoveInventory:  {do: k.removeInventory},
	}
}

// decide makes the plan. It refuses to replace a storage server that is in use. It also refuses to replace control
// planes if the release of kubespray cannot.
func (k *kubesprayWork) decide(ctx workflow.Context) error {
	if err := k.vnf.decide(ctx); err != nil {
		return err
	}
	if k.what.ControlPlanes && k.what.ChangeStateTo == "" {
		in := k.onAnsible(ctx, nil)
		in.Recovers = true
		if _, err := call(onlyWaits(soon(ctx)), act.ansible.CheckAnsible, in); err != nil {
			return err
		}
	}
	return k.checkVolumes(ctx)
}

func (k *kubesprayWork) onAnsible(ctx workflow.Context, list lcm.Nodes) pkgplaybook.AnsibleInput {
	return pkgplaybook.AnsibleInput{Tracked: track(ctx, ""), OpOccID: k.in.OpOccID, Nodes: list}
}

func (k *kubesprayWork) checkAnsible(ctx workflow.Context) error {
	_, err := call(onlyWaits(soon(ctx)), act.ansible.CheckAnsible, k.onAnsible(ctx, nil))
	return err
}

func (k *kubesprayWork) send(ctx workflow.Context, list lcm.Nodes) error {
	return k.sendIn(ctx, k.onAnsible(ctx, list))
}

func (k *kubesprayWork) sendIn(ctx workflow.Context, in pkgplaybook.AnsibleInput) error {
	for _, address := range []string{k.made.VirtualIP, k.made.PublicAddress} {
		if k.balanced() && address != "" {
			in.Addresses = append(in.Addresses, address)
		}
	}
	_, err := call(onNode(ctx), act.ansible.SendInventory, in)
	return err
}

func (k *kubesprayWork) sendAll(ctx workflow.Context) error { return k.send(ctx, k.made.Nodes) }

func (k *kubesprayWork) sendFormer(ctx workflow.Context) error { return k.send(ctx, k.what.Nodes) }

func (k *kubesprayWork) sendRemaining(ctx workflow.Context) error {
	return k.send(ctx, k.current().Without(k.leaving()))
}

// current are the nodes that exist now, new ones included.
func (k *kubesprayWork) current() lcm.Nodes {
	if len(k.made.Nodes) > 0 {
		return k.made.Nodes
	}
	return k.what.Nodes
}

// play runs a playbook with an inventory of these nodes, on some of them or on all. The inventory may also have broken
// control planes: kubespray needs a password for every host that it names.
func (k *kubesprayWork) play(ctx workflow.Context, playbook string, all, on lcm.Nodes, variables ...string) error {
	_, err := call(untilDone(ctx), act.ansible.RunPlaybook, pkgplaybook.RunPlaybookInput{
		Tracked: track(ctx, ""), OpOccID: k.in.OpOccID, Playbook: playbook, Nodes: slices.Concat(all, k.broken()), On: on,
		Variables: variables,
	})
	return err
}

// install makes the cluster, of clean nodes when an earlier try has left half of one.
func (k *kubesprayWork) install(ctx workflow.Context) error {
	if err := k.resetAll(ctx, k.made.Nodes); err != nil {
		return err
	}
	return k.playCluster(ctx)
}

func (k *kubesprayWork) playCluster(ctx workflow.Context) error {
	return k.play(ctx, "cluster", k.made.Nodes, nil)
}

// playFacts runs before every playbook that is limited to some nodes: such a playbook needs facts about the other
// nodes.
func (k *kubesprayWork) playFacts(ctx workflow.Context) error {
	return k.play(ctx, "facts", k.made.Nodes, nil)
}

func (k *kubesprayWork) playScale(ctx workflow.Context) error {
	fresh := k.fresh()
	if k.what.ControlPlanes {
		fresh = fresh.With(lcm.Worker) // the others have joined
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := k.resetWorkers(ctx, fresh.With(lcm.Worker)); err != nil {
		return err
	}
	return k.play(ctx, "scale", k.made.Nodes, fresh)
}

// playRemoveNode takes leaving nodes out of the cluster. Their Pods have moved before, and it does not wait for a dead
// node.
func (k *kubesprayWork) playRemoveNode(ctx workflow.Context) error {
	if k.what.ControlPlanes {
		return k.removeInTurn(ctx)
	}
	return k.removeNodesBy(ctx, k.current(), k.leaving())
}

// expelFresh takes the nodes out of the cluster that an undone step has joined.
func (k *kubesprayWork) expelFresh(ctx workflow.Context) error {
	if err := k.known(ctx); err != nil {
		return err
	}
	return k.removeEach(ctx, k.oldFirst(k.made.Nodes), k.fresh())
}

func (k *kubesprayWork) removeNodesBy(ctx workflow.Context, all, gone lcm.Nodes) error {
	if len(gone) == 0 {
		return nil
	}
	var names []string
	for _, node := range gone {
		names = append(names, node.Name)
	}
	// Former releases of kubespray have another name for this confirmation. The servers go, so nothing has to be reset on
	// them.
	return k.play(ctx, "remove-node", all, nil, "node="+strings.Join(names, ","), "skip_confirmation=yes",
		"delete_nodes_confirmation=yes", "reset_nodes=false", "allow_ungraceful_removal=true")
}

// removeInventory leaves the Ansible server clean. A dead Ansible server must not hold up the end of the VNF.
func (k *kubesprayWork) removeInventory(ctx workflow.Context) error {
	in := pkgplaybook.RemoveInventoryInput{Tracked: track(ctx, ""), OpOccID: k.in.OpOccID}
	_, err := call(soon(ctx), act.ansible.RemoveInventory, in)
	if err == nil || isCancelled(err) {
		return err
	}
	in.PassOver = true
	_, err = call(soon(ctx), act.ansible.RemoveInventory, in)
	return err
}
