package pkgplaybook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// PlayInput names a playbook and its server.
type PlayInput struct {
	reach.NodeInput
	Hook string `json:"hook"`
	// Index is the playbook's position among the playbooks of the server's VDU.
	Index int `json:"index"`
	// All are all servers of the VNF, if an earlier release has found them.
	All lcm.Nodes `json:"all,omitempty"`
	// PassOver skips the playbook if a leaving server or the Ansible server does not answer.
	PassOver bool `json:"passOver,omitempty"`
}

// PlayOutput tells whether a server did not answer.
type PlayOutput struct {
	PassedOver bool `json:"passedOver,omitempty"`
}

// Play runs one playbook of the package for one server with Ansible: on the Ansible server, or on this host if there is
// none.
//
// Idempotent: a later attempt finds a running playbook, or the result of a successful playbook. For a run on this host,
// only workers of this host find it, so the activity uses the host's task queue. Takes as long as the playbook
// (ansible.timeouts.run). A cancel kills the playbook.
func (p *Playbooks) Play(ctx context.Context, in PlayInput) (out PlayOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "run a playbook for "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, driver, err := p.driver(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if in.All == nil {
		if in.All, err = p.Lists.ServersOf(ctx, in.OpOccID, in.Hook); err != nil {
			return out, err
		}
	}
	run, known, err := p.prepare(ctx, in, vnf, driver)
	if err != nil {
		return out, err
	}
	files, err := p.Facts.SmallFiles(ctx, vnf.Instance.VnfPkgID)
	if err != nil {
		return out, err
	}
	maps.DeleteFunc(files, func(name string, text []byte) bool { return !ansible.Wanted(name, int64(len(text))) })
	maps.Copy(files, run.Files)
	given := scripts.PlayInput{
		Package: files, Inventory: run.Inventory, Variables: string(run.Variables), KnownHosts: known, Key: run.Key,
	}
	if driver.Params.Server == nil {
		return out, p.here(ctx, in, run, given, driver.Limit())
	}
	stdin, err := given.Stdin()
	if err != nil {
		return out, lcm.Wrap(lcm.KindBug, err, "The files of the package could not be packed.")
	}
	server := in.NodeInput
	server.Node = serverOf(driver)
	_, err = p.Reach.RunOn(ctx, server, reach.Task{
		Script: scripts.PlayPackage{Playbook: run.Playbook, Password: run.Password}, Stdin: stdin, Mask: run.Secrets,
		Limit: driver.Limit(), Parameter: "ansible.timeouts.run", Ordinary: true, Foreign: true,
	})
	out.PassedOver = p.Reach.PassOver(ctx, server, in.PassOver, err)
	if out.PassedOver {
		err = nil
	}
	return out, err
}

// here runs the playbook on the worker's host, in the same way as on other machines.
func (p *Playbooks) here(
	ctx context.Context, in PlayInput, run ansible.Run, given scripts.PlayInput, limit time.Duration,
) error {
	if p.Here == nil {
		return lcm.Errorf(lcm.KindInvalid, "This worker does not run the playbook %s: set scripts.ansible, or roll "+
			"back and give ansible.server in the request.", run.Playbook)
	}
	script, err := p.Here.Script(run.Playbook)
	if err != nil {
		return err
	}
	stdin, err := p.Here.Input(given)
	if err != nil {
		return lcm.Wrap(lcm.KindBug, err, "The files of the package could not be packed.")
	}
	host, err := p.Here.Connect()
	if err != nil {
		return err
	}
	defer func() { _ = host.Close() }()
	claim, stop, err := p.Here.Follow(reach.CommandID(ctx, reach.Task{Script: script}))
	if err != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "The worker's host cannot run playbooks: %s", err)
	}
	defer stop()
	script.Claim = claim
	defer p.enter(ctx, in.Step)()
	became := false
	_, err = p.Reach.Run(ctx, host, in.Step, reach.Task{
		Script: script, Stdin: stdin, Mask: run.Secrets, Limit: limit, Parameter: "ansible.timeouts.run",
		Ordinary: true, Foreign: true, Heard: func(line string) { became = became || failedAsOther(line) },
	})
	if became && lcm.Is(err, lcm.KindBroken) && !playbook.LogsIn(run.Playbook, given.Package[run.Playbook], run.Given) &&
		lacksRights.MatchString(lcm.Sentence(err)) {
		return lcm.Errorf(lcm.KindBroken, "%s The task asks for become, but on the worker's host it cannot become "+
			"another user: roll back and give an Ansible server, ansible.server, in the request.", lcm.Sentence(err))
	}
	return err
}

