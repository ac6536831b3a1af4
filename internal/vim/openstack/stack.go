package openstack

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Stack is the wanted state of a stack.
type Stack struct {
	// Name was decided beforehand: a stack of this name is the same stack.
	Name       string
	Template   string
	Files      map[string]string // nested templates by the name that the template uses
	Parameters map[string]any
	// Owner and Operation are tags. A stack of that name with another owner is not ours and is not touched. A stack of
	// another operation may have other parameters and is made anew.
	Owner, Operation string
	Timeout          time.Duration
	// Secrets are parameter values that must not appear in an error: Heat quotes what it refuses.
	Secrets []string
}

// ToStackCreateMap implements gophercloud's builder. The library's own would read templates that ours
// name from the worker's disk.
func (s Stack) ToStackCreateMap() (map[string]any, error) {
	return map[string]any{
		"stack_name": s.Name, "template": s.Template, "files": s.Files, "parameters": s.Parameters,
		"disable_rollback": true, "timeout_mins": minutes(s.Timeout), "tags": s.Owner + "," + s.Operation,
	}, nil
}

// minutes converts a time-out into Heat's unit.
func minutes(d time.Duration) int { return max(1, int(d/time.Minute)) }

// CreateStack makes the stack, waits until it is complete, and returns its id.
//
// Idempotent: it waits for a stack that this operation has begun. It first deletes a stack that failed, or that another
// operation of the same owner left. progress gets one line per event of the stack.
func (c *Cloud) CreateStack(ctx context.Context, s Stack, progress func(string)) (id string, err error) {
	defer func() { err = mask(err, s.Secrets) }()
	progress = masked(progress, s.Secrets)
	have, err := c.stack(ctx, s.Name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
	case err != nil:
		return "", err
	case !slices.Contains(have.Tags, s.Owner):
		return "", foreign(s.Name)
	case slices.Contains(have.Tags, s.Operation) && usable(have.Status):
		return have.ID, c.follow(have, "CREATE", progress).run(ctx)
	default:
		progress("A stack of an earlier attempt is " + have.Status + ": Windlass deletes it first.")
		if err := c.DeleteStack(ctx, s.Name, s.Owner, progress); err != nil {
			return "", err
		}
	}
	// A cancel must not lose the answer: a rollback has to find the stack.
	made, err := stacks.Create(context.WithoutCancel(ctx), c.heat, s).Extract()
	if err == nil {
		return made.ID, c.follow(&stacks.ListedStack{ID: made.ID, Name: s.Name}, "CREATE", progress).run(ctx)
	}
	err = translate("create stack "+s.Name, err)
	if lcm.Is(err, lcm.KindConflict) { // an earlier call may have arrived late
		if have, missing := c.stack(ctx, s.Name); missing == nil && slices.Contains(have.Tags, s.Owner) &&
			slices.Contains(have.Tags, s.Operation) {
			return have.ID, c.follow(have, "CREATE", progress).run(ctx)
		}
	}
	return "", err
}

func foreign(name string) error {
	return lcm.Errorf(lcm.KindConflict,
		"A stack %s exists already, and it does not belong to Windlass. Rename or delete it, then retry.", name)
}

// usable reports whether a stack is complete or in progress.
func usable(status string) bool {
	return status == creating || strings.HasSuffix(status, "_COMPLETE") && status != "DELETE_COMPLETE"
}

// deletions is how often Windlass tells Heat to delete a stack. If one deletion could not remove a resource because it
// was in use, the next one often can. Networks and subnets are in use while others have ports on them, or until Nova
// removes its own ports. They get more deletions, with a pause before each.
const (
	deletions      = 2
	inUseDeletions = 6
)

