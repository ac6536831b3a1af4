// Package pkgplaybook has the activities that run Ansible: the package's playbooks, and kubespray on an Ansible server.
package pkgplaybook

import (
	"context"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/pkgscript"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// PlaybookFacts provides the facts for playbooks.
type PlaybookFacts interface {
	// PlannedFor returns the VNF's flavour and the operation's plan.
	PlannedFor(ctx context.Context, id lcm.OpOccID) (*descriptor.Flavour, lcm.Plan, error)
	// SmallFiles returns the files of the VNF's package that are small enough to send, by path.
	SmallFiles(ctx context.Context, id lcm.VnfPkgID) (map[string][]byte, error)
}

// WorkerHost is the worker's host; playbooks run there in a sandbox. A run is a command, as on any other machine: it
// goes on without its worker, and another worker on the same host finds it again.
type WorkerHost interface {
	Connect() (reach.Host, error)
	// Name is the name of the host. Workers that cannot find each other's runs have different names.
	Name() (string, error)
	// Patience is the time after a worker's last sign of life until its runs have surely ended.
	Patience() time.Duration
	// Script returns the command that runs a playbook, without its claim. Input returns the command's input.
	Script(playbook string) (scripts.PlayHere, error)
	Input(in scripts.PlayInput) ([]byte, error)
	// Follow keeps a run alive until stop is called. The script needs the claim.
	Follow(id string) (claim string, stop func(), err error)
}

// KeyPinner pins host keys of servers that Windlass does not log in to.
type KeyPinner interface {
	// Pin pins the host key of a server. The error is Unavailable if the server does not answer yet.
	Pin(ctx context.Context, id lcm.OpOccID, node lcm.Node) error
}

// Playbooks runs the package's playbooks with Ansible.
type Playbooks struct {
	Reach reach.Runner
	Facts PlaybookFacts
	// Cloud has the servers.
	Cloud   resources.Cloud
	Keys    HostKeys
	Servers KeyPinner
	Lists   pkgscript.ServerLists
	// SSHPort is the SSH port of the operation's servers; 0 means the default port.
	SSHPort func(ctx context.Context, id lcm.OpOccID) (int, error)
	// Here is nil if the operator does not allow playbooks on the worker's host.
	Here WorkerHost
	// Room has as many places as playbooks run on the worker's host at once; nil bounds nothing.
	Room chan struct{}
}

// PlaybooksInput names the operation, and says whether this is its start or its end.
type PlaybooksInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	Start   bool        `json:"start,omitempty"`
	// Skipped only reports the playbooks and does not run them.
	Skipped bool `json:"skipped,omitempty"`
}

// FindPlaybooksOutput lists the playbooks in their order. VDUs with the same order run in parallel.
type FindPlaybooksOutput struct {
	Hook string       `json:"hook,omitempty"`
	Vdus []VduPlaying `json:"vdus,omitempty"`
	// All are the servers of all VDUs, of earlier releases. This one keeps them in the database.
	All lcm.Nodes `json:"all,omitempty"`
	// At is the worker host that runs the playbooks, if any.
	At PlayHost `json:"at,omitzero"`
}

// PlayHost is a host of workers. Only its own workers can find a run on it again.
type PlayHost struct {
	// Queue is the task queue that only the workers of this host poll. "" means no host.
	Queue string `json:"queue,omitempty"`
	// Patience is how long the host may be gone before another host takes over.
	Patience time.Duration `json:"patience,omitempty"`
}

// HostQueue is the task queue of the workers on a host.
func HostQueue(name string) string { return lcm.TaskQueue + "-host-" + name }

// VduPlaying lists the playbooks for each server of a VDU.
type VduPlaying struct {
	Vdu       string    `json:"vdu"`
	Order     int       `json:"order"`
	Playbooks []string  `json:"playbooks"`
	Servers   lcm.Nodes `json:"servers"`
}

