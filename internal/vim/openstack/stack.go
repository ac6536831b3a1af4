package openstack

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackevents"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Heat is asked soon at first, for small stacks, and ever more rarely, for large ones.
const (
	firstPoll = 50 * time.Millisecond
	lastPoll  = 5 * time.Second
)

// Stack is a stack as it is to be.
type Stack struct {
	// Name was decided beforehand: a stack of this name is the same stack.
	Name       string
	Template   string
	Files      map[string]string // nested templates by the name that the template uses
	Parameters map[string]any
	// Owner and Operation are tags. A stack of that name without the owner is not ours and is not touched; one of
	// another operation may have been made of other parameters and is made anew.
	Owner, Operation string
	Timeout          time.Duration
	// Secrets are values among the parameters that must not come back in an error: Heat quotes what it refuses.
	Secrets []string
}

// ToStackCreateMap implements gophercloud's builder. The library's own would read templates that ours
// name from the worker's disk.
func (s Stack) ToStackCreateMap() (map[string]any, error) {
	return map[string]any{
		"stack_name": s.Name, "template": s.Template, "files": s.Files, "parameters": s.Parameters,
		"disable_rollback": true, "timeout_mins": max(1, int(s.Timeout/time.Minute)), "tags": s.Owner + "," + s.Operation,
	}, nil
}

// CreateStack makes the stack and waits until it is complete; it returns the stack's id.
//
// Idempotent: the stack that this operation has begun is waited for; one that failed, or that is left of
// another operation of the same owner, is deleted first. progress gets one line per event of the stack.
func (c *Cloud) CreateStack(ctx context.Context, s Stack, progress func(string)) (id string, err error) {
	defer func() { err = mask(err, s.Secrets) }()
	have, err := c.stack(ctx, s.Name)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
	case err != nil:
		return "", err
	case !slices.Contains(have.Tags, s.Owner):
		return "", lcm.Errorf(lcm.KindConflict, "A stack %s exists already, and it is not Windlass's. Rename or delete it, then retry.", s.Name)
	case slices.Contains(have.Tags, s.Operation) && usable(have.Status):
		return have.ID, c.wait(ctx, s.Name, have.ID, "CREATE", progress)
	default:
		progress("A stack of an earlier attempt is " + have.Status + ": it is deleted first.")
		if err := c.DeleteStack(ctx, s.Name, s.Owner, progress); err != nil {
			return "", err
		}
	}
	// A cancel must not lose the answer: whoever rolls back has to find the stack.
	made, err := stacks.Create(context.WithoutCancel(ctx), c.heat, s).Extract()
	if err != nil {
		return "", translate("create stack "+s.Name, err)
	}
	return made.ID, c.wait(ctx, s.Name, made.ID, "CREATE", progress)
}

// usable tells whether a stack is there or on its way.
func usable(status string) bool {
	return status == "CREATE_IN_PROGRESS" || strings.HasSuffix(status, "_COMPLETE") && status != "DELETE_COMPLETE"
}

// DeleteStack deletes the stack of that name and waits until it is gone. A stack that is not there is
// deleted; one without the owner is not ours and is left alone.
func (c *Cloud) DeleteStack(ctx context.Context, name, owner string, progress func(string)) error {
	have, err := c.stack(ctx, name)
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if !slices.Contains(have.Tags, owner) {
		progress("The stack " + name + " is not Windlass's: it is left alone.")
		return nil
	}
	if have.Status != "DELETE_IN_PROGRESS" {
		err := stacks.Delete(ctx, c.heat, name, have.ID).ExtractErr()
		if err := translate("delete stack "+name, err); err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return err
		}
	}
	err = c.wait(ctx, name, have.ID, "DELETE", progress)
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	return err
}

func (c *Cloud) stack(ctx context.Context, nameOrID string) (*stacks.RetrievedStack, error) {
	s, err := stacks.Find(ctx, c.heat, nameOrID).Extract()
	return s, translate("find stack "+nameOrID, err)
}

