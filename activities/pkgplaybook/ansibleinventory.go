package pkgplaybook

import (
	"context"
	"encoding/json"
	"path"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/scripts"
)

// SendInventoryOutput is empty: the Ansible server has the files.
type SendInventoryOutput struct{}

// SendInventory writes files to the cluster's directory on the Ansible server: the inventory of the nodes, their host
// keys, the cluster's variables and the plugin that reports Ansible's progress.
// Idempotent: it does not rewrite a file that is already correct. Takes seconds.
func (a *Ansible) SendInventory(ctx context.Context, in AnsibleInput) (out SendInventoryOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "send the inventory", err) }()
	defer activities.Heartbeat(ctx)()
	k, err := a.kubespray(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	host, err := a.Reach.Hosts.Dial(ctx, in.OpOccID, k.server())
	if err != nil {
		return out, err
	}
	defer func() { _ = host.Close() }()
	release, err := host.Get(ctx, path.Join(k.Params.Ansible.KubesprayRootPath, kubespray.ReleaseFile), maxReleaseFile)
	if err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return out, err
	}
	files, err := a.files(ctx, k, in, kubespray.ReleaseOf(release))
	if err != nil {
		return out, err
	}
	for _, f := range files {
		f.Path, f.Mode = path.Join(k.directory(), f.Path), 0o600
		if err := host.Put(ctx, f); err != nil {
			return out, err
		}
	}
	return out, nil
}

// maxReleaseFile is far above the size of the file that names kubespray's release, in bytes.
const maxReleaseFile = 64 << 10

func (a *Ansible) files(
	ctx context.Context, k kubesprayContext, in AnsibleInput, release string,
) ([]remote.File, error) {
	port, err := a.SSHPort(ctx, in.OpOccID)
	if err != nil {
		return nil, err
	}
	list := k.inventory(in.Nodes, port)
	list.Recovers, list.Broken = in.Recovers, k.broken(in, port)
	inventory, err := list.Render()
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The inventory could not be written.")
	}
	known, err := pinnedHosts(ctx, a.Keys, k.Instance.ID, in.Nodes, port)
	if err != nil {
		return nil, err
	}
	variables, err := json.MarshalIndent(k.driver.Variables(k.Instance.ID, in.Nodes, release, in.Addresses...), "", "  ")
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The variables could not be written.")
	}
	return []remote.File{
		{Path: "known_hosts", Content: []byte(known)},
		{Path: "callback/windlass.py", Content: scripts.AnsibleCallback},
		{Path: "vars.json", Content: append(variables, '\n')},
		{Path: "hosts.ini", Content: []byte(inventory)},
	}, nil
}

// inventory lists the nodes, control planes first.
func (k kubesprayContext) inventory(nodes lcm.Nodes, port int) (i scripts.Inventory) {
	for _, role := range []lcm.Role{lcm.ControlPlane, lcm.Worker} {
		for _, node := range nodes.With(role) {
			i.Hosts = append(i.Hosts, k.host(node, port))
		}
	}
	return i
}

func (k kubesprayContext) host(node lcm.Node, port int) scripts.InventoryHost {
	access := k.Access(node.Role)
	return scripts.InventoryHost{
		Name: node.Name, SSHAddress: node.SSHAddress, Port: port, Address: node.Address, User: access.User,
		Password: !access.Password.IsZero(), Key: !access.PrivateKey.IsZero(), ControlPlane: node.Role == lcm.ControlPlane,
	}
}

// broken lists the lost control planes, each with the address of a successor. Kubespray clears the disk of a broken
// node, and a host that does not answer would abort its playbook.
func (k kubesprayContext) broken(in AnsibleInput, port int) (out []scripts.InventoryHost) {
	if len(in.Successors) == 0 {
		return nil
	}
	for i, node := range in.Broken {
		host := k.host(node, port)
		host.SSHAddress = in.Successors[i%len(in.Successors)].SSHAddress
		out = append(out, host)
	}
	return out
}
