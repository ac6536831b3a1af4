package hot

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// The actions and states of stacks and resources, as Heat names them.
const (
	Init   = "INIT"
	Create = "CREATE"
	Update = "UPDATE"
	Delete = "DELETE"
	CheckA = "CHECK"

	InProgress = "IN_PROGRESS"
	Complete   = "COMPLETE"
	Failed     = "FAILED"
)

// Stack is the record of a stack, nested or not.
type Stack struct {
	ID        string
	Name      string
	ProjectID string
	UserID    string
	UserName  string
	// ParentID and ParentResource are set for a stack that is a resource of another one; RootID leads to
	// the stack that a user made, which is the stack itself when not nested.
	ParentID       string
	ParentResource string
	RootID         string

	Action, Status, Reason string

	Given           map[string]any // parameters, as given
	Description     string
	TimeoutMins     int
	DisableRollback bool
	Tags            []string
	Created         time.Time
	Updated         time.Time
	Deleted         time.Time // zero while it exists
	Started         time.Time // of the action under way
}

// State is like CREATE_COMPLETE.
func (s Stack) State() string { return s.Action + "_" + s.Status }

// Nested reports whether the stack is a resource of another.
func (s Stack) Nested() bool { return s.ParentID != "" }

// ARN is what a reference to a nested stack resolves to.
func (s Stack) ARN() string {
	return fmt.Sprintf("arn:openstack:heat::%s:stacks/%s/%s", s.ProjectID, s.Name, s.ID)
}

// Source is what a stack is made from. Files and Environment are kept with the root stack only.
type Source struct {
	Template    map[string]any
	Files       map[string]string
	Environment Environment
}

// Resource is the record of one resource. A replaced resource has a record of its own until it is deleted.
type Resource struct {
	UID      string // decided before anything is made; most resources of the cloud get it as their id
	StackID  string
	Name     string
	Type     string
	Physical string // "" until it exists
	FullName string // stack-resource-random, the default name in the cloud

	Action, Status, Reason string

	Properties map[string]any
	Metadata   any
	Requires   []string
	Data       map[string]string // what a resource without a body elsewhere must remember
	Retain     bool
	Replaced   bool
	Created    time.Time
	Updated    time.Time
}

// State is like CREATE_COMPLETE.
func (r Resource) State() string { return r.Action + "_" + r.Status }

func (r Resource) key() string { return r.StackID + "/" + r.UID }

// Event is one change of a stack's or a resource's state.
type Event struct {
	ID         string
	StackID    string
	Resource   string // the stack's name for its own events
	Type       string
	Physical   string
	Action     string
	Status     string
	Reason     string
	At         time.Time
	Properties map[string]any
}

const (
	stacks    = state.Table[Stack]("heat_stacks")
	sources   = state.Table[Source]("heat_sources")
	resources = state.Table[Resource]("heat_resources")
	events    = state.Table[Event]("heat_events")
)

// shortID makes a member's or a stack's random part, as Heat's short_id does: 12 lower-case characters.
func shortID() string {
	return strings.ToLower(rand.Text()[:12])
}

// nameLimit is Heat's limit for the names of servers.
const nameLimit = 53

// fullName makes a resource's default name. That of a server, when too long, loses its middle, as in
// Heat; that of a stack does not.
func fullName(stack, resource string, limited bool) string {
	name := stack + "-" + resource + "-" + shortID()
	if !limited || len(name) <= nameLimit {
		return name
	}
	return name[:2] + "-" + name[len(name)-nameLimit+3:]
}
