package pkgscript

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/driver/vdu"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// The change of a server by an operation.
const (
	ServerComes  = "comes"
	ServerLeaves = "leaves"
	serverStays  = "stays"
)

// ScriptServer is a server that a script runs on.
type ScriptServer struct {
	lcm.Node
	// Change is what the operation does to the server: comes, leaves or stays.
	Change string `json:"change"`
}

// servers returns the servers of the hook's VDUs, or else of all VDUs that the request has access data for.
func (s *Activities) servers(
	ctx context.Context, in ScriptsInput, hook descriptor.Hook, plan lcm.Plan,
) (out []ScriptServer, err error) {
	vnf, err := s.Reach.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return nil, err
	}
	driver, err := scriptsOf(vnf)
	if err != nil {
		return nil, err
	}
	inv, err := s.inventory(ctx, in.OpOccID)
	if lcm.Is(err, lcm.KindNotFound) { // the deployment does not exist yet, or is gone
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	vdus := hook.Vdus
	if len(vdus) == 0 {
		vdus = slices.Sorted(maps.Keys(driver.Params.Servers))
	}
	for _, id := range vdus {
		nodes, err := ServersOf(inv, id, vdu.Role(driver.Name(), id), driver.Params.Servers[id].SSHCpName)
		if err != nil {
			return nil, err
		}
		for _, node := range nodes {
			out = append(out, ScriptServer{Node: node, Change: ChangeOf(vnf.Instance, plan, node.ServerID)})
		}
	}
	return out, nil
}

func scriptsOf(vnf activities.VnfContext) (*script.Scripts, error) {
	if driver := script.In(vnf.Drivers); driver != nil {
		return driver, nil
	}
	return nil, lcm.Errorf(lcm.KindBug, "Windlass ran a step with a script, but the VNF has no scripts.")
}