// enter waits until another playbook may run on this host. The claim keeps a run alive that another worker has begun.
func (p *Playbooks) enter(ctx context.Context, step lcm.StepRef) (leave func()) {
	if p.Room == nil {
		return func() {}
	}
	leave = func() { <-p.Room }
	select {
	case p.Room <- struct{}{}:
		return leave
	default:
	}
	p.Reach.Output.Lines(
		ctx, step,
	)(
		fmt.Sprintf("The playbook waits: %d playbooks run on the worker's host, the most at once "+
			"(scripts.ansibleAtOnce).", cap(p.Room)),
	)
	select {
	case p.Room <- struct{}{}:
		return leave
	case <-ctx.Done():
		// A run that another worker has begun has to be ended, too.
		return func() {}
	}
}

// failedAsOther tells whether a line of the callback plugin reports a failed task with become (as another user).
func failedAsOther(line string) bool {
	for _, text := range scripts.ParseResults(line).Texts("failed") {
		var failed struct {
			Become bool `json:"become"`
		}
		if json.Unmarshal([]byte(text), &failed) == nil && failed.Become {
			return true
		}
	}
	return false
}

// lacksRights matches the messages of programs that lack the rights of another user.
var lacksRights = regexp.MustCompile(`(?i)read-only file system|permission denied|not permitted|privilege|sudo|\bsu\b|` +
	`superuser|must be root|password|temporary directory|become`)

// serverOf returns the Ansible server as a node for the SSH login. Its host key is pinned for the VNF instance.
func serverOf(driver *ansible.Ansible) lcm.Node {
	const name = "ansible"
	return lcm.Node{
		Name: name, Role: lcm.PlaybookServer, ServerID: string(lcm.PlaybookServer), SSHAddress: driver.Params.Server.Address,
	}
}

// prepare makes the run and its file of host keys.
func (p *Playbooks) prepare(
	ctx context.Context, in PlayInput, vnf activities.VnfContext, driver *ansible.Ansible,
) (run ansible.Run, known string, err error) {
	flavour, _, err := p.Facts.PlannedFor(ctx, in.OpOccID)
	if err != nil {
		return run, "", err
	}
	list, err := p.config(ctx, in.OpOccID, flavour.Hooks[in.Hook])
	if err != nil {
		return run, "", err
	}
	told := ansible.Told{
		Action: playbook.Action(in.Hook), Play: in.Index, Address: in.Node.SSHAddress,
		Addresses: map[string][]string{}, Several: map[string]bool{}, Package: list.Variables,
	}
	for _, of := range list.Vdus {
		if of.Vdu == in.Node.VduID {
			told.Vdu = of
		}
	}
	if in.Index >= len(told.Vdu.Plays[told.Action]) {
		return run, "", lcm.Errorf(lcm.KindBug, "The package has no playbook of that number for %s.", in.Node.VduID)
	}
	for _, node := range in.All {
		told.Addresses[node.VduID] = append(told.Addresses[node.VduID], node.SSHAddress)
	}
	for _, v := range flavour.Vdus {
		told.Several[v.ID] = v.MaxInstances > 1
	}
	if told.Port, err = p.SSHPort(ctx, in.OpOccID); err != nil {
		return run, "", err
	}
	hidden, err := p.secrets(ctx, driver, list, &told)
	if err != nil {
		return run, "", err
	}
	attributes, err := p.resources(ctx, in.OpOccID, &told)
	if err != nil {
		return run, "", err
	}
	if run, err = told.Make(); err != nil {
		return run, "", err
	}
	run.Secrets = slices.Concat(run.Secrets, hidden, attributes)
	known, err = pinnedHosts(ctx, p.Keys, vnf.Instance.ID, in.All, told.Port)
	return run, known, err
}

