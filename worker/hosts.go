package worker

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
)

// sshPortKey is the member of a VIM's extra that names another port than 22; labs on one machine need it.
const sshPortKey = "ssh_port"

// hosts logs in to nodes with the credentials of the operation's request.
type hosts struct {
	operations *operations
	dialer     *remote.Dialer
}

// Dial implements activities.Hosts.
func (h *hosts) Dial(ctx context.Context, id lcm.OpOccID, node lcm.Node) (activities.Host, error) {
	j, err := h.operations.load(ctx, id)
	if err != nil {
		return nil, err
	}
	cluster, err := lcm.ParseClusterParams(j.request.AdditionalParams)
	if err != nil {
		return nil, err
	}
	vim, err := h.operations.vimOf(ctx, j)
	if err != nil {
		return nil, err
	}
	params := cluster.WorkerNode
	if node.Role == lcm.ControlPlane {
		params = cluster.MasterNode
	}
	target := remote.Target{
		Node: node.Name, Address: addressWithPort(node.SSHAddress, vim), User: params.Username, ServerID: node.ServerID,
		LoginTimeout: time.Duration(cluster.Timeouts.Login) * time.Second,
	}
	if target.Password, err = h.open(ctx, params.Password); err != nil {
		return nil, err
	}
	if target.PrivateKey, err = h.open(ctx, params.PrivateKey); err != nil {
		return nil, err
	}
	return h.dialer.Dial(ctx, target)
}

func (h *hosts) open(ctx context.Context, s lcm.Secret) (string, error) {
	if s.Ref == "" {
		return s.Clear, nil
	}
	return h.operations.vault.Get(ctx, s.Ref)
}

func addressWithPort(address string, vim lcm.Vim) string {
	switch port := vim.Extra[sshPortKey].(type) {
	case string:
		return net.JoinHostPort(address, port)
	case float64:
		return net.JoinHostPort(address, strconv.Itoa(int(port)))
	default:
		return address
	}
}
