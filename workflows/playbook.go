package workflows

import (
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/pkgplaybook"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// playbookWork lets Ansible run playbooks of the package at hooks.
type playbookWork struct{ *vnf }

func (p *playbookWork) table() table {
	return table{
		"play-playbooks-at-start": {do: p.at(true)},
		"play-playbooks-at-end":   {do: p.at(false)},
		"skip-playbooks-at-start": {do: p.skip(true)},
		"skip-playbooks-at-end":   {do: p.skip(false)},
	}
}

func (p *playbookWork) input(ctx workflow.Context, start bool) pkgplaybook.PlaybooksInput {
	return pkgplaybook.PlaybooksInput{Tracked: track(ctx, ""), OpOccID: p.in.OpOccID, Start: start}
}

func (p *playbookWork) skip(start bool) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		in := p.input(ctx, start)
		in.Skipped = true
		_, err := call(short(ctx), act.playbooks.FindPlaybooks, in)
		return err
	}
}

// at plays the playbooks of a hook. It takes the VDUs in their order, and VDUs of the same order at the same time.
func (p *playbookWork) at(start bool) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		found, err := call(onlyWaits(short(ctx)), act.playbooks.FindPlaybooks, p.input(ctx, start))
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
	ctx workflow.Context, found pkgplaybook.FindPlaybooksOutput, node lcm.Node, count int, leaves bool,
) error {
	in := pkgplaybook.PlayInput{NodeInput: p.on(ctx, node), Hook: found.Hook, All: found.All}
	at := found.At
	in.PassOver = leaves // a server that does not answer must not hold up its own removal
	waited, err := call(onlyWaits(untilDone(ctx)), act.playbooks.AwaitServer, in)
	if err != nil || waited.PassedOver {
		return err
	}
	for in.Index = range count {
		if at, err = p.somewhere(ctx, in, at); err != nil {
			return err
		}
	}
	return nil
}

// otherHosts bounds how often another host takes over from a host of workers that is gone.
const otherHosts = 5

// somewhere runs one playbook, and returns where it ran. The workers of a host find a run on that host again. If all of
// them are gone until the run has ended, another host begins the playbook again.
func (p *playbookWork) somewhere(
	ctx workflow.Context, in pkgplaybook.PlayInput, at pkgplaybook.PlayHost,
) (pkgplaybook.PlayHost, error) {
	for tries := 1; ; tries++ {
		err := p.play(ctx, in, at)
		if at.Queue == "" || !neverBegan(err) || tries > otherHosts {
			return at, err
		}
		found, err := call(short(ctx), act.playbooks.FindPlaybooks, p.input(ctx, in.PassOver))
		if err != nil {
			return at, err
		}
		at = found.At
	}
}

// play runs one playbook where at says. It waits for an Ansible server that does not answer, unless the VNF's server
// leaves.
func (p *playbookWork) play(ctx workflow.Context, in pkgplaybook.PlayInput, at pkgplaybook.PlayHost) error {
	leaves := in.PassOver
	in.PassOver = false
	if !leaves {
		_, err := call(onHost(untilDone(ctx), at), act.playbooks.Play, in)
		return err
	}
	_, err := call(onHost(soon(ctx), at), act.playbooks.Play, in)
	if at.Queue != "" || !unanswered(ctx, err) {
		return err
	}
	in.PassOver = true
	_, err = call(soon(ctx), act.playbooks.Play, in)
	return err
}

// onHost is for an activity that only the workers of one host can do.
func onHost(ctx workflow.Context, at pkgplaybook.PlayHost) workflow.Context {
	if at.Queue == "" {
		return ctx
	}
	opts := workflow.GetActivityOptions(ctx)
	opts.TaskQueue, opts.ScheduleToStartTimeout = at.Queue, at.Patience
	return workflow.WithActivityOptions(ctx, opts)
}

// neverBegan tells whether no worker has begun the activity.
func neverBegan(err error) bool {
	timeout, ok := errors.AsType[*temporal.TimeoutError](err)
	return ok && timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START
}
