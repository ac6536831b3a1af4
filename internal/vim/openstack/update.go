package openstack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Change describes how an existing stack is to change.
type Change struct {
	Name             string
	Owner, Operation string // as in Stack; the update tags the stack with Operation
	// Parameters are the changed parameters; the others stay as they are.
	Parameters map[string]any
	// Template and Files replace the stack's own; "" leaves both as they are.
	Template string
	Files    map[string]string
	// Whole is set if Template, Files and Parameters are all that the stack is to have: Heat refuses parameters that the
	// template does not declare, also those of the former template.
	Whole bool
	// Replace lists the only resources that Heat makes anew, as Inventory returned them. A server keeps the ports that
	// are resources of their own. A member of a group is replaced with all its resources. A resource that has another
	// PhysicalID by now was replaced already, and is left alone.
	//
	// When the parameters also make a group smaller, Heat removes the group's members in Replace.
	Replace []vim.Resource
	// Keep lists group members that must stay. Without Keep, Heat removes failed members first. Some of those failed only
	// because another resource failed or because somebody cancelled.
	Keep    []vim.Resource
	Timeout time.Duration
	// Secrets are values among the parameters that must not come back in an error or in progress.
	Secrets []string
}

// ToStackUpdatePatchMap implements gophercloud's builder.
func (ch Change) ToStackUpdatePatchMap() (map[string]any, error) {
	parameters := ch.Parameters
	if parameters == nil {
		parameters = map[string]any{}
	}
	out := map[string]any{
		"parameters": parameters, "disable_rollback": true, "timeout_mins": minutes(ch.Timeout), "tags": ch.Owner + "," +
			ch.Operation,
	}
	if ch.Template != "" {
		out["template"], out["files"] = ch.Template, ch.Files
	}
	return out, nil
}

// ToStackUpdateMap implements gophercloud's builder.
func (ch Change) ToStackUpdateMap() (map[string]any, error) { return ch.ToStackUpdatePatchMap() }

var (
	_ stacks.UpdatePatchOptsBuilder = Change{}
	_ stacks.UpdateOptsBuilder      = Change{}
)

// UpdateStack changes a stack and waits until Heat is done with it; progress gets one line per event.
//
// Idempotent: it first waits for an action that is under way. Parameters that have their values already, and resources
// that were replaced already, stay as they are. Heat repeats failed changes. Errors: NotFound when there is no such
// stack, Conflict when it has another owner, else as CreateStack's.
func (c *Cloud) UpdateStack(ctx context.Context, ch Change, progress func(string)) (err error) {
	defer func() { err = mask(err, ch.Secrets) }()
	progress = masked(progress, ch.Secrets)
	have, err := c.owned(ctx, ch.Name, ch.Owner)
	if err != nil {
		return err
	}
	if have, err = c.idle(ctx, have, progress); err != nil {
		return err
	}
	if err := c.markAll(ctx, have, ch.Replace, progress); err != nil {
		return err
	}
	if err := c.keepAll(ctx, have, ch.Keep, progress); err != nil {
		return err
	}
	f := c.follow(have, "UPDATE", progress)
	f.skip(ctx)
	// A cancel must not lose the answer: the next operation has to find the stack in its new state.
	if ch.Whole {
		err = stacks.Update(context.WithoutCancel(ctx), c.heat, have.Name, have.ID, ch).ExtractErr()
	} else {
		err = stacks.UpdatePatch(context.WithoutCancel(ctx), c.heat, have.Name, have.ID, ch).ExtractErr()
	}
	if err := translate("update stack "+ch.Name, err); err != nil {
		return err
	}
	return f.run(ctx)
}

// Settle waits for the end of an action that is under way on the stack, whether it succeeds or fails. Only then are the
// stack's resources known. Errors: NotFound when there is no such stack, Conflict when it has another owner.
func (c *Cloud) Settle(ctx context.Context, name, owner string, progress func(string)) error {
	have, err := c.owned(ctx, name, owner)
	if err != nil {
		return err
	}
	_, err = c.idle(ctx, have, progress)
	return err
}

// owned finds the owner's stack. A stack of another owner or in deletion is a Conflict.
func (c *Cloud) owned(ctx context.Context, name, owner string) (*stacks.ListedStack, error) {
	have, err := c.stack(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(have.Tags, owner):
		return nil, foreign(name)
	case strings.HasPrefix(have.Status, "DELETE"):
		return nil, lcm.Errorf(lcm.KindConflict, "The stack %s is being deleted (%s).", name, have.Status)
	}
	return have, nil
}

