// Package vim is the seam to where the resources of VNFs are: what they are, whatever the VIM, and what is done with
// them. Each kind of VIM is a folder below; docs/architecture.md says under "Adding a VIM" what it consists of.
package vim

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// VIM is a connection to one VIM. Each verb is idempotent, shows progress line by line, and finds a deployment again by
// its name, which was decided beforehand. A deployment of that name with another owner is somebody else's: a Conflict,
// and nothing is touched.
type VIM interface {
	// Deploy makes a deployment and waits until it is complete; it returns the VIM's id of it. One that the same operation
	// has begun is waited for; one that failed, or that another operation of the owner has left, is removed first.
	Deploy(ctx context.Context, d Deployment, progress func(string)) (id string, err error)
	// Change changes a deployment and waits until the VIM is done. What is so already stays as it is, what failed is done
	// again. It is NotFound when there is no such deployment.
	Change(ctx context.Context, ch Change, progress func(string)) error
	// Inventory reads everything that a deployment consists of. It is NotFound when there is none.
	Inventory(ctx context.Context, name string) (*Inventory, error)
	// Remove removes a deployment with all that it consists of, and waits until it is gone.
	Remove(ctx context.Context, name, owner string, progress func(string)) error
	// Interrupt ends what is being made of a deployment; what is made stays.
	Interrupt(ctx context.Context, name, owner string, progress func(string)) error
	// Settle waits until the VIM has ended what it does with a deployment. It is NotFound when there is none, so that it
	// also tells whether a connection leads to the VIM on which a VNF is.
	Settle(ctx context.Context, name, owner string, progress func(string)) error
}

// Definition is what a deployment is made of, in the words of one kind of VIM. Its own package makes it and reads it.
type Definition any

// Deployment is a VNF's deployment as it is to be.
type Deployment struct {
	// Name was decided beforehand: a deployment of this name is the same deployment.
	Name string
	// Owner and Operation are kept with it.
	Owner, Operation string
	Definition       Definition
	Timeout          time.Duration
	// Secrets are values in the definition that must not come back in an error or in progress.
	Secrets []string
}

// Change is what becomes different of a deployment that is there.
type Change struct {
	Name             string
	Owner, Operation string // as in Deployment; it is Operation's from then on
	// Definition has what changes; nil leaves all as it is.
	Definition Definition
	// Replace are resources that are made anew, and only they. Each is as Inventory has shown it: one with another ID was
	// replaced already and is left alone. When the definition also makes a group smaller, its members in Replace are
	// those that go.
	Replace []Resource
	// Keep are members of groups that stay. A VIM may remove failed members first, also those that failed only because
	// something else did, or because somebody cancelled.
	Keep []Resource
	// Only is the part of a VNF on several VIMs that changes, as package hybrid names it; "" for all that Definition has.
	Only    string
	Timeout time.Duration
	Secrets []string
}

