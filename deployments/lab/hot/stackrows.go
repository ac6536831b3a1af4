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
	// ParentID and ParentResource are set for a nested stack: they name the stack and the resource above. RootID is the
	// stack that a user made; for a stack that is not nested, its own id.
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
	Deleted         time.Time // zero while the stack exists
	Started         time.Time // when the current action began
}

// State returns a text such as CREATE_COMPLETE.
func (s Stack) State() string { return s.Action + "_" + s.Status }

// Nested reports whether the stack is a resource of another.
func (s Stack) Nested() bool { return s.ParentID != "" }

// ARN is the reference to a nested stack.
func (s Stack) ARN() string {
	return fmt.Sprintf("arn:openstack:heat::%s:stacks/%s/%s", s.ProjectID, s.Name, s.ID)
}

// Source is the template, the files and the environment of a stack. Only the root stack keeps Files and Environment.
type Source struct {
	Template    map[string]any
	Files       map[string]string
	Environment Environment
}

// Resource is the record of one resource. A replaced resource has a record of its own until it is deleted.
type Resource struct {
	UID      string // set before anything is made; the id of most resources in the cloud
	StackID  string
	Name     string
	Type     string
	Physical string // "" until the resource exists
	FullName string // stack-resource-random, the default name in the cloud

	Action, Status, Reason string

	Properties map[string]any
	Metadata   any
	Requires   []string
	Data       map[string]string // state of a resource that has no object in the cloud
	Retain     bool
	Replaced   bool
	Created    time.Time
	Updated    time.Time
}

// State returns a text such as CREATE_COMPLETE.
func (r Resource) State() string { return r.Action + "_" + r.Status }

func (r Resource) key() string { return r.StackID + "/" + r.UID }

// Event is one change of a stack's or a resource's state.
type Event struct {
	ID         string
	StackID    string
	Resource   string // for the stack's own events, the stack's name
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

// shortID makes the random part of a name, as Heat's short_id does: 12 lower-case characters.
func shortID() string {
	return strings.ToLower(rand.Text()[:12])
}

// nameLimit is Heat's limit for the names of servers.
const nameLimit = 53

// fullName makes a resource's default name. As in Heat, a server's name that is too long loses its middle; a stack's
// name is not shortened.
func fullName(stack, resource string, limited bool) string {
	name := stack + "-" + resource + "-" + shortID()
	if !limited || len(name) <= nameLimit {
		return name
	}
	return name[:2] + "-" + name[len(name)-nameLimit+3:]
}
