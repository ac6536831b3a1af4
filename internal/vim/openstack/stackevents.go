package openstack

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// follower waits until an action of a stack is over. Usually each look needs one call, for the new events. They also
// show the progress, and include the stack's own state.
type follower struct {
	c        *Cloud
	name, id string
	action   string
	progress func(string)

	begun   time.Time
	joined  bool   // the action ran before: events before its beginning are not reported
	marker  string // the next request asks for events after this one
	latest  string // the last event that was seen
	seen    map[string]bool
	started bool // the action's own beginning was seen, in an event or in the stack's status
	ended   bool // its end was among the events
	quiet   int  // looks without a new event
}

// follow prepares to wait for an action of a stack that will begin, or is in progress.
func (c *Cloud) follow(s *stacks.ListedStack, action string, progress func(string)) *follower {
	return &follower{
		c: c, name: s.Name, id: s.ID, action: action, progress: progress, begun: time.Now(),
		joined: s.Status == action+"_IN_PROGRESS", seen: map[string]bool{},
	}
}

// quietLooks is the number of looks without news before it asks for the stack itself: Heat may lose events.
const quietLooks = 4

func (f *follower) run(ctx context.Context) error {
	return f.c.until(ctx, func() (bool, error) {
		if f.ended = f.readEvents(ctx) || f.ended; !f.ended && f.quiet < quietLooks {
			return false, nil
		}
		f.quiet = 0
		status, reason, err := f.look(ctx)
		if err != nil {
			return false, err
		}
		f.started = f.started || status == f.action+"_IN_PROGRESS"
		return f.judge(ctx, status, reason)
	})
}

// look asks for the stack itself. It looks for a deleted stack by its name: Heat reports DELETE_COMPLETE before it
// frees the name, and would still refuse a new stack of that name.
func (f *follower) look(ctx context.Context) (status, reason string, err error) {
	if f.action != "DELETE" {
		s, err := f.c.show(ctx, f.name, f.id)
		if err != nil {
			return "", "", err
		}
		return s.Status, s.StatusReason, nil
	}
	s, err := f.c.stack(ctx, f.name)
	switch {
	case lcm.Is(err, lcm.KindNotFound), err == nil && s.ID != f.id:
		return gone, "", nil
	case err != nil:
		return "", "", err
	}
	return s.Status, s.StatusReason, nil
}

// gone is the status of a stack that Heat does not list any more.
const gone = "gone"

// judge decides whether the action is over.
func (f *follower) judge(ctx context.Context, status, reason string) (over bool, err error) {
	fresh := f.started || f.action == "CREATE" || time.Since(f.begun) > f.c.timing.settle
	switch {
	case f.action == "DELETE" && !strings.HasSuffix(status, "_FAILED"):
		return status == gone, nil
	case status == f.action+"_COMPLETE":
		return fresh, nil
	case f.action == "CREATE" && usable(status) && status != creating:
		return true, nil // another action has begun
	case f.action != "DELETE" && strings.HasPrefix(status, "DELETE"):
		return false, lcm.Errorf(lcm.KindBroken, "The stack %s is being deleted by somebody else (%s).", f.name, status)
	case strings.HasSuffix(status, "_FAILED") && fresh:
		return false, f.c.failure(ctx, f.name, f.id, status, reason)
	}
	return false, nil
}

// event is Heat's event about a resource; gophercloud's own type drops the names of nested stacks.
type event struct {
	ID       string             `json:"id"`
	Resource string             `json:"resource_name"`
	Physical string             `json:"physical_resource_id"`
	Status   string             `json:"resource_status"`
	Reason   string             `json:"resource_status_reason"`
	Links    []gophercloud.Link `json:"links"`
}

// stack reads name and id of the event's stack from its link.
func (e event) stack() (name, id string) {
	for _, l := range e.Links {
		if u, err := url.Parse(l.Href); l.Rel == "stack" && err == nil {
			parts := strings.Split(u.Path, "/")
			return parts[max(0, len(parts)-2)], parts[len(parts)-1]
		}
	}
	return "", ""
}

