package scripts

import "strings"

// CheckNode is the preflight. It changes nothing. It reports every obstacle as a result "problem" (base64), and the
// node's time as "clock", in seconds since 1970. A node that already is a member of its cluster passes.
type CheckNode struct {
	Node, Address string
	Ports         []string // that must be free on a node that is not a member
	Packages      []string // commands that must exist, or be installable as packages of these names
	Repository    bool     // the request brings an apt repository
	MinCPUs       int
	MinMemoryMiB  int
	MinDiskMiB    int
	Ignore        []string
}

// Name implements Script.
func (CheckNode) Name() string { return "check-node" }

// Render implements Script.
func (s CheckNode) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), required("ADDRESS", s.Address), optional("PORTS", strings.Join(s.Ports, " ")),
		optional("PACKAGES", strings.Join(s.Packages, " ")), flag("REPOSITORY", s.Repository),
		number("MIN_CPUS", s.MinCPUs), number("MIN_MEMORY_MIB", s.MinMemoryMiB), number("MIN_DISK_MIB", s.MinDiskMiB),
		optional("IGNORE", strings.Join(s.Ignore, ",")),
	})
}

// PrepareNode sets a node's name, its neighbours' names, kernel settings, the proxy and the packages. Inputs:
// http_proxy, https_proxy (URLs, may hold a password), apt_key (armored); all optional.
type PrepareNode struct {
	Node     string
	Hosts    []string // "address name", the order is kept
	NoProxy  string
	Packages []string
	Hold     []string // the Packages to pin and hold
	Version  string   // of the held ones; "" takes the newest
	// Source is the line of sources.list without "deb" and options, "" when the request brings none.
	Source  string
	Trusted bool
	LockFor int  // seconds to wait for cloud-init and for dpkg's lock
	IPv6    bool // the node forwards IPv6: its pods have IPv6 addresses
}

// Name implements Script.
func (PrepareNode) Name() string { return "prepare-node" }

// Render implements Script.
func (s PrepareNode) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), required("HOSTS", strings.Join(s.Hosts, ",")), optional("NO_PROXY_LIST", s.NoProxy),
		optional("PACKAGES", strings.Join(s.Packages, " ")), optional("HOLD", strings.Join(s.Hold, " ")),
		optional("VERSION", s.Version), optional("SOURCE", s.Source), flag("TRUSTED", s.Trusted),
		number("LOCK_FOR", s.LockFor), flag("IPV6", s.IPv6),
	}, hostsLibrary, aptLibrary)
}

// FindInterface finds the interface with an address: results "interface" and "prefix".
type FindInterface struct{ Address string }

// Name implements Script.
func (FindInterface) Name() string { return "find-interface" }

// Render implements Script.
func (s FindInterface) Render() (string, error) {
	return render(s.Name(), []param{required("ADDRESS", s.Address)})
}