// idle waits for the end of an action that is under way, whether it succeeds or fails.
func (c *Cloud) idle(
	ctx context.Context, have *stacks.ListedStack, progress func(string),
) (*stacks.ListedStack, error) {
	action, busy := strings.CutSuffix(have.Status, "_IN_PROGRESS")
	if !busy {
		return have, nil
	}
	progress("The stack is " + have.Status + ": Windlass waits for its end.")
	err := c.follow(have, action, progress).run(ctx)
	if err != nil && !lcm.Is(err, lcm.KindBroken) && !lcm.Is(err, lcm.KindExhausted) && !lcm.Is(err, lcm.KindInvalid) {
		return nil, err
	}
	return c.stack(ctx, have.Name)
}

// markAll marks the resources of the list unhealthy that have not been replaced yet.
func (c *Cloud) markAll(
	ctx context.Context, have *stacks.ListedStack, list []vim.Resource, progress func(string),
) error {
	return c.eachPresent(ctx, have, list, func(name string, now *vim.Resource) error {
		switch {
		case now == nil:
			progress(name + " was replaced or removed already.")
		case now.Unhealthy():
			progress(name + " is unhealthy already.")
		default:
			if err := c.MarkUnhealthy(ctx, *now, "Windlass replaces or removes it."); err != nil {
				return err
			}
			progress(name + " is marked: Heat replaces or removes it.")
		}
		return nil
	})
}

// keepAll marks the failed resources of the list healthy. Heat can only undo a mark, so keepAll first marks them
// unhealthy.
func (c *Cloud) keepAll(
	ctx context.Context, have *stacks.ListedStack, list []vim.Resource, progress func(string),
) error {
	return c.eachPresent(ctx, have, list, func(name string, now *vim.Resource) error {
		if now == nil || !now.Unhealthy() {
			return nil
		}
		if now.Status != marked {
			if err := c.MarkUnhealthy(ctx, *now, "Windlass takes this back at once: it stays."); err != nil {
				return err
			}
		}
		if err := c.MarkHealthy(ctx, *now, "It stays in its group, although others have failed."); err != nil {
			return err
		}
		progress(name + " is marked: it stays in its group.")
		return nil
	})
}

// eachPresent calls do for each resource of the list; now is the stack's present resource, nil when it was replaced or
// removed.
func (c *Cloud) eachPresent(
	ctx context.Context, have *stacks.ListedStack, list []vim.Resource, do func(name string, now *vim.Resource) error,
) error {
	if len(list) == 0 {
		return nil
	}
	present, err := c.resourcesOf(ctx, have.Name, have.ID)
	if err != nil {
		return err
	}
	for _, r := range list {
		var now *vim.Resource
		if at := slices.IndexFunc(present, func(o vim.Resource) bool { return same(r, o) }); at >= 0 {
			now = &present[at]
		}
		if err := do(r.Name, now); err != nil {
			return err
		}
	}
	return nil
}

// marked is the status of a resource that is marked unhealthy.
const marked = "CHECK_FAILED"

// same reports whether two records describe the same resource in the VIM.
func same(r, other vim.Resource) bool {
	return r.Part == other.Part && r.Name == other.Name && r.ID == other.ID
}

// MarkUnhealthy makes Heat replace a resource, or remove it from a group that shrinks, with the next update.
func (c *Cloud) MarkUnhealthy(ctx context.Context, r vim.Resource, reason string) error {
	return c.mark(ctx, r, stackresources.MarkUnhealthyOpts{MarkUnhealthy: true, ResourceStatusReason: reason})
}

// MarkHealthy undoes MarkUnhealthy, as long as no update has begun. A resource that failed by itself stays failed. A
// missing resource is no error.
func (c *Cloud) MarkHealthy(ctx context.Context, r vim.Resource, reason string) error {
	err := c.mark(ctx, r, stackresources.MarkUnhealthyOpts{MarkUnhealthy: false, ResourceStatusReason: reason})
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	return err
}

func (c *Cloud) mark(ctx context.Context, r vim.Resource, opts stackresources.MarkUnhealthyOpts) error {
	err := stackresources.MarkUnhealthy(ctx, c.heat, r.PartName, r.Part, r.Name, opts).ExtractErr()
	return translate(fmt.Sprintf("mark the resource %s of stack %s", r.Name, r.PartName), err)
}