// readEvents reports the new events, and whether the stack's own end is among them. It ignores errors of Heat, because
// progress is optional and the stack itself is asked soon.
func (f *follower) readEvents(ctx context.Context) (over bool) {
	list, err := f.c.events(ctx, f.name, f.id, url.Values{
		"marker": {f.marker}, "nested_depth": {f.depth()}, "sort_dir": {"asc"}, // else the newest come first
	})
	if err != nil {
		f.quiet = quietLooks
		return false
	}
	f.quiet++
	if f.joined && len(list) > 0 {
		list, f.joined = f.sinceBeginning(list), false
	}
	// The marker stays one look behind: Heat may list an event of another engine, written at the same moment, before
	// events that were seen already.
	f.marker = f.latest
	for _, e := range list {
		if f.seen[e.ID] {
			continue
		}
		f.seen[e.ID], f.latest, f.quiet = true, e.ID, 0
		over = f.tell(e) || over
	}
	return over
}

// depth is the nesting depth of listed events. Heat finds nested stacks by their resources. At the end of a deletion
// there are none, and Heat would not even list the stack's own events.
func (f *follower) depth() string {
	if f.action == "DELETE" {
		return ""
	}
	return strconv.Itoa(nestedDepth)
}

// own tells whether an event is of the followed stack as a whole.
func (f *follower) own(e event) bool { return e.Physical == f.id && e.Resource == f.name }

// sinceBeginning drops the events before the present action.
func (f *follower) sinceBeginning(list []event) []event {
	first := len(list)
	for i, e := range list {
		if f.own(e) && e.Status == f.action+"_IN_PROGRESS" {
			first = i
		}
	}
	for _, e := range list[:first] {
		f.seen[e.ID], f.latest = true, e.ID
	}
	return list[first:]
}

// tell reports an event as a line; over is true for the end of the action.
func (f *follower) tell(e event) (over bool) {
	f.started = f.started || f.own(e) && e.Status == f.action+"_IN_PROGRESS"
	name, id := e.stack()
	if id != f.id && id == e.Physical {
		return false // a nested stack as a whole: the resource that it is says the same
	}
	line := e.Resource + " " + e.Status
	if id != "" && id != f.id {
		line += " in " + strings.TrimPrefix(name, f.name+"-")
	}
	if strings.HasSuffix(e.Status, "_FAILED") && e.Reason != "" {
		line += ": " + e.Reason
	}
	f.progress(line)
	return f.own(e) && (e.Status == f.action+"_COMPLETE" || e.Status == f.action+"_FAILED")
}

// skip remembers the stack's last event before an action begins, so that only later events are reported.
func (f *follower) skip(ctx context.Context) {
	list, err := f.c.events(ctx, f.name, f.id, url.Values{
		"limit": {"1"}, "sort_dir": {"desc"}, "nested_depth": {f.depth()},
	})
	if err != nil || len(list) == 0 {
		f.joined = err != nil // then the beginning is looked for
		return
	}
	f.marker, f.latest, f.seen[list[0].ID] = list[0].ID, list[0].ID, true
}

func (c *Cloud) events(ctx context.Context, name, id string, query url.Values) ([]event, error) {
	for key, values := range query {
		if values[0] == "" {
			query.Del(key)
		}
	}
	var answer struct {
		Events []event `json:"events"`
	}
	err := c.read(ctx, c.heat, &answer, query, "stacks", name, id, "events")
	return answer.Events, translate("list the events of stack "+name, err)
}

// masked hides secrets in progress: Heat quotes what it refuses.
func masked(progress func(string), secrets []string) func(string) {
	return func(line string) {
		for _, secret := range secrets {
			if secret != "" {
				line = strings.ReplaceAll(line, secret, "***")
			}
		}
		progress(line)
	}
}
