package openstack

import (
	"context"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// statusOn is Nova's word for a server that runs.
const statusOn = "ACTIVE"

// settled tells that Nova does nothing to the server any more.
func settled(s vim.ServerState, status string) bool { return s.Status == status && s.Task == "" }

// ServerState reads the state of a server. Errors: NotFound when Nova has no such server.
func (c *Cloud) ServerState(ctx context.Context, id string) (vim.ServerState, error) {
	s, err := servers.Get(ctx, c.compute, id).Extract()
	if err != nil {
		return vim.ServerState{}, translate("read the server "+id, err)
	}
	return vim.ServerState{
		ID: s.ID, Name: s.Name, Level: ServerLevel(s.Status), Status: s.Status, Task: s.TaskState,
		Leaving: s.TaskState == "deleting" || s.TaskState == "soft-deleting", Fault: s.Fault.Message,
		Host: s.Host, HostID: s.HostID, Zone: s.AvailabilityZone,
	}, nil
}

// StopServer shuts a server down, as its power button would, and waits until it is off. Idempotent: it sends no request
// if the server is off or shutting down.
func (c *Cloud) StopServer(ctx context.Context, id string) error {
	return c.changePower(ctx, id, "stop", statusOff, []string{taskOff}, func() error {
		return servers.Stop(ctx, c.compute, id).ExtractErr()
	})
}

// StartServer powers a server on and waits until it runs, which is before it answers. Idempotent: it sends no request
// if the server runs or starts.
func (c *Cloud) StartServer(ctx context.Context, id string) error {
	return c.changePower(ctx, id, "start", statusOn, []string{"powering-on"}, func() error {
		return servers.Start(ctx, c.compute, id).ExtractErr()
	})
}

// RebootServer reboots a server, by cutting its power when hard, and waits until it runs.
// Not idempotent: called again after it has ended, it reboots once more.
func (c *Cloud) RebootServer(ctx context.Context, id string, hard bool) error {
	how := servers.SoftReboot
	if hard {
		how = servers.HardReboot
	}
	s, err := c.ServerState(ctx, id)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{
		"rebooting", "reboot_pending", "reboot_started", "rebooting_hard", "reboot_pending_hard",
		"reboot_started_hard",
	}, s.Task) {
		if err := translate("reboot "+s.Name, servers.Reboot(ctx, c.compute, id,
			servers.RebootOpts{Type: how}).ExtractErr()); err != nil {
			return err
		}
	}
	return c.AwaitServer(ctx, id, statusOn)
}

// changePower asks Nova for another state unless the server has it or is on its way there.
func (c *Cloud) changePower(ctx context.Context, id, verb, status string, tasks []string, ask func() error) error {
	s, err := c.ServerState(ctx, id)
	if err != nil || settled(s, status) {
		return err
	}
	if !slices.Contains(tasks, s.Task) {
		if err := translate(verb+" "+s.Name, ask()); err != nil {
			return err
		}
	}
	return c.AwaitServer(ctx, id, status)
}

// AwaitServer waits until the server has that status and Nova does nothing to it; ctx bounds it.
// Errors: NotFound when it is gone, Broken when Nova gave it up.
func (c *Cloud) AwaitServer(ctx context.Context, id, status string) error {
	return c.until(ctx, func() (bool, error) {
		s, err := c.ServerState(ctx, id)
		if err == nil && settled(s, statusError) {
			err = lcm.Errorf(lcm.KindBroken, "The server %s is in ERROR: %s. Mend the cause or heal the server.", s.Name,
				orUnknown(s.Fault))
		}
		return settled(s, status), err
	})
}

func orUnknown(reason string) string {
	if reason == "" {
		return "Nova gives no reason"
	}
	return reason
}

// ConsoleOutput returns the last lines of a server's console; 0 means all that Nova keeps.
func (c *Cloud) ConsoleOutput(ctx context.Context, id string, lines int) (string, error) {
	text, err := servers.ShowConsoleOutput(ctx, c.compute, id, servers.ShowConsoleOutputOpts{Length: lines}).Extract()
	return text, translate("read the console of server "+id, err)
}
