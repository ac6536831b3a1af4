package openstack

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// step is an action on a machine.
type step func(d machine.Hypervisor, ctx context.Context, id string) error //nolint:revive // a method of the hypervisor is a step

func reboot(hard bool) step {
	return func(d machine.Hypervisor, ctx context.Context, id string) error { return d.Reboot(ctx, id, hard) }
}

// actions are the server actions that change a machine, with the statuses from which they may start, during the action
// and after it.
var actions = map[string]struct {
	from   []string
	to     string
	during string // status during the action; "" keeps the status
	task   string
	do     step
}{
	"os-start": {[]string{statusShutoff}, statusActive, "", "powering-on", machine.Hypervisor.Start},
	"os-stop":  {[]string{statusActive, statusError}, statusShutoff, "", "powering-off", machine.Hypervisor.Stop},
	"pause":    {[]string{statusActive}, statusPaused, "", "pausing", machine.Hypervisor.Freeze},
	"unpause":  {[]string{statusPaused}, statusActive, "", "unpausing", machine.Hypervisor.Thaw},
	"reboot":   {[]string{statusActive}, statusActive, statusReboot, "rebooting", reboot(false)},
	"hard": {
		[]string{statusActive, statusShutoff, statusPaused, statusError},
		statusActive, statusReboot, "rebooting_hard",
		reboot(true),
	},
}

func (c *Cloud) serverAction(r *request, s Server, body map[string]json.RawMessage) (reply, error) {
	if len(body) != 1 {
		return reply{}, badRequest("There should be one action in the request.")
	}
	for name, arg := range body {
		switch name {
		case "os-getConsoleOutput":
			return c.console(r, s, arg)
		case "reboot":
			var q struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(arg, &q) == nil && strings.EqualFold(q.Type, "HARD") {
				name = "hard"
			}
		case "resize":
			return c.resizeCall(s, arg)
		case "confirmResize":
			return noContent() // the resize was complete at once
		case "addSecurityGroup", "removeSecurityGroup", "lock", "unlock":
			return accepted(nil) // without effect
		}
		return c.changePower(s, name)
	}
	return reply{}, nil
}

func (c *Cloud) changePower(s Server, name string) (reply, error) {
	a, known := actions[name]
	if !known || a.do == nil {
		return reply{}, badRequest("There is no such action: %s.", name)
	}
	changed, _, err := state.Change(c.store, servers, s.ID, func(s *Server) error {
		if s.Task != "" || !slices.Contains(a.from, s.Status) {
			_, vm := power(s.Status)
			return conflict("Conflict", "Cannot '%s' instance %s while it is in vm_state %s", strings.TrimPrefix(name, "os-"),
				s.ID, vm)
		}
		s.Task, s.Updated = a.task, c.now()
		if a.during != "" {
			s.Status = a.during
		}
		return nil
	})
	if err != nil {
		return reply{}, err
	}
	c.later(changed.ID, false, func(ctx context.Context) { c.act(ctx, changed.ID, name, a.to, a.do) })
	return accepted(nil)
}

// act runs a step on a machine and records the resulting status.
func (c *Cloud) act(ctx context.Context, id, name, to string, do step) {
	err := do(c.hypervisor, ctx, id)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		c.log.WarnContext(ctx, "server action failed", "id", id, "action", name, "error", err.Error())
		_, _, _ = state.Change(c.store, servers, id, func(s *Server) error {
			s.Status, s.Task = statusError, ""
			s.Fault = &ServerFault{Code: 500, Message: name + ": " + sentence(err), At: c.now()}
			return nil
		})
		return
	}
	c.setStatus(id, to)
}

func (c *Cloud) setStatus(id, status string) {
	_, _, err := state.Change(c.store, servers, id, func(s *Server) error {
		s.Status, s.Task, s.Updated = status, "", c.now()
		return nil
	})
	if err != nil {
		c.log.Error("record server", "id", id, "error", err.Error())
	}
}

func (c *Cloud) console(r *request, s Server, arg json.RawMessage) (reply, error) {
	var q struct {
		Length any `json:"length"`
	}
	_ = json.Unmarshal(arg, &q) // length is optional
	out, err := c.hypervisor.Console(r.Context(), s.ID)
	if err != nil {
		return reply{}, hypervisorError(err)
	}
	if n := intOf(q.Length, 0); n > 0 {
		lines := strings.SplitAfter(out, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		out = strings.Join(lines[max(len(lines)-n, 0):], "")
	}
	return ok(object{"output": out})
}

func (c *Cloud) resizeCall(s Server, arg json.RawMessage) (reply, error) {
	var q struct {
		Flavor string `json:"flavorRef"`
	}
	if err := json.Unmarshal(arg, &q); err != nil {
		return reply{}, badRequest("Invalid input for resize.")
	}
	return empty(http.StatusAccepted, c.resize(s.ProjectID, s.ID, q.Flavor))
}

// resize changes only the records; the lab's machines all have the host's size.
func (c *Cloud) resize(project, id, flavor string) error {
	f, found := c.findFlavor(project, flavor)
	if !found {
		return badRequest("Flavor %s could not be found.", flavor)
	}
	return c.store.Update(func(tx *state.Tx) error {
		s, found := servers.Get(tx, id)
		if !found {
			return serverNotFound(id)
		}
		more := Flavor{VCPUs: f.VCPUs - s.Flavor.VCPUs, RAM: f.RAM - s.Flavor.RAM}
		limit, used := c.quota(tx, "nova", s.ProjectID), c.usage(tx, "nova", s.ProjectID)
		if exceeded(limit["cores"], used["cores"], more.VCPUs) || exceeded(limit["ram"], used["ram"], more.RAM) {
			return fail(http.StatusForbidden, "Forbidden",
				"Quota exceeded for cores, ram: the flavor %s needs more than is left", f.Name)
		}
		s.Flavor, s.Updated = f, c.now()
		return servers.Put(tx, id, s)
	})
}