// DeleteStack deletes the stack of that name in any state, and waits until it is gone. A missing stack counts as
// deleted. A stack of another owner is left alone.
func (c *Cloud) DeleteStack(ctx context.Context, name, owner string, progress func(string)) error {
	var err error
	for attempt := 0; attempt < deletions || inUse(err) && attempt < inUseDeletions; attempt++ {
		have, gone := c.stack(ctx, name)
		if lcm.Is(gone, lcm.KindNotFound) {
			return nil
		}
		if gone != nil {
			return gone
		}
		if !slices.Contains(have.Tags, owner) {
			progress("The stack " + name + " does not belong to Windlass, which leaves it alone.")
			return nil
		}
		if err := c.restBefore(ctx, attempt, progress); err != nil {
			return err
		}
		if err = c.deleteOnce(ctx, have, progress); !lcm.Is(err, lcm.KindBroken) && !lcm.Is(err, lcm.KindInvalid) {
			return err
		}
	}
	return err
}

// restBefore waits until users of parts of the stack may be gone, before the next deletion.
func (c *Cloud) restBefore(ctx context.Context, attempt int, progress func(string)) error {
	if attempt == 0 {
		return nil
	}
	if attempt < deletions {
		progress("Heat could not delete everything: Windlass asks it again.")
		return nil
	}
	rest := 2 * time.Duration(attempt-deletions+1) * c.timing.last // 10, 20, 30 and 40 seconds, unless the VIM says otherwise
	progress(fmt.Sprintf("Ports are still in use on a network of the stack: Windlass asks Heat again in %s (%d of %d).",
		rest, attempt+1, inUseDeletions))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rest):
		return nil
	}
}

// inUse reports whether a deletion failed because a network or a router still had ports.
func inUse(err error) bool {
	if err == nil {
		return false
	}
	for _, words := range []string{
		"SubnetInUse", "NetworkInUse", "RouterInUse", "have an IP allocation from this subnet",
		"still in use on the network",
	} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

func (c *Cloud) deleteOnce(ctx context.Context, have *stacks.ListedStack, progress func(string)) error {
	f := c.follow(have, "DELETE", progress)
	if have.Status != "DELETE_IN_PROGRESS" {
		f.skip(ctx)
		err := translate("delete stack "+have.Name, stacks.Delete(ctx, c.heat, have.Name, have.ID).ExtractErr())
		if lcm.Is(err, lcm.KindNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	err := f.run(ctx)
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	return err
}

// stack finds a stack by its name with one call. Heat's own way, the address with the name, takes two calls: it
// redirects, and evaluates the outputs.
func (c *Cloud) stack(ctx context.Context, name string) (*stacks.ListedStack, error) {
	var answer struct {
		Stacks []stacks.ListedStack `json:"stacks"`
	}
	if err := c.read(ctx, c.heat, &answer, url.Values{"name": {name}}, "stacks"); err != nil {
		return nil, noList(translate("find stack "+name, err))
	}
	for _, s := range answer.Stacks {
		if s.Name == name {
			return &s, nil
		}
	}
	return nil, lcm.Errorf(lcm.KindNotFound, "There is no stack %s.", name)
}

// noList makes an outage of a 404 to the question for a list: Heat has that list always, so the answer is not Heat's.
// NotFound would say that the stack is gone.
func noList(err error) error {
	if !lcm.Is(err, lcm.KindNotFound) {
		return err
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "Heat does not answer at its address: the answer to the question for the "+
		"stacks is 404 Not Found. Look at the endpoint of orchestration in Keystone's catalog.")
}

// show reads a stack without its outputs, which Heat would compute.
func (c *Cloud) show(ctx context.Context, name, id string) (*stacks.RetrievedStack, error) {
	var answer struct {
		Stack *stacks.RetrievedStack `json:"stack"`
	}
	if err := c.read(ctx, c.heat, &answer, url.Values{"resolve_outputs": {"False"}}, "stacks", name, id); err != nil {
		return nil, translate("follow stack "+name, err)
	}
	return answer.Stack, nil
}

var _ stacks.CreateOptsBuilder = Stack{}
