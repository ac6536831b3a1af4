package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// CancelStack makes Heat stop creating the stack of that name, and waits until it has stopped: the stack is then
// CREATE_FAILED. Heat starts no other resource, and finishes those in progress.
//
// It is no error if there is no such stack, the stack is not ours or not being created, or Heat refuses.
func (c *Cloud) CancelStack(ctx context.Context, name, owner string, progress func(string)) error {
	have, err := c.stack(ctx, name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return nil
	case err != nil:
		return err
	case !slices.Contains(have.Tags, owner) || have.Status != creating:
		return nil
	}
	progress("Windlass asks Heat to stop creating the stack.")
	err = c.cancel(ctx, name, have.ID)
	switch {
	case err == nil:
		return c.awaitCancelled(ctx, name, have.ID, progress)
	case lcm.Is(err, lcm.KindInvalid), lcm.Is(err, lcm.KindNotFound), lcm.Is(err, lcm.KindConflict):
		progress("Heat does not stop: " + sentence(err)) // it was done already, or cannot cancel
		return nil
	default:
		return err
	}
}

const creating = "CREATE_IN_PROGRESS"

// cancel calls an action that gophercloud does not have.
func (c *Cloud) cancel(ctx context.Context, name, id string) error {
	res, err := c.heat.Post(ctx, c.heat.ServiceURL("stacks", name, id, "actions"),
		map[string]any{"cancel_without_rollback": nil}, nil,
		&gophercloud.RequestOpts{OkCodes: []int{
			http.StatusOK, http.StatusCreated, http.StatusAccepted,
			http.StatusNoContent,
		}})
	if err != nil {
		return translate("cancel stack "+name, err)
	}
	return translate("cancel stack "+name, res.Body.Close())
}

func (c *Cloud) awaitCancelled(ctx context.Context, name, id string, progress func(string)) error {
	err := c.untilAmong(ctx, &c.cancelling, func() (bool, error) {
		s, err := c.show(ctx, name, id)
		if err == nil && s.Status != creating {
			progress("The stack is " + s.Status + ": " + s.StatusReason)
			return true, nil
		}
		return false, err
	})
	if err != nil && ctx.Err() != nil {
		return lcm.Wrap(lcm.KindUnavailable, err, "Heat has not stopped creating the stack %s yet.", name)
	}
	return err
}
