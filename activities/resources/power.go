package resources

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// powerLimit is how long the VIM may take to switch a server. The VIM itself powers off a guest that does not shut
// down.
const powerLimit = 15 * time.Minute

// SwitchServerInput names a server and its target state.
type SwitchServerInput struct {
	activities.Tracked
	OpOccID  lcm.OpOccID  `json:"opOccId"`
	ServerID string       `json:"serverId"`
	To       lcm.VnfState `json:"to"`
}

// SwitchServerOutput tells whether the server still exists.
type SwitchServerOutput struct {
	// Gone is set when the VIM has no such server: it is off, as requested.
	Gone bool `json:"gone,omitempty"`
}

// SwitchServer starts or shuts down one server, and waits until the VIM reports it as running or off.
//
// Idempotent: it reads the state first, and sends no command if the server has the state or is on its way there. A
// deleted server counts as off; to start it is an error. Takes up to a quarter of an hour, so it heartbeats. A cancel
// only stops the waiting.
func (i *Activities) SwitchServer(ctx context.Context, in SwitchServerInput) (out SwitchServerOutput, err error) {
	doing, change := "start the server", vim.Power.StartServer
	if in.To == lcm.VnfStopped {
		doing, change = "stop the server", vim.Power.StopServer
	}
	defer func() { err = activities.Boundary(ctx, doing, err) }()
	defer activities.Heartbeat(ctx)()
	power, err := i.powerAt(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	limited, cancel := context.WithDeadline(ctx, activities.Begun(ctx).Add(powerLimit))
	defer cancel()
	err = change(power, limited, in.ServerID)
	show := i.Cloud.Output.Lines(ctx, in.Step)
	switch {
	case err == nil:
		show("The server " + in.ServerID + " is " + string(in.To) + ".")
	case lcm.Is(err, lcm.KindNotFound) && in.To == lcm.VnfStopped:
		out.Gone = true
		show("The VIM has no server " + in.ServerID + " any more.")
		return out, nil
	case lcm.Is(err, lcm.KindNotFound):
		return out, lcm.Wrap(lcm.KindBroken, err,
			"The VIM has no server %s any more. Roll the operation back or fail it, then heal the VNFC.", in.ServerID)
	case limited.Err() != nil && ctx.Err() == nil:
		return out, lcm.Wrap(lcm.KindBroken, err, "The server %s is not %s after %s: the VIM or its hypervisor hangs. Look at "+
			"the server, then retry.", in.ServerID, in.To, powerLimit)
	}
	return out, err
}
