package scripts

import "strings"

// CheckNode is the preflight: it changes nothing and reports every obstacle as a result "problem" (base64), and what
// its clock says as "clock", in seconds since 1970. A node that already is a member of its cluster passes.
type CheckNode struct {
	Node, Address string
	Ports         []string // that must be free on a node that is not a member
	Packages      []string // commands of the same names that must be there or installable
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

// PrepareNode gives a node its name, its neighbours' names, kernel settings, the proxy and the packages.
// Inputs: http_proxy, https_proxy (URLs, may hold a password), apt_key (armored); all optional.
type PrepareNode struct {
	Node     string
	Hosts    []string // "address name", the order is kept
	NoProxy  string
	Packages []string
	Hold     []string // of Packages: those that are pinned and held
	Version  string   // of the held ones; "" takes the newest
	// Source is the line of sources.list without "deb" and options, "" when the request brings none.
	Source  string
	Trusted bool
	LockFor int // seconds to wait for cloud-init and for dpkg's lock
}

// Name implements Script.
func (PrepareNode) Name() string { return "prepare-node" }

// Render implements Script.
func (s PrepareNode) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), required("HOSTS", strings.Join(s.Hosts, ",")), optional("NO_PROXY_LIST", s.NoProxy),
		optional("PACKAGES", strings.Join(s.Packages, " ")), optional("HOLD", strings.Join(s.Hold, " ")),
		optional("VERSION", s.Version), optional("SOURCE", s.Source), flag("TRUSTED", s.Trusted),
		number("LOCK_FOR", s.LockFor),
	}, hostsLibrary, aptLibrary)
}

// FindInterface finds the interface that has an address: results "interface" and "prefix".
type FindInterface struct{ Address string }

// Name implements Script.
func (FindInterface) Name() string { return "find-interface" }

// Render implements Script.
func (s FindInterface) Render() (string, error) {
	return render(s.Name(), []param{required("ADDRESS", s.Address)})
}
