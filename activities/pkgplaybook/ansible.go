package pkgplaybook

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// HostKeys returns the pinned host keys of servers.
type HostKeys interface {
	HostKey(ctx context.Context, inst lcm.VnfInstanceID, serverID string) (key []byte, known bool, err error)
}

// Ansible runs kubespray's playbooks on an Ansible server.
type Ansible struct {
	Reach reach.Runner
	Keys  HostKeys
	// SSHPort is the SSH port of the operation's servers; 0 means the default port.
	SSHPort func(ctx context.Context, id lcm.OpOccID) (int, error)
}

// kubesprayContext is what these activities need in addition to their input.
type kubesprayContext struct {
	reach.ClusterContext
	driver *kubespray.Installer
}

func (a *Ansible) kubespray(ctx context.Context, id lcm.OpOccID) (k kubesprayContext, err error) {
	if k.ClusterContext, err = a.Reach.Cluster(ctx, id); err != nil {
		return k, err
	}
	if k.driver = kubespray.In(k.Drivers); k.driver == nil || k.Params.Ansible == nil {
		return k, lcm.Errorf(lcm.KindBug, "Windlass ran a step for kubespray clusters, but the VNF is no such cluster.")
	}
	return k, nil
}

// server returns the Ansible server as a node for the SSH login. Its host key is pinned for the VNF instance.
func (k kubesprayContext) server() lcm.Node {
	const name = "ansible"
	return lcm.Node{Name: name, Role: lcm.AnsibleServer, ServerID: name, SSHAddress: k.Params.Ansible.Address}
}

func (k kubesprayContext) directory() string { return k.driver.Directory(k.Instance.ID) }

// onServer runs a script as the user of the Ansible server.
func (a *Ansible) onServer(
	ctx context.Context, k kubesprayContext, in activities.Tracked, t reach.Task,
) (scripts.Results, error) {
	t.Ordinary = true
	return a.Reach.RunOn(ctx, reach.NodeInput{Tracked: in, OpOccID: k.OpOcc.ID, Node: k.server()}, t)
}

// AnsibleInput names the nodes of the cluster.
type AnsibleInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	Nodes   lcm.Nodes   `json:"nodes,omitempty"`
	// Addresses are the addresses in front of the cluster that its certificates must contain, too.
	Addresses []string `json:"addresses,omitempty"`
	// Recovers is set when the operation adds or removes control planes. Broken are the lost control planes, Successors
	// their replacements.
	Recovers   bool      `json:"recovers,omitempty"`
	Broken     lcm.Nodes `json:"broken,omitempty"`
	Successors lcm.Nodes `json:"successors,omitempty"`
}

// CheckAnsibleOutput reports the software on the Ansible server.
type CheckAnsibleOutput struct {
	Ansible   string `json:"ansible,omitempty"`
	Kubespray string `json:"kubespray,omitempty"`
}

// CheckAnsible checks that Windlass can log in to the Ansible server, and that the server has the required software.
// Idempotent: it creates an empty directory at most. Takes seconds.
func (a *Ansible) CheckAnsible(ctx context.Context, in AnsibleInput) (out CheckAnsibleOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "check the Ansible server", err) }()
	defer activities.Heartbeat(ctx)()
	k, err := a.kubespray(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	check := scripts.CheckAnsible{
		Root: k.Params.Ansible.KubesprayRootPath, Directory: k.directory(), Playbooks: kubespray.Playbooks(),
		Passwords: k.Params.MasterNode.PrivateKey.IsZero() || k.Params.WorkerNode.PrivateKey.IsZero(),
	}
	if in.Recovers {
		check.Recover = kubespray.Recover
	}
	results, err := a.onServer(ctx, k, in.Tracked, reach.Command(k.ClusterContext, check))
	return CheckAnsibleOutput{Ansible: results.Get("ansible"), Kubespray: results.Get("kubespray")}, err
}

// RunPlaybookInput names a playbook of kubespray.
type RunPlaybookInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// Playbook is its name, without .yml.
	Playbook string `json:"playbook"`
	// Nodes are all nodes of the inventory. On limits the playbook to some of them; empty means all.
	Nodes lcm.Nodes `json:"nodes"`
	On    lcm.Nodes `json:"on,omitempty"`
	// Limit names inventory groups; the playbook runs on these groups only.
	Limit []string `json:"limit,omitempty"`
	// Variables are "name=value" pairs for this run.
	Variables []string `json:"variables,omitempty"`
}

