// Package vim is the seam between Windlass and the infrastructure that holds the resources of VNFs. It describes
// resources, and the calls that change them, in words that are the same for every VIM. Each kind of VIM has a folder
// below; docs/architecture.md, "Adding a VIM", lists the parts of such a folder.
package vim

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// VIM is a connection to one VIM. Every method is idempotent and reports progress line by line. The caller decides the
// name of a deployment beforehand, and each method finds the deployment by that name. If another owner has a deployment
// of that name, the method changes nothing and returns a Conflict.
type VIM interface {
	// Deploy makes a deployment, waits until it is complete, and returns the VIM's id of the deployment. If the same
	// operation has begun the deployment already, Deploy waits for it. If a deployment of that name failed, or another
	// operation of the owner left it, Deploy removes it first.
	Deploy(ctx context.Context, d Deployment, progress func(string)) (id string, err error)
	// Change changes a deployment and waits until the VIM is done. Resources that are right already stay; failed changes
	// are tried again. The error is NotFound when there is no such deployment.
	Change(ctx context.Context, ch Change, progress func(string)) error
	// Inventory reads all resources of a deployment. The error is NotFound when there is no such deployment.
	Inventory(ctx context.Context, name string) (*Inventory, error)
	// Remove removes a deployment with all its resources, and waits until they are gone.
	Remove(ctx context.Context, name, owner string, progress func(string)) error
	// Interrupt stops the VIM's work on a deployment. Resources that exist already stay.
	Interrupt(ctx context.Context, name, owner string, progress func(string)) error
	// Settle waits until the VIM has ended its work on a deployment. The error is NotFound when there is no such
	// deployment. So a caller can also use Settle to learn whether a connection leads to the VIM of a VNF.
	Settle(ctx context.Context, name, owner string, progress func(string)) error
}

// Definition describes the resources of a deployment in the form that one kind of VIM takes. The package of that kind
// makes it and reads it.
type Definition any

// Deployment is the wanted state of a VNF's deployment.
type Deployment struct {
	// Name is decided beforehand: a deployment of this name is the same deployment.
	Name string
	// The VIM keeps Owner and Operation with the deployment.
	Owner, Operation string
	Definition       Definition
	Timeout          time.Duration
	// Secrets are values in the definition that must not come back in an error or in progress.
	Secrets []string
}

// Change describes how an existing deployment is to change.
type Change struct {
	Name             string
	Owner, Operation string // as in Deployment; the deployment is Operation's afterwards
	// Definition holds the changes; nil changes nothing.
	Definition Definition
	// Undo tells that the change takes back what Operation has changed before.
	Undo bool
	// Replace lists the only resources that the VIM makes anew, as Inventory returned them. A resource that has another
	// ID by now was replaced already, and the VIM leaves it alone. When the definition also makes a group smaller, the
	// group's members in Replace are the ones that go.
	Replace []Resource
	// Keep lists group members that must stay. Without Keep, a VIM may remove failed members first. Some of those failed
	// only because another resource failed or because somebody cancelled.
	Keep []Resource
	// Only limits the change to one part of a VNF on several VIMs, by the name that package hybrid gives the part. ""
	// means everything in Definition.
	Only    string
	Timeout time.Duration
	Secrets []string
}