func (s *Activities) inventory(ctx context.Context, id lcm.OpOccID) (*vim.Inventory, error) {
	cloud, err := s.Cloud.VIMs.VIM(ctx, id)
	if err != nil {
		return nil, err
	}
	name, _, err := s.Cloud.Deployments.DeploymentName(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Cloud.Inventory(ctx, cloud, id, name)
}

// ChangeOf returns the change of a server by a plan.
func ChangeOf(inst lcm.VnfInstance, plan lcm.Plan, server string) string {
	if plan.Operation == lcm.OpTerminate || plan.Whole && plan.Replaces() && recorded(inst, server) ||
		slices.Contains(plan.LeavingServers(), server) {
		return ServerLeaves
	}
	if recorded(inst, server) {
		return serverStays
	}
	return ServerComes
}

func recorded(inst lcm.VnfInstance, server string) bool {
	return inst.Instantiated != nil && slices.ContainsFunc(inst.Instantiated.VnfcResources,
		func(v lcm.VnfcResourceInfo) bool { return v.ComputeResource.ResourceID == server })
}

// ServersOf returns the servers of a VDU, by their names. cp names the port or floating IP with the address to use; ""
// means the first port.
func ServersOf(inv *vim.Inventory, id string, role lcm.Role, cp string) (out lcm.Nodes, err error) {
	for _, r := range inv.OfKind(vim.Compute) {
		if r.Name != id {
			continue
		}
		port, ok := portOf(inv, r.ID, cp)
		if !ok {
			return nil, lcm.Errorf(lcm.KindInvalid, "A server of %s has no port %q: correct ssh_cp_name, or the package.", id, cp)
		}
		if port.Address == "" {
			return nil, lcm.Errorf(lcm.KindUnavailable, "A server of %s has no address yet.", id)
		}
		out = append(out, lcm.Node{
			Name: id + "-" + r.ID[:min(8, len(r.ID))], Role: role, ServerID: r.ID, Part: r.Part, VduID: id,
			Address: port.Address, SSHAddress: cmp.Or(port.FloatingIP, port.Address),
		})
	}
	slices.SortFunc(out, func(a, b lcm.Node) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// portOf finds the port of a server by its name, or by the name of a floating IP that leads to it.
func portOf(inv *vim.Inventory, server, cp string) (found vim.Port, ok bool) {
	floating := map[string]vim.Resource{}
	for _, r := range inv.Resources {
		if fip, is := inv.PublicAddrs[r.ID]; is {
			floating[fip.PortID] = r
		}
	}
	ports := slices.DeleteFunc(inv.OfKind(vim.LinkPort), func(r vim.Resource) bool { return inv.Ports[r.ID].ServerID != server })
	slices.SortFunc(ports, func(a, b vim.Resource) int { return strings.Compare(a.Name, b.Name) })
	for _, r := range ports {
		fip, public := floating[r.ID]
		if cp != "" && cp != r.Name && (!public || cp != fip.Name) {
			continue
		}
		found = inv.Ports[r.ID]
		if public {
			found.FloatingIP = inv.PublicAddrs[fip.ID].Address
		}
		return found, true
	}
	return found, false
}

// RunOnServerInput names the script and the server.
type RunOnServerInput struct {
	reach.NodeInput
	Hook   string `json:"hook"`
	Path   string `json:"path"`
	Change string `json:"change"`
	// All are all servers that the script runs on, if an earlier release has found them.
	All lcm.Nodes `json:"all,omitempty"`
	// PassOver skips a server that does not answer.
	PassOver bool `json:"passOver,omitempty"`
}

// RunOnServerOutput tells whether the server did not answer.
type RunOnServerOutput struct {
	PassedOver bool `json:"passedOver,omitempty"`
}

// RunOnServer runs a shell script of the package on a server, as root, with its parameters in the environment.
//
// Idempotent: a later attempt finds a running script, or the result of a successful script. It runs a failed script
// again. Takes as long as the script (scripts.timeouts.run). A cancel kills it.
func (s *Activities) RunOnServer(ctx context.Context, in RunOnServerInput) (out RunOnServerOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "run "+in.Path+" on "+in.Node.Name, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, err := s.Reach.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	driver, err := scriptsOf(vnf)
	if err != nil {
		return out, err
	}
	if in.All == nil {
		if in.All, err = s.Lists.ServersOf(ctx, in.OpOccID, in.Hook); err != nil {
			return out, err
		}
	}
	text, err := vnf.PackageFile(ctx, in.Path)
	if err != nil {
		return out, err
	}
	variables, mask, err := s.environment(ctx, vnf, driver.Params, in)
	if err != nil {
		return out, err
	}
	inputs := []scripts.Input{{Name: "script", Value: string(text)}}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		inputs = append(inputs, scripts.Input{Name: "env." + name, Value: variables[name]})
	}
	_, err = s.Reach.RunOn(ctx, in.NodeInput, reach.Task{
		Script: scripts.RunPackageScript{Path: in.Path}, Stdin: scripts.Stdin(inputs...), Mask: mask, Foreign: true,
		Limit: reach.Seconds(driver.Params.Timeouts.Run), Parameter: "scripts.timeouts.run",
	})
	off := in.Change == ServerLeaves && errors.Is(err, reach.ErrServerOff) // a retry cannot help
	out.PassedOver = s.Reach.PassOver(ctx, in.NodeInput, in.PassOver || off, err)
	if out.PassedOver {
		err = nil
	}
	return out, err
}

// environment returns the variables of a script, and the values to hide. The request overrides the VNFD; Windlass's own
// variables override both.
func (s *Activities) environment(
	ctx context.Context, vnf activities.VnfContext, p script.Params, in RunOnServerInput,
) (variables map[string]string, mask []string, err error) {
	variables = map[string]string{}
	_, hook, _, err := s.Facts.Hook(ctx, in.OpOccID, sideOf(in.Hook))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(variables, hook.Inputs)
	maps.Copy(variables, p.Parameters)
	for name, secret := range p.Secrets {
		value, err := s.Reach.Open(ctx, secret)
		if err != nil {
			return nil, nil, err
		}
		variables[name], mask = value, append(mask, value)
	}
	maps.Copy(variables, map[string]string{
		"VNF_HOOK": in.Hook, "VNF_OPERATION": string(vnf.OpOcc.Operation), "VNF_OPERATION_ID": string(vnf.OpOcc.ID),
		"VNF_INSTANCE_ID": string(vnf.Instance.ID), "VNF_VDU": in.Node.VduID, "VNF_VNFC_ID": in.Node.ServerID,
		"VNF_ADDRESS": in.Node.Address, "VNF_CHANGE": in.Change,
	})
	addresses := map[string][]string{}
	for _, node := range in.All {
		addresses[node.VduID] = append(addresses[node.VduID], node.Address)
	}
	for id, list := range addresses {
		slices.SortFunc(list, byAddress)
		variables["VNF_ADDRESSES_"+variableName(id)] = strings.Join(list, " ")
	}
	return variables, mask, nil
}

func byAddress(a, b string) int {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	return x.Compare(y)
}

// variableName turns the name of a VDU into a part of a variable's name.
func variableName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, id)
}

// sideOf returns the side at the end of a hook's name.
func sideOf(hook string) script.Side {
	for _, side := range []script.Side{script.RollbackStart, script.RollbackEnd, script.Start} {
		if strings.HasSuffix(hook, "_"+string(side)) {
			return side
		}
	}
	return script.End
}