// RunPlaybookOutput is empty: the playbook has succeeded.
type RunPlaybookOutput struct{}

// RunPlaybook runs one playbook on the Ansible server and follows it until it ends.
//
// Idempotent: a worker that takes over finds the running playbook or its result, and kubespray's playbooks may run
// again. There is no time limit. The step's output shows the playbook's progress, and names the current task after a
// minute of silence. On cancellation the activity kills Ansible and all its child processes. Passwords stay in the
// memory of the Ansible server, only during the run.
func (a *Ansible) RunPlaybook(ctx context.Context, in RunPlaybookInput) (out RunPlaybookOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "run the playbook "+in.Playbook+".yml", err) }()
	defer activities.Heartbeat(ctx)()
	k, err := a.kubespray(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	secrets, mask, err := a.secrets(ctx, k, in.Nodes)
	if err != nil {
		return out, err
	}
	stdin, err := secrets.Stdin()
	if err != nil {
		return out, lcm.Wrap(lcm.KindBug, err, "The variables of the run could not be written.")
	}
	run := scripts.RunPlaybook{
		Root: k.Params.Ansible.KubesprayRootPath, Directory: k.directory(), Playbook: in.Playbook,
		Variables: in.Variables, Owner: "operation " + string(in.OpOccID), Limit: slices.Clone(in.Limit),
	}
	for _, node := range in.On {
		run.Limit = append(run.Limit, node.Name)
	}
	_, err = a.onServer(ctx, k, in.Tracked, reach.Task{Script: run, Stdin: stdin, Mask: mask, Foreign: true})
	return out, err
}

// secrets opens the credentials for the login to the nodes, and the proxy's URLs.
func (a *Ansible) secrets(
	ctx context.Context, k kubesprayContext, nodes lcm.Nodes,
) (s scripts.AnsibleSecrets, mask []string, err error) {
	s = scripts.AnsibleSecrets{Passwords: map[string]string{}, Keys: map[string]string{}, Variables: map[string]string{}}
	for _, node := range nodes {
		access := k.Access(node.Role)
		password, err := a.Reach.Open(ctx, access.Password)
		if err != nil {
			return s, nil, err
		}
		key, err := a.Reach.Open(ctx, access.PrivateKey)
		if err != nil {
			return s, nil, err
		}
		if password != "" {
			s.Passwords[node.Name], mask = password, append(mask, password)
		}
		if key != "" {
			s.Keys[node.Name] = key
		}
	}
	proxies, hidden, err := a.Reach.ProxyInputs(ctx, k.Params.Proxy)
	for _, in := range proxies {
		s.Variables[in.Name] = in.Value
	}
	return s, append(mask, hidden...), err
}

// RemoveInventoryOutput tells whether the directory is gone.
type RemoveInventoryOutput struct {
	Left bool `json:"left,omitempty"`
}

// RemoveInventoryInput says what to do if the server does not answer.
type RemoveInventoryInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
	// PassOver keeps the directory when the server does not answer.
	PassOver bool `json:"passOver,omitempty"`
}

// RemoveInventory removes the cluster's directory from the Ansible server.
// Idempotent: a missing directory counts as removed. Takes seconds.
func (a *Ansible) RemoveInventory(ctx context.Context, in RemoveInventoryInput) (out RemoveInventoryOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "remove the inventory", err) }()
	defer activities.Heartbeat(ctx)()
	k, err := a.kubespray(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	_, err = a.onServer(
		ctx, k, in.Tracked, reach.Command(k.ClusterContext, scripts.RemoveInventory{Directory: k.directory()}),
	)
	if in.PassOver && reach.Unreachable(ctx, err) {
		a.Reach.Output.Lines(ctx, in.Step)("The Ansible server does not answer. Windlass leaves the directory " +
			k.directory() +
			" on it, which contains no password: " + activities.Classify(err).Sentence())
		return RemoveInventoryOutput{Left: true}, nil
	}
	return out, err
}
