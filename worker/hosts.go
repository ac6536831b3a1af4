package worker

import (
	"context"
	"net"
	"slices"
	"strconv"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// hosts logs in to nodes with the credentials of the operation's request.
type hosts struct {
	operations *operations.Resolver
	vims       *connections
	// keys stores the host keys of instances' servers. reconnect is how long to wait for a lost node; 0 takes the
	// dialer's default.
	keys      hostKeys
	reconnect time.Duration
	// control refuses addresses that no node may have; nil refuses none.
	control func(network, address string, _ syscall.RawConn) error
}

// hostKeys is where host keys are pinned. A key belongs to a server of one VNF instance, because a cloud chooses the
// ids of its servers.
type hostKeys interface {
	PinHostKey(ctx context.Context, inst lcm.VnfInstanceID, serverID string, key []byte) ([]byte, error)
}

// pins are the host keys of one instance's servers.
type pins struct {
	hostKeys
	inst lcm.VnfInstanceID
}

// PinHostKey implements remote.HostKeys.
func (p pins) PinHostKey(ctx context.Context, serverID string, key []byte) ([]byte, error) {
	return p.hostKeys.PinHostKey(ctx, p.inst, serverID, key)
}

// Dial implements activities.Hosts.
func (h *hosts) Dial(ctx context.Context, id lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	op, err := h.operations.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	drivers, err := op.Drivers()
	if err != nil {
		return nil, err
	}
	on, err := h.operations.ServersVim(ctx, op)
	if err != nil {
		return nil, err
	}
	host, err := h.dial(ctx, op.Instance.ID, drivers, on, node)
	if err != nil {
		return nil, h.explain(ctx, id, node, err)
	}
	return host, nil
}

// hostsBefore logs in to the load balancers before the cluster of an operation's VNF. It uses the credentials and host
// keys of that cluster, as the cluster's own operations do.
type hostsBefore struct{ *hosts }

// Dial implements activities.Hosts.
func (h hostsBefore) Dial(ctx context.Context, id lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	cluster, err := h.operations.ClusterBelow(ctx, id)
	if err != nil {
		return nil, err
	}
	drivers, err := cluster.Drivers()
	if err != nil {
		return nil, err
	}
	on, err := h.operations.ServersVim(ctx, cluster)
	if err != nil {
		return nil, err
	}
	return h.dial(ctx, cluster.Instance.ID, drivers, on, node)
}

// dial logs in to a node of an instance, with the credentials that one of its drivers gives.
func (h *hosts) dial(
	ctx context.Context, inst lcm.VnfInstanceID, drivers []lifecycle.VnfDriver, on lcm.Vim, node lcm.Node,
) (_ reach.Host, err error) {
	access, ok := lifecycle.AccessTo(drivers, node.Role)
	if !ok {
		return nil, lcm.Errorf(lcm.KindBug, "No driver of the VNF says how Windlass reaches a server of the role %q.",
			node.Role)
	}
	target := remote.Target{
		Node: node.Name, Address: addressWithPort(node.SSHAddress, on), User: access.User, ServerID: node.ServerID,
		LoginTimeout: access.Login,
	}
	if access.HostPort != "" {
		target.Address = access.HostPort
	}
	if target.Password, err = h.open(ctx, access.Password); err != nil {
		return nil, err
	}
	if target.PrivateKey, err = h.open(ctx, access.PrivateKey); err != nil {
		return nil, err
	}
	dialer := &remote.Dialer{HostKeys: pins{h.keys, inst}, GiveUp: h.reconnect, Control: h.control}
	return dialer.Dial(ctx, target)
}

// Pin implements activities.KeyPinner.
func (h *hosts) Pin(ctx context.Context, id lcm.OpOccID, node lcm.Node) error {
	op, err := h.operations.Load(ctx, id)
	if err != nil {
		return err
	}
	on, err := h.operations.ServersVim(ctx, op)
	if err != nil {
		return err
	}
	dialer := &remote.Dialer{HostKeys: pins{h.keys, op.Instance.ID}, Control: h.control}
	err = dialer.Pin(ctx, remote.Target{
		Node: node.Name, Address: addressWithPort(node.SSHAddress, on), ServerID: node.ServerID,
	})
	if err != nil {
		return h.explain(ctx, id, node, err)
	}
	return nil
}

// explain asks the VIM about a node that does not answer a second attempt: waiting does not bring back a server that is
// off.
func (h *hosts) explain(ctx context.Context, id lcm.OpOccID, node lcm.Node, err error) error {
	if node.Role.Elsewhere() || !lcm.Is(err, lcm.KindUnavailable) || ctx.Err() != nil || !activity.IsActivity(ctx) ||
		activity.GetInfo(ctx).Attempt < 2 {
		return err
	}
	power, failure := h.power(ctx, id)
	if failure != nil {
		return err
	}
	state, failure := power.ServerState(ctx, node.ServerID)
	switch {
	case lcm.Is(failure, lcm.KindNotFound):
		return lcm.Wrap(lcm.KindBroken, reach.ErrServerOff,
			"%s: the VIM has no server %s any more; heal the VNFC, or undo what deleted it", node.Name, node.ServerID)
	case failure == nil && slices.Contains(off, state.Level):
		return lcm.Wrap(lcm.KindBroken, reach.ErrServerOff,
			"%s: its server %s is %s; start it and retry, or heal the VNFC", node.Name, node.ServerID, state.Status)
	}
	return err
}

// power returns the VIM if it can tell the state of servers.
func (h *hosts) power(ctx context.Context, id lcm.OpOccID) (vim.Power, error) {
	on, err := h.vims.VIM(ctx, id)
	if err != nil {
		return nil, err
	}
	return vim.As[vim.Power](on, "report whether servers run")
}

// off are the levels of servers that do not run, and that will not start by themselves.
var off = []vim.Level{vim.Stopped, vim.Failed, vim.Paused, vim.Removed}

// Off implements activities.Servers. A server in ERROR may still run.
func (h *hosts) Off(ctx context.Context, id lcm.OpOccID, node lcm.Node) string {
	power, err := h.power(ctx, id)
	if err != nil || node.ServerID == "" {
		return ""
	}
	state, err := power.ServerState(ctx, node.ServerID)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return "DELETED"
	case err == nil && state.Level != vim.Failed && slices.Contains(off, state.Level):
		return state.Status
	}
	return ""
}

func (h *hosts) open(ctx context.Context, s lcm.Secret) (string, error) {
	if s.Ref == "" {
		return s.Clear, nil
	}
	return h.operations.Vault.Get(ctx, s.Ref)
}

func addressWithPort(address string, on lcm.Vim) string {
	if port := sshPortOf(on); port != 0 {
		return net.JoinHostPort(address, strconv.Itoa(port))
	}
	return address
}

// sshPortOf is the SSH port that a VIM names for its servers, 0 for the usual one.
func sshPortOf(on lcm.Vim) int {
	port, _ := lcm.SSHPort(on.Extra) // the registration of the VIM refused what is no port
	return port
}

// sshPort is the SSH port of an operation's servers, 0 for the usual one.
func (h *hosts) sshPort(ctx context.Context, id lcm.OpOccID) (int, error) {
	op, err := h.operations.Load(ctx, id)
	if err != nil {
		return 0, err
	}
	on, err := h.operations.ServersVim(ctx, op)
	return sshPortOf(on), err
}