// secrets opens the sealed values of the request.
func (p *Playbooks) secrets(
	ctx context.Context, driver *ansible.Ansible, list *playbook.Config, told *ansible.Told,
) (hidden []string, err error) {
	told.Variables, hidden, err = driver.Variables(
		list, func(s lcm.Secret) (string, error) { return p.Reach.Open(ctx, s) },
	)
	if err != nil {
		return nil, err
	}
	login := driver.Params.Servers[told.Vdu.Vdu]
	told.Login.Username = login.Username
	if told.Login.Password, err = p.Reach.Open(ctx, login.Password); err != nil {
		return nil, err
	}
	told.Login.Key, err = p.Reach.Open(ctx, login.PrivateKey)
	return hidden, err
}

// AwaitServer waits until a server of the VNF answers on SSH, and pins its host key for Ansible. It does not wait for a
// leaving server. A server without an Ansible login need not answer. Idempotent. Takes as long as the server boots
// (ansible.timeouts.ssh).
func (p *Playbooks) AwaitServer(ctx context.Context, in PlayInput) (out PlayOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "wait for "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, driver, err := p.driver(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	if logs, err := p.logsIn(ctx, in, vnf, driver); err != nil || !logs {
		return out, err
	}
	end, show, said := p.Reach.Time().Add(driver.Boot()), p.Reach.Output.Lines(ctx, in.Step), ""
	for {
		err := p.Servers.Pin(ctx, in.OpOccID, in.Node)
		switch out.PassedOver = p.Reach.PassOver(ctx, in.NodeInput, in.PassOver, err); {
		case err == nil || out.PassedOver:
			return out, nil
		case !lcm.Is(err, lcm.KindUnavailable):
			return out, err
		case in.PassOver || p.Reach.Time().After(end):
			return out, lcm.Wrap(lcm.KindBroken, err, "%s did not answer within %s (ansible.timeouts.ssh)", in.Node.Name, driver.Boot())
		}
		if why := activities.Classify(err).Sentence(); why != said {
			show("The server must answer before Ansible can log in to it: " + why)
			said = why
		}
		if !p.Reach.Pause(ctx) {
			return out, context.Cause(ctx)
		}
	}
}

// logsIn tells whether Ansible logs in to the server: the request has a user for it, or config.yaml has a user and a
// playbook is not local.
func (p *Playbooks) logsIn(
	ctx context.Context, in PlayInput, vnf activities.VnfContext, driver *ansible.Ansible,
) (bool, error) {
	if driver.Params.Servers[in.Node.VduID].Username != "" {
		return true, nil
	}
	flavour, _, err := p.Facts.PlannedFor(ctx, in.OpOccID)
	if err != nil {
		return false, err
	}
	list, err := p.config(ctx, in.OpOccID, flavour.Hooks[in.Hook])
	if err != nil {
		return false, err
	}
	for _, of := range list.Vdus {
		if of.Vdu != in.Node.VduID || of.Username == "" {
			continue
		}
		for _, play := range of.Plays[playbook.Action(in.Hook)] {
			if play.Command != "" {
				return true, nil
			}
			text, err := vnf.PackageFile(ctx, play.Path)
			if err != nil {
				return false, err
			}
			if playbook.LogsIn(play.Path, text, play.Params) {
				return true, nil
			}
		}
	}
	return false, nil
}

// pinnedHosts makes a file with the pinned host keys of servers.
func pinnedHosts(
	ctx context.Context, keys HostKeys, inst lcm.VnfInstanceID, nodes lcm.Nodes, port int,
) (string, error) {
	var b strings.Builder
	for _, node := range nodes {
		pinned, known, err := keys.HostKey(ctx, inst, node.ServerID)
		if err != nil {
			return "", err
		}
		if !known {
			continue // no key yet: the node has never answered; Ansible reports that, too
		}
		key, err := ssh.ParsePublicKey(pinned)
		if err != nil {
			return "", lcm.Wrap(lcm.KindBug, err, "The pinned host key of %s cannot be read.", node.Name)
		}
		address := node.SSHAddress
		if port != 0 {
			address = net.JoinHostPort(address, strconv.Itoa(port))
		}
		b.WriteString(knownhosts.Line([]string{knownhosts.Normalize(address)}, key) + "\n")
	}
	return b.String(), nil
}
