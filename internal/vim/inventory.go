package vim

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ResourceKind is the kind of a resource, in words that are the same for every VIM.
type ResourceKind string

// The kinds. A resource without a kind has a meaning only for its VIM, such as a part of a deployment.
const (
	Compute    ResourceKind = "COMPUTE"
	Storage    ResourceKind = "STORAGE"
	LinkPort   ResourceKind = "LINKPORT"
	Network    ResourceKind = "NETWORK"
	PublicAddr ResourceKind = "PUBLIC_ADDRESS" // an outside address that leads to a link port
	Group      ResourceKind = "GROUP"          // of like parts; the scale level sets their number
)

// Level is the state of a deployment, a resource or a server, in words that are the same for every VIM.
type Level string

// The levels. "" stands for a resource that does not exist, or whose state is unknown.
const (
	Running  Level = "RUNNING"  // in the wanted state
	Changing Level = "CHANGING" // the VIM is making, changing or removing it
	Stopped  Level = "STOPPED"  // switched off
	Paused   Level = "PAUSED"   // it does not run, and will not start by itself
	Failed   Level = "FAILED"
	Removed  Level = "REMOVED" // it is gone, or going
)

// Resource is one resource of a VNF.
type Resource struct {
	Kind ResourceKind
	// Name is the resource's name in the VNF package.
	Name string
	// ID is the VIM's id, "" while there is none.
	ID string
	// VimType is the VIM's resource type, e.g. OS::Nova::Server (vimLevelResourceType).
	VimType string
	// Part is the id of the part of the deployment that holds the resource. For a resource at the top it is the
	// deployment's own id. PartName is the part's name.
	Part, PartName string
	// Member is the name of the group member that the part is, "" at the top.
	Member string
	// On names the part of a VNF on several VIMs that has the resource, as package hybrid names it; "" on one VIM.
	On    string
	Level Level
	// Status is the VIM's word for the level; Reason is the VIM's message about it.
	Status, Reason string
	Created        time.Time
}

// Unhealthy reports that the resource has failed or was marked unhealthy. The next change of the deployment replaces
// it.
func (r Resource) Unhealthy() bool { return r.Level == Failed }

// Inventory is the full list of the resources of a VNF's deployment.
type Inventory struct {
	ID        string
	Level     Level  // the deployment's
	Status    string // the VIM's word for the level
	Resources []Resource
	Servers   map[string]Server // by id
	Ports     map[string]Port   // by id
	// PublicAddrs are the public addresses of the deployment itself, by id.
	PublicAddrs map[string]PublicAddress
	// Parts holds the inventory of each VIM of a VNF on several VIMs, by name; nil on one VIM.
	Parts map[string]*Inventory
}

// Part returns the inventory of the VIM of that name. For a VNF on one VIM, it returns the whole inventory. It is nil
// when there is none.
func (i *Inventory) Part(on string) *Inventory {
	if i == nil || i.Parts == nil {
		return i
	}
	return i.Parts[on]
}

// AtTop tells whether a resource is at the top of the deployment, or of one of its parts.
func (i *Inventory) AtTop(r Resource) bool {
	part := i.Part(r.On)
	return r.Part == i.ID || part != nil && r.Part == part.ID
}

// Server is what the VIM knows of a server.
type Server struct {
	ID     string
	Name   string
	Level  Level
	Status string // the VIM's word for the level
	Host   string // "" unless the credentials may see it
	HostID string // tells apart the hosts of a project's servers, for everybody
	Zone   string
	// Addresses are the fixed IPs, network by network.
	Addresses []string
	VolumeIDs []string
	// VolumeType is the VIM's resource type of the volumes.
	VolumeType string
}

// Port is what the VIM knows of a link port, with the public address that leads to it.
type Port struct {
	ID         string
	Name       string
	NetworkID  string
	ServerID   string // the device that has it, "" for none
	MAC        string
	FixedIPs   []lcm.FixedIP
	Address    string // the first IPv4 address, else the first address
	FloatingIP string // "" when none
	VimType    string // the VIM's resource type
}

// PublicAddress is an address from outside that leads to a port.
type PublicAddress struct {
	Address string
	PortID  string
}

// OfKind returns the existing resources of a kind, in all parts of the deployment.
func (i *Inventory) OfKind(kind ResourceKind) []Resource {
	var out []Resource
	for _, r := range i.Resources {
		if r.Kind == kind && r.ID != "" {
			out = append(out, r)
		}
	}
	return out
}

// Members returns the ids of the parts that make up the group of that name at the top. For "" it returns the id of the
// deployment itself.
func (i *Inventory) Members(group string) ([]string, error) {
	if group == "" {
		return []string{i.ID}, nil
	}
	members, err := i.MemberResources(group)
	out := make([]string, 0, len(members))
	for _, r := range members {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return out, err
}

// MemberResources returns the members of the group of that name at the top, oldest first by the VIM's times.
// Change.Replace takes such members.
func (i *Inventory) MemberResources(group string) ([]Resource, error) {
	part := ""
	for _, r := range i.Resources {
		if i.AtTop(r) && r.Name == group {
			part = r.ID
		}
	}
	if part == "" {
		return nil, lcm.Errorf(lcm.KindInvalid, "The deployment has no resource %q: aspect_id must be the name "+
			"of a group of servers in the template.", group)
	}
	var out []Resource
	for _, r := range i.Resources {
		if r.Part == part && r.ID != "" {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Resource) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// In returns the resource of that name in that part.
func (i *Inventory) In(part, name string) (Resource, bool) {
	for _, r := range i.Resources {
		if r.Part == part && r.Name == name {
			return r, true
		}
	}
	return Resource{}, false
}