// These interfaces are abilities that only some VIMs have. Callers ask for them with As.
type (
	// Power starts and stops servers.
	Power interface {
		// StartServer and StopServer wait until the server runs, or is off.
		StartServer(ctx context.Context, id string) error
		StopServer(ctx context.Context, id string) error
		// ShutDown stops all servers of a deployment. It returns the names of the servers that still run at the time until.
		ShutDown(
			ctx context.Context, name, owner string, until time.Time, progress func(string),
		) (stillOn []string, err error)
		// ServerState returns NotFound when there is no such server.
		ServerState(ctx context.Context, id string) (ServerState, error)
	}
	// Halter stops whole deployments that have no servers to stop one by one.
	Halter interface {
		// Halt stops everything that runs in a deployment. The inventory keeps the names and ids of its resources, as
		// STOPPED. grace is the time that they have to end by themselves.
		Halt(ctx context.Context, ch Change, grace time.Duration, progress func(string)) error
		// Resume starts the deployment again as it was, and waits until it runs.
		Resume(ctx context.Context, ch Change, progress func(string)) error
	}
	// Disposer removes deployments in the way that an operation asks for.
	Disposer interface {
		// Dispose does the same as Remove, in the given way.
		Dispose(ctx context.Context, name, owner string, how Removal, progress func(string)) error
	}
	// Reconnector connects servers to other ports.
	Reconnector interface {
		// PortsByID returns those of the given ports that exist. PortsOf returns all ports of the servers, also ports that
		// somebody else made.
		PortsByID(ctx context.Context, ids ...string) ([]Port, error)
		PortsOf(ctx context.Context, serverIDs ...string) ([]Port, error)
		// Network finds a network by its id or its name, and returns its id.
		Network(ctx context.Context, nameOrID string) (string, error)
		PlugPort(ctx context.Context, serverID, portID string) error
		UnplugPort(ctx context.Context, serverID, portID string) error
	}
	// Restorer undoes changes that an update of a deployment has begun.
	Restorer interface {
		// DeleteServer deletes a server behind the back of its deployment. The next change of the deployment makes the
		// server anew.
		DeleteServer(ctx context.Context, id string) error
		// MarkHealthy makes the deployment keep a resource that was marked for replacement.
		MarkHealthy(ctx context.Context, r Resource, reason string) error
	}
	// Balancer offers load balancers of the VIM itself, in place of a load balancer server.
	Balancer interface {
		// Balance makes a load balancer serve exactly its routes, and waits until it does. An existing load balancer of
		// that name is changed only where it differs.
		Balance(ctx context.Context, b LoadBalancer, progress func(string)) error
		// RemoveBalancer removes a load balancer with its routes, and waits until it is gone. The port with its address
		// stays.
		RemoveBalancer(ctx context.Context, name, owner string, progress func(string)) error
		// BalancerState returns the level of a load balancer and the VIM's word for it; Removed when it does not exist.
		BalancerState(ctx context.Context, name, owner string) (Level, string, error)
	}
	// Exposer finds the ports under which the nodes of a cluster serve the Services of a deployment.
	Exposer interface {
		// NodePorts lists the Services of a deployment that every node serves.
		NodePorts(ctx context.Context, name string) ([]lcm.ExposedService, error)
	}
	// Describer returns further attributes of a resource.
	Describer interface {
		// Attributes returns the attributes of a resource at the top of a deployment, under the VIM's names. resource is
		// its name in the package. The error is NotFound when there is no such resource.
		Attributes(ctx context.Context, name, owner, resource string) (map[string]any, error)
	}
	// Surveyor predicts refusals and lack of room before the VIM makes anything.
	Surveyor interface {
		// Survey returns one sentence for each problem, and changes nothing. The deployment does not exist yet. Without a
		// Definition, Survey checks the room only. The error says why the VIM could not answer.
		Survey(ctx context.Context, d Deployment, room Room) (problems []string, err error)
	}
	// VolumeKeeper lets volumes outlive their servers.
	VolumeKeeper interface {
		// VolumesLost returns the volumes that the VIM would delete together with the server. ours are the volumes of the
		// deployment.
		VolumesLost(ctx context.Context, serverID string, ours ...string) ([]string, error)
	}
)

// Room is the capacity that an operation needs in a VIM; 0 also stands for an unknown amount.
type Room struct {
	Servers, Cores, Ports, Volumes int
	RAM                            int // in MiB
}

// ServerState is the present state of one server, as the VIM reports it.
type ServerState struct {
	ID, Name string
	Level    Level
	Status   string // the VIM's word for the level: ACTIVE, SHUTOFF, ERROR, REBOOT ...
	Task     string // the VIM's word for its work on the server, "" for none
	Leaving  bool   // the VIM is removing it
	Fault    string // the VIM's message when it has failed
	Host     string // "" unless the credentials may see it
	HostID   string // tells apart the hosts of a project's servers; all credentials may see it
	Zone     string
}

// Deleted reports that the server is gone or the VIM is removing it.
func (s ServerState) Deleted() bool { return s.Level == Removed || s.Leaving }

// Composite is a VIM that stands for several VIMs. It offers every ability that one of them has.
type Composite interface {
	VIM
	// VIMs returns the VIMs that it stands for.
	VIMs() []VIM
}

// Each returns the VIMs that v stands for, or v alone.
func Each(v VIM) []VIM {
	if c, ok := v.(Composite); ok {
		return c.VIMs()
	}
	return []VIM{v}
}

// As returns an ability that only some VIMs have. what completes the sentence "The VIM cannot ...". The error is
// Invalid when the VIM does not have the ability.
func As[Ability any](v VIM, what string) (Ability, error) {
	if a, ok := v.(Ability); ok {
		return a, nil
	}
	if c, ok := v.(Composite); ok {
		for _, part := range c.VIMs() {
			if a, ok := part.(Ability); ok {
				return a, nil
			}
		}
	}
	var none Ability
	return none, lcm.Errorf(lcm.KindInvalid, "The VIM of the VNF cannot %s.", what)
}

// Removal is how a deployment is removed.
type Removal struct {
	// Grace is how long VNFCs may take to end by themselves before the VIM ends them. nil leaves the time to the VNFCs.
	Grace   *time.Duration
	Volumes VolumeFate
	// Timeout limits the wait for resources that do not go; 0 sets no limit.
	Timeout time.Duration
}

// VolumeFate says whether the volumes of a removed deployment stay.
type VolumeFate string

const (
	// VolumesGo is the default. A package may still ask for its volumes to stay.
	VolumesGo VolumeFate = ""
	// VolumesStay leaves the volumes for later VNFCs.
	VolumesStay VolumeFate = "stay"
	// FormerVolumesStay leaves only the volumes that existed before the deployment: an earlier VNFC left them for it.
	FormerVolumesStay VolumeFate = "former stay"
)