// settling is how long Heat may still show the failure of an earlier action after it has taken the next one.
const settling = 10 * time.Second

// wait follows a stack until action is over; each new event is a line of progress.
func (c *Cloud) wait(ctx context.Context, name, id, action string, progress func(string)) error {
	told, begun, moved := map[string]bool{}, time.Now(), false
	for pause := firstPoll; ; pause = min(pause*3/2, lastPoll) {
		s, err := stacks.Get(ctx, c.heat, name, id).Extract()
		if err != nil {
			return translate("follow stack "+name, err)
		}
		c.tell(ctx, name, id, told, progress)
		moved = moved || strings.HasSuffix(s.Status, "_IN_PROGRESS")
		switch {
		case s.Status == action+"_COMPLETE", action == "CREATE" && usable(s.Status) && s.Status != "CREATE_IN_PROGRESS":
			return nil
		case action == "CREATE" && strings.HasPrefix(s.Status, "DELETE"):
			return lcm.Errorf(lcm.KindBroken, "The stack %s is being deleted by somebody else (%s).", name, s.Status)
		case strings.HasSuffix(s.Status, "_FAILED") && (moved || action == "CREATE" || time.Since(begun) > settling):
			return c.failure(ctx, name, id, s)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// tell reports the events that were not reported yet; progress is not worth an error.
func (c *Cloud) tell(ctx context.Context, name, id string, told map[string]bool, progress func(string)) {
	page, err := stackevents.List(c.heat, name, id, stackevents.ListOpts{}).AllPages(ctx)
	if err != nil {
		return
	}
	events, err := stackevents.ExtractEvents(page)
	if err != nil {
		return
	}
	for _, e := range events {
		if !told[e.ID] {
			told[e.ID] = true
			progress(fmt.Sprintf("%s %s", e.ResourceName, e.ResourceStatus))
		}
	}
}

// failure finds the resource whose failure is the stack's: Heat's own reason names only the outermost.
func (c *Cloud) failure(ctx context.Context, name, id string, s *stacks.RetrievedStack) error {
	reason := s.StatusReason
	if deepest := c.deepestFailure(ctx, name, id); deepest != "" {
		reason = deepest
	}
	kind, advice := lcm.KindBroken, "Mend the cause, then retry."
	if exhausted(reason) || exhausted(s.StatusReason) {
		kind, advice = lcm.KindExhausted, "Make room in the cloud or raise the quota, then retry."
	}
	return &lcm.Error{
		Kind: kind, Op: "follow stack " + name,
		Detail: fmt.Sprintf("Heat ended the stack %s in %s: %s. %s", name, s.Status, strings.TrimSuffix(reason, "."), advice),
	}
}

func (c *Cloud) deepestFailure(ctx context.Context, name, id string) string {
	list, err := c.resources(ctx, name, id)
	if err != nil {
		return ""
	}
	var best stackresources.Resource
	for _, r := range list {
		// What Heat gave up because something else failed says "aborted". A nested stack repeats its member's
		// reason with more words around it: the member itself has the fewest.
		if strings.HasSuffix(r.Status, "_FAILED") && r.StatusReason != "" && !strings.HasSuffix(r.StatusReason, "aborted") &&
			(best.StatusReason == "" || len(r.StatusReason) < len(best.StatusReason)) {
			best = r
		}
	}
	if best.StatusReason == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s): %s", best.Name, best.Type, best.StatusReason)
}

func (c *Cloud) resources(ctx context.Context, name, id string) ([]stackresources.Resource, error) {
	page, err := stackresources.List(c.heat, name, id, stackresources.ListOpts{Depth: nestedDepth}).AllPages(ctx)
	if err != nil {
		return nil, translate("list the resources of stack "+name, err)
	}
	list, err := stackresources.ExtractResources(page)
	return list, translate("list the resources of stack "+name, err)
}

var _ stacks.CreateOptsBuilder = Stack{}
