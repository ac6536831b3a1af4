// Package machine is the lab's interface to the hypervisor that runs its servers: networks, machines with ports and
// volumes, floating IPs. Hypervisors keep the promises of Neutron, Nova and Cinder that a VNF relies on. Package
// machinetest checks these promises.
package machine

import (
	"context"
	"net/netip"
)

// Hypervisor runs the machines of one lab. All methods are idempotent and safe for concurrent use. Errors are
// *lcm.Error: NotFound for an object that was never made, Conflict for a call that the object's state forbids.
type Hypervisor interface {
	// EnsureNetwork makes a layer 2 segment. With a gateway, the hypervisor attaches the lab's only router to it, and the
	// host reaches its machines. No traffic is ever forwarded beyond the host.
	EnsureNetwork(ctx context.Context, n Network) error
	// DeleteNetwork refuses with Conflict while a machine has a port there.
	DeleteNetwork(ctx context.Context, id string) error

	// Create defines a machine and boots it.
	Create(ctx context.Context, m Machine) error
	Start(ctx context.Context, id string) error
	// Stop shuts the machine down as its power button would; Kill takes the power away.
	Stop(ctx context.Context, id string) error
	Kill(ctx context.Context, id string) error
	Reboot(ctx context.Context, id string, hard bool) error
	Freeze(ctx context.Context, id string) error
	Thaw(ctx context.Context, id string) error
	// Cut ends the SSH connections to the machine and returns their approximate number. Processes that were started over
	// a connection, and do not depend on it, continue.
	Cut(ctx context.Context, id string) (connections int, err error)
	// Delete removes the machine and its disk; volumes stay.
	Delete(ctx context.Context, id string) error
	State(ctx context.Context, id string) (State, error)
	Console(ctx context.Context, id string) (string, error)

	// UpdatePort changes the allowed addresses of a port; the hypervisor enforces them before it returns.
	UpdatePort(ctx context.Context, machineID string, p Port) error
	// Replug replaces a machine's ports, as Nova does when it attaches and detaches interfaces. Ports in both lists stay
	// unchanged. A running machine at once answers on the addresses of new ports.
	Replug(ctx context.Context, machineID string, ports []Port) error

	// AttachVolume makes the volume when it does not exist and returns its device, e.g. "/dev/vdb".
	AttachVolume(ctx context.Context, machineID string, v Volume) (device string, err error)
	DetachVolume(ctx context.Context, machineID, volumeID string) error
	// DeleteVolume refuses with Conflict while the volume is attached.
	DeleteVolume(ctx context.Context, volumeID string) error

	BindFloatingIP(ctx context.Context, f FloatingIP) error
	UnbindFloatingIP(ctx context.Context, id string) error

	// Recover takes over the machines that an earlier process of the same lab left running. Call it first.
	Recover(ctx context.Context) error
	// Close releases the machines without stopping them.
	Close() error
	// Down removes everything the hypervisor ever made on this host.
	Down(ctx context.Context) error
}

// Network is a layer 2 segment, with the subnets that the host uses to reach it: one of IPv4, one of IPv6, or both.
type Network struct {
	ID string `json:"id"`
	// CIDR is the zero value for a network without IPv4. Networks may share a CIDR, but only one of them may have a
	// gateway.
	CIDR netip.Prefix `json:"cidr"`
	// Gateway is the router's address in the network; with the zero value, the network has no router.
	Gateway netip.Addr `json:"gateway,omitzero"`
	// CIDR6 and Gateway6 are the same for IPv6.
	CIDR6    netip.Prefix `json:"cidr6,omitzero"`
	Gateway6 netip.Addr   `json:"gateway6,omitzero"`
}

// Machine is a server to boot.
type Machine struct {
	ID    string `json:"id"`
	Name  string `json:"name"` // used as the host name
	Image string `json:"image"`
	Ports []Port `json:"ports"` // eth0, eth1 ... in this order
	// UserData is a "#cloud-config" document or a "#!" script for the first boot.
	UserData []byte `json:"-"`
	// AuthorizedKeys and AdminPass are logins of User; an empty AdminPass locks the password.
	AuthorizedKeys []string `json:"authorizedKeys,omitempty"`
	AdminPass      string   `json:"-"`
}

// User is the login of every image, with passwordless sudo, as in Debian's cloud images.
const User = "debian"

// Port is a network interface. Its frames may only have its MAC and one of its addresses as source.
type Port struct {
	ID        string `json:"id"`
	NetworkID string `json:"networkId"`
	MAC       string `json:"mac"`
	// FixedIPs are its IPv4 addresses; a port on a network without a subnet has none.
	FixedIPs  []string `json:"fixedIps"`
	PrefixLen int      `json:"prefixLen"`
	// IPv6 are its IPv6 addresses with prefix lengths, e.g. "fd00::5/64".
	IPv6 []string `json:"ipv6,omitempty"`
	// Gateway and Gateway6 are the next hops of the default routes.
	Gateway  string `json:"gateway,omitempty"`
	Gateway6 string `json:"gateway6,omitempty"`
	// AllowedAddresses are Neutron's allowed_address_pairs: addresses or CIDRs.
	AllowedAddresses []string `json:"allowedAddresses,omitempty"`
}

// Volume is a block device that outlives machines.
type Volume struct {
	ID     string `json:"id"`
	SizeGB int    `json:"sizeGb"`
}

// FloatingIP is an address of the router that the router translates to a machine's fixed address.
type FloatingIP struct {
	ID        string `json:"id"`
	Address   string `json:"address"`
	FixedIP   string `json:"fixedIp"`
	NetworkID string `json:"networkId"` // of the fixed address
}

// State of a machine.
type State string

// The states. An absent machine was never created or is deleted.
const (
	Running State = "RUNNING"
	Stopped State = "STOPPED"
	Frozen  State = "FROZEN"
	Absent  State = "ABSENT"
)