// FindPlaybooks reads the operation's playbooks from config.yaml, and finds their servers: leaving servers at the start
// of the operation, new servers at its end. Idempotent: it reads, and keeps the list of all servers.
func (p *Playbooks) FindPlaybooks(ctx context.Context, in PlaybooksInput) (out FindPlaybooksOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "find the playbooks", err) }()
	defer activities.Heartbeat(ctx)()
	flavour, plan, err := p.Facts.PlannedFor(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	name, hook, ok := ansible.HookOf(flavour, plan.Operation, in.Start)
	if !ok {
		return out, nil
	}
	out.Hook = name
	list, err := p.config(ctx, in.OpOccID, hook)
	if err != nil {
		return out, err
	}
	show := p.Reach.Output.Lines(ctx, in.Step)
	for _, of := range list.Vdus {
		playing := VduPlaying{Vdu: of.Vdu, Order: of.Order}
		for _, play := range of.Plays[playbook.Action(name)] {
			playing.Playbooks = append(playing.Playbooks, play.String())
			if in.Skipped {
				show(play.String() + " is not run for " + of.Vdu + `: the operator's setting scripts.policy is not "run"`)
			}
		}
		if len(playing.Playbooks) > 0 {
			out.Vdus = append(out.Vdus, playing)
		}
	}
	if in.Skipped {
		return out, nil
	}
	return out, p.find(ctx, in.OpOccID, flavour, plan, &out)
}

// find adds the servers.
func (p *Playbooks) find(
	ctx context.Context, id lcm.OpOccID, flavour *descriptor.Flavour, plan lcm.Plan, out *FindPlaybooksOutput,
) error {
	vnf, driver, err := p.driver(ctx, id)
	if err != nil {
		return err
	}
	if driver.Params.Server == nil && p.Here != nil {
		name, err := p.Here.Name()
		if err != nil {
			return lcm.Wrap(lcm.KindUnavailable, err, "The worker's host cannot run playbooks: %s", err)
		}
		out.At = PlayHost{Queue: HostQueue(name), Patience: p.Here.Patience()}
	}
	inv, err := p.inventory(ctx, id)
	if lcm.Is(err, lcm.KindNotFound) { // the deployment is gone
		return nil
	}
	if err != nil {
		return err
	}
	var all lcm.Nodes
	for _, v := range flavour.Vdus {
		servers, err := pkgscript.ServersOf(inv, v.ID, vdu.Role(driver.Name(), v.ID), driver.Params.Servers[v.ID].SSHCpName)
		if err != nil {
			return err
		}
		all = append(all, servers...)
	}
	wanted := pkgscript.ServerComes
	if out.Hook == "scale_start" || out.Hook == "terminate_start" {
		wanted = pkgscript.ServerLeaves
	}
	for i := range out.Vdus {
		out.Vdus[i].Servers = slices.DeleteFunc(all.OfVdu(out.Vdus[i].Vdu), func(n lcm.Node) bool {
			return pkgscript.ChangeOf(vnf.Instance, plan, n.ServerID) != wanted
		})
	}
	return p.Lists.KeepServers(ctx, id, out.Hook, all)
}

func (p *Playbooks) inventory(ctx context.Context, id lcm.OpOccID) (*vim.Inventory, error) {
	cloud, err := p.Cloud.VIMs.VIM(ctx, id)
	if err != nil {
		return nil, err
	}
	name, _, err := p.Cloud.Deployments.DeploymentName(ctx, id)
	if err != nil {
		return nil, err
	}
	return p.Cloud.Inventory(ctx, cloud, id, name)
}

func (p *Playbooks) driver(
	ctx context.Context, id lcm.OpOccID,
) (vnf activities.VnfContext, driver *ansible.Ansible, err error) {
	if vnf, err = p.Reach.Vnfs.Vnf(ctx, id); err != nil {
		return vnf, nil, err
	}
	if driver = ansible.In(vnf.Drivers); driver == nil {
		return vnf, nil, lcm.Errorf(lcm.KindBug, "Windlass ran a step with a playbook, but the VNF has no playbooks.")
	}
	return vnf, driver, nil
}

// config reads the hook's config.yaml.
func (p *Playbooks) config(ctx context.Context, id lcm.OpOccID, hook descriptor.Hook) (*playbook.Config, error) {
	vnf, err := p.Reach.Vnfs.Vnf(ctx, id)
	if err != nil {
		return nil, err
	}
	text, err := vnf.PackageFile(ctx, hook.Playbooks)
	if err != nil {
		return nil, err
	}
	return playbook.Read(hook.Playbooks, text)
}
