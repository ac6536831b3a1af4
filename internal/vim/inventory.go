package vim

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Kind is what a resource is, whatever the VIM calls it.
type Kind string

// The kinds. A resource of no kind is one that only its VIM knows, such as a part of a deployment.
const (
	Compute    Kind = "COMPUTE"
	Storage    Kind = "STORAGE"
	LinkPort   Kind = "LINKPORT"
	Network    Kind = "NETWORK"
	PublicAddr Kind = "PUBLIC_ADDRESS" // an address from outside that leads to a link port
	Group      Kind = "GROUP"          // of parts that are alike, as many as the VNF has been scaled to
)

// Level is the level of life of a deployment, a resource or a server, whatever the VIM calls it.
type Level string

// The levels. "" is that of what is not there, or of which nothing is known.
const (
	Running  Level = "RUNNING"  // as it is to be
	Changing Level = "CHANGING" // the VIM makes, changes or removes it
	Stopped  Level = "STOPPED"  // switched off
	Paused   Level = "PAUSED"   // it does not run, and will not by itself
	Failed   Level = "FAILED"
	Removed  Level = "REMOVED" // it is gone, or goes
)

// Resource is one resource of a VNF.
type Resource struct {
	Kind Kind
	// Name is the one that the VNF's package has for it.
	Name string
	// ID is the VIM's, "" while there is none.
	ID string
	// VimType is the VIM's word for what it is, e.g. OS::Nova::Server (vimLevelResourceType).
	VimType string
	// Part is the part of the deployment that holds the resource, by its id: the deployment's own where the resource is at
	// its top. PartName is the part's name.
	Part, PartName string
	// Member is the name of the group's member that the part is, "" at the top.
	Member string
	// On is the part of a VNF on several VIMs that has the resource, as package hybrid names it; "" on one VIM.
	On    string
	Level Level
	// Status is the VIM's word for the level, and Reason its sentence.
	Status, Reason string
	Created        time.Time
}

// Unhealthy tells that the resource has failed or was marked so: the next change of the deployment replaces it.
func (r Resource) Unhealthy() bool { return r.Level == Failed }

// Inventory is everything that the deployment of a VNF consists of.
type Inventory struct {
	ID        string
	Level     Level  // the deployment's
	Status    string // the VIM's word for the level
	Resources []Resource
	Servers   map[string]Server // by id
	Ports     map[string]Port   // by id
	// PublicAddrs are the deployment's own, by id.
	PublicAddrs map[string]PublicAddress
	// Parts are what is on each VIM of a VNF on several, by name; none on one VIM.
	Parts map[string]*Inventory
}

// Part is what is on the VIM of that name, all of it for a VNF on one VIM. It is nil where there is nothing.
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
	// VolumeType is the VIM's word for what its volumes are.
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
	Address    string // the first of them of IPv4, else the first of them
	FloatingIP string // "" when none
	VimType    string // the VIM's word for what it is
}

// PublicAddress leads to a port.
type PublicAddress struct {
	Address string
	PortID  string
}

// OfKind are the resources of a kind that exist, in whatever part they are.
func (i *Inventory) OfKind(kind Kind) []Resource {
	var out []Resource
	for _, r := range i.Resources {
		if r.Kind == kind && r.ID != "" {
			out = append(out, r)
		}
	}
	return out
}

// Members are the parts that the group of that name at the top consists of, by id. For "" it is the deployment itself.
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

// MemberResources are the members of the group of that name at the top, oldest first, as far as the VIM's times tell.
// Each is one that Change.Replace takes.
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

// In is the resource of that name in that part.
func (i *Inventory) In(part, name string) (Resource, bool) {
	for _, r := range i.Resources {
		if r.Part == part && r.Name == name {
			return r, true
		}
	}
	return Resource{}, false
}
