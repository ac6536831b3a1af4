package scripts

import "net/netip"

// haproxyLibrary runs HAProxy.
const haproxyLibrary = "lib-haproxy"

// Backend is one API server behind HAProxy.
type Backend struct{ Name, Address string }

// ServedPort is a node port that a load balancer serves, under the same number or another one.
type ServedPort struct{ Port, NodePort int }

// HAProxyConf is /etc/haproxy/haproxy.cfg of a control plane.
type HAProxyConf struct {
	Port     int // frontend of the API servers
	EtcdPort int // frontend of etcd's client port, 0: none
	Backends []Backend
	// NodePorts are the node ports, and the ports that serve them.
	NodePorts []ServedPort
	Nodes     []Backend
	// Backup makes every API server except the first one a spare.
	Backup bool
}

// Render gives the file.
func (c HAProxyConf) Render() (string, error) { return config("haproxy.cfg", c) }

// IPv6 reports whether the API servers have IPv6 addresses.
func (c HAProxyConf) IPv6() bool {
	addr, err := netip.ParseAddr(c.Backends[0].Address)
	return err == nil && addr.Is6()
}

// KeepalivedConf is /etc/keepalived/keepalived.conf of a control plane.
type KeepalivedConf struct {
	Node            string
	Master          bool // starts as MASTER; there is one
	Stays           bool // the holder of the address keeps it, whatever the priorities
	Priority        int
	VirtualRouterID int
	Interface       string
	Prefix          string // length of the network's prefix
	Address         string
	Peers           []string // addresses of the other control planes: OpenStack networks may drop multicast
	VirtualIP       string
	Password        string // at most eight characters count
	Port            int    // HAProxy's, for the check
}

// Render gives the file.
func (c KeepalivedConf) Render() (string, error) { return config("keepalived.conf", c) }

// IPv6 reports whether the virtual IP is an IPv6 address; VRRP version 3, which IPv6 needs, has no passwords.
func (c KeepalivedConf) IPv6() bool {
	addr, err := netip.ParseAddr(c.VirtualIP)
	return err == nil && addr.Is6()
}

// ConfigureLoadBalancer puts both files in place and waits until both services run. HAProxy's file is
// checked by HAProxy before it replaces a working one. Inputs: haproxy, keepalived.
type ConfigureLoadBalancer struct {
	Node string
	Port int
	// Timeout is how long, in seconds, the services may take to start.
	Timeout int
	// Serves requires an API server that answers behind HAProxy, too: the cluster is in use already.
	Serves bool
}

// Name implements Script.
func (ConfigureLoadBalancer) Name() string { return "configure-load-balancer" }

// Render implements Script.
func (s ConfigureLoadBalancer) Render() (string, error) {
	return render(s.Name(), []param{
		required("NODE_NAME", s.Node), number("PORT", s.Port), number("TIMEOUT", s.Timeout),
		flag("SERVES", s.Serves),
	}, haproxyLibrary)
}

// FindVirtualIP tells whether a node holds the virtual IP and whether HAProxy answers on it from there:
// results "held" and "answers" (yes or no). It waits a moment for either.
type FindVirtualIP struct {
	VirtualIP string
	Port      int
	Timeout   int
}

// Name implements Script.
func (FindVirtualIP) Name() string { return "find-virtual-ip" }

// Render implements Script.
func (s FindVirtualIP) Render() (string, error) {
	return render(s.Name(), []param{
		required("VIRTUAL_IP", s.VirtualIP), number("PORT", s.Port),
		number("TIMEOUT", s.Timeout),
	})
}