// What only some VIMs can do is an interface of its own, which is asked for with As.
type (
	// Power switches servers.
	Power interface {
		// StartServer and StopServer wait until the server runs, or is off.
		StartServer(ctx context.Context, id string) error
		StopServer(ctx context.Context, id string) error
		// ShutDown stops all servers of a deployment, and names those that are still on when the time is over.
		ShutDown(
			ctx context.Context, name, owner string, until time.Time, progress func(string),
		) (stillOn []string, err error)
		// ServerState is NotFound when there is no such server.
		ServerState(ctx context.Context, id string) (ServerState, error)
	}
	// Halter stops deployments as a whole, which have no servers to be switched one by one.
	Halter interface {
		// Halt lets a deployment have nothing that runs. What is there keeps its name and id in the inventory, as STOPPED.
		// grace is how long it may take to end by itself.
		Halt(ctx context.Context, ch Change, grace time.Duration, progress func(string)) error
		// Resume makes it run as before, and waits until it does.
		Resume(ctx context.Context, ch Change, progress func(string)) error
	}
	// Disposer removes deployments as an operation wants it.
	Disposer interface {
		// Dispose is Remove, in the manner that is given.
		Dispose(ctx context.Context, name, owner string, how Removal, progress func(string)) error
	}
	// Reconnector gives servers other ports.
	Reconnector interface {
		// PortsByID are those of the ports that exist, PortsOf those that servers have, whoever has made them.
		PortsByID(ctx context.Context, ids ...string) ([]Port, error)
		PortsOf(ctx context.Context, serverIDs ...string) ([]Port, error)
		// Network is the id of a network, by its id or its name.
		Network(ctx context.Context, nameOrID string) (string, error)
		PlugPort(ctx context.Context, serverID, portID string) error
		UnplugPort(ctx context.Context, serverID, portID string) error
	}
	// Restorer takes back what a change of a deployment has begun.
	Restorer interface {
		// DeleteServer deletes a server outside of its deployment, which makes it anew with the next change.
		DeleteServer(ctx context.Context, id string) error
		// MarkHealthy lets the deployment keep a resource that it was to replace.
		MarkHealthy(ctx context.Context, r Resource, reason string) error
	}
	// Balancer balances traffic itself, in the place of a server.
	Balancer interface {
		// Balance lets a load balancer serve its routes, and no others, and waits until it does. One of that name is changed
		// only where it differs.
		Balance(ctx context.Context, b LoadBalancer, progress func(string)) error
		// RemoveBalancer removes one with its routes, and waits until it is gone. The port with its address stays.
		RemoveBalancer(ctx context.Context, name, owner string, progress func(string)) error
		// BalancerState is how one is, with the VIM's word for it; Removed when there is none.
		BalancerState(ctx context.Context, name, owner string) (Level, string, error)
	}
	// Exposer tells under which ports the nodes of a cluster lead to what is deployed there.
	Exposer interface {
		// NodePorts are the Services of a deployment that every node serves.
		NodePorts(ctx context.Context, name string) ([]lcm.ExposedService, error)
	}
	// Describer tells what else a VIM knows of a resource.
	Describer interface {
		// Attributes are those of a resource at the top of a deployment, by its name in the package, with the VIM's words for
		// them. It is NotFound when there is no such resource.
		Attributes(ctx context.Context, name, owner, resource string) (map[string]any, error)
	}
	// Surveyor tells before anything is made what the VIM would refuse, and what there is no room for.
	Surveyor interface {
		// Survey returns one sentence a problem, and changes nothing. The deployment is one that is not there; without a
		// Definition only the room is looked at. An error says why the VIM could not tell.
		Survey(ctx context.Context, d Deployment, room Room) (problems []string, err error)
	}
	// VolumeKeeper lets volumes outlive their servers.
	VolumeKeeper interface {
		// VolumesLost are the volumes of a server that the VIM deletes together with it; ours are the deployment's.
		VolumesLost(ctx context.Context, serverID string, ours ...string) ([]string, error)
	}
)

// Room is what an operation takes up in a VIM; 0 is also what is not known.
type Room struct {
	Servers, Cores, Ports, Volumes int
	RAM                            int // in MiB
}

// ServerState is what a VIM tells of one server now.
type ServerState struct {
	ID, Name string
	Level    Level
	Status   string // the VIM's word for the level: ACTIVE, SHUTOFF, ERROR, REBOOT ...
	Task     string // what the VIM is doing to it, "" for nothing
	Leaving  bool   // the VIM removes it
	Fault    string // the VIM's sentence when it has failed
	Host     string // "" unless the credentials may see it
	HostID   string // tells apart the hosts of a project's servers, for everybody
	Zone     string
}

// Deleted tells that the server does not come back.
func (s ServerState) Deleted() bool { return s.Level == Removed || s.Leaving }

// Composite is a VIM that stands for several: what one of them can do, it can do for what is there.
type Composite interface {
	VIM
	// VIMs are those that it stands for.
	VIMs() []VIM
}

// As asks a VIM for something that only some can do; what says it as in "It cannot ...". It is Invalid where the VIM
// cannot.
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
	return none, lcm.Errorf(lcm.KindInvalid, "The VIM on which the VNF is cannot %s.", what)
}

// Removal is the manner in which a deployment is removed.
type Removal struct {
	// Grace is how long VNFCs may take to end by themselves, before they end at once; nil leaves it to them.
	Grace   *time.Duration
	Volumes VolumeFate
	// Timeout bounds the waiting for what does not go; 0 does not.
	Timeout time.Duration
}

// VolumeFate says what becomes of the volumes of a deployment that is removed.
type VolumeFate string

const (
	// VolumesGo is the usual; a package may want them to stay nevertheless.
	VolumesGo VolumeFate = ""
	// VolumesStay leaves them for VNFCs that come later.
	VolumesStay VolumeFate = "stay"
	// FormerVolumesStay leaves those that were there before the deployment was made: others have been left for it.
	FormerVolumesStay VolumeFate = "former stay"
)
