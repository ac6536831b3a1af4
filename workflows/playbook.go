package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// playbooks is a receiver of method values only.
var playbooks *activities.Playbooks

// playbookWork has Ansible run playbooks of the package at hooks.
type playbookWork struct{ *vnf }

func (p *playbookWork) table() table {
	return table{
		"play-playbooks-at-start": {do: p.at(true)},
		"play-playbooks-at-end":   {do: p.at(false)},
		"skip-playbooks-at-start": {do: p.skip(true)},
		"skip-playbooks-at-end":   {do: p.skip(false)},
	}
}

func (p *playbookWork) input(ctx workflow.Context, start bool) activities.PlaybooksInput {
	return activities.PlaybooksInput{Tracked: track(ctx, ""), OpOccID: p.in.OpOccID, Start: start}
}

func (p *playbookWork) skip(start bool) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		in := p.input(ctx, start)
		in.Skipped = true
		_, err := call(short(ctx), playbooks.FindPlaybooks, in)
		return err
	}
}

// at plays what a hook has: the VDUs in their order, those of the same order side by side.
func (p *playbookWork) at(start bool) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		found, err := call(onlyWaits(short(ctx)), playbooks.FindPlaybooks, p.input(ctx, start))
		if err != nil {
			return err
		}
		for i := 0; i < len(found.Vdus); {
			lists, servers := map[string][]string{}, lcm.Nodes{}
			for order := found.Vdus[i].Order; i < len(found.Vdus) && found.Vdus[i].Order == order; i++ {
				lists[found.Vdus[i].Vdu] = found.Vdus[i].Playbooks
				servers = append(servers, found.Vdus[i].Servers...)
			}
			err := inParallel(ctx, servers, func(ctx workflow.Context, node lcm.Node) error {
				return p.forServer(ctx, found, node, len(lists[node.VduID]), start)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// forServer plays the playbooks of a server's VDU, one after another.
func (p *playbookWork) forServer(
	ctx workflow.Context, found activities.FindPlaybooksOutput, node lcm.Node, count int, leaves bool,
) error {
	in := activities.PlayInput{NodeInput: p.on(ctx, node), Hook: found.Hook, All: found.All}
	in.PassOver = leaves // what does not answer must not hold up that it goes
	waited, err := call(onlyWaits(untilDone(ctx)), playbooks.AwaitServer, in)
	if err != nil || waited.PassedOver {
		return err
	}
	for in.Index = range count {
		if err := p.play(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// play runs one playbook. An Ansible server that does not answer is waited for, unless the VNF's server goes.
func (p *playbookWork) play(ctx workflow.Context, in activities.PlayInput) error {
	leaves := in.PassOver
	in.PassOver = false
	if !leaves {
		_, err := call(untilDone(ctx), playbooks.Play, in)
		return err
	}
	_, err := call(soon(ctx), playbooks.Play, in)
	if !unanswered(ctx, err) {
		return err
	}
	in.PassOver = true
	_, err = call(soon(ctx), playbooks.Play, in)
	return err
}
