package fake

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// balancedFile has what a machine before a cluster sends traffic to: a line "name address" for each API server.
const balancedFile = "/var/lib/windlass/balanced"

var (
	nodePortFront  = regexp.MustCompile(`(?m)^frontend node-port-(\d+)$`)
	nodePortServer = regexp.MustCompile(`(?m)^    server (\S+) (\S+):(\d+)$`)
)

// ExternalBalancer is a machine that stands before a cluster and is no node of it.
type ExternalBalancer struct {
	MachineID string `json:"machineId"`
	// Servers are the API servers behind it, "name address".
	Servers []string `json:"servers"`
	// NodePorts are the ports of Services that it serves, and NodePortServers the nodes behind all of them.
	NodePorts       []int    `json:"nodePorts,omitempty"`
	NodePortServers []string `json:"nodePortServers,omitempty"`
}

// ExternalBalancers are all that are before clusters, by machine.
func (d *Driver) ExternalBalancers() (all []ExternalBalancer) {
	for _, m := range d.allMachines() {
		servers := m.balanced()
		if len(servers) == 0 {
			continue
		}
		b := ExternalBalancer{MachineID: m.id, Servers: servers}
		conf, _ := m.ReadFile("/etc/haproxy/haproxy.cfg")
		for _, front := range nodePortFront.FindAllStringSubmatch(string(conf), -1) {
			port, _ := strconv.Atoi(front[1])
			b.NodePorts = append(b.NodePorts, port)
		}
		for _, s := range nodePortServer.FindAllStringSubmatch(string(conf), -1) {
			if server := s[1] + " " + strings.Trim(s[2], "[]"); s[3] != "6443" && !slices.Contains(b.NodePortServers, server) {
				b.NodePortServers = append(b.NodePortServers, server)
			}
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b ExternalBalancer) int { return strings.Compare(a.MachineID, b.MachineID) })
	return all
}

func (d *Driver) allMachines() (all []*Machine) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.machines {
		all = append(all, m)
	}
	return all
}

// balanced is what a machine before a cluster sends traffic to, nothing for any other machine.
func (m *Machine) balanced() []string {
	content, _ := m.ReadFile(balancedFile)
	return strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' })
}

// leadsTo tells whether a machine before a cluster leads to an API server; at an init m itself will be one.
func (d *Driver) leadsTo(balancer, m *Machine, initialising bool) bool {
	if !balancer.works() {
		return false
	}
	for _, server := range balancer.balanced() {
		_, address, _ := strings.Cut(server, " ")
		if initialising && m.hasAddress(address) {
			return true
		}
		if other := d.machineAt(address); other != nil && other.servesAPI() {
			return true
		}
	}
	return false
}

// balanceExternally lets a machine before a cluster have HAProxy's configuration.
func (d *Driver) balanceExternally(ctx context.Context, m *Machine, p Params) Result {
	if failed := p.lacks("haproxy"); failed != nil {
		return *failed
	}
	haproxy := p.Input("haproxy")
	if !p.Work(ctx) {
		return interrupted
	}
	m.WriteFile("/etc/haproxy/haproxy.cfg", []byte(haproxy), 0o644)
	var servers []string
	for _, server := range haproxyServer.FindAllStringSubmatch(haproxy, -1) {
		address := strings.Trim(server[2], "[]")
		servers = append(servers, server[1]+" "+address)
		p.Print("HAProxy sends to " + server[1] + " at " + address)
	}
	m.WriteFile(balancedFile, []byte(strings.Join(servers, "\n")), 0o644)
	if p.Get("SERVES") == "yes" && !d.leadsTo(m, m, false) {
		return p.Fail(1, "HAProxy reaches no API server; look at 'journalctl -u haproxy'")
	}
	return Result{}
}

// runBalancerScript remembers the nodes that a package's own script would have been given.
func (d *Driver) runBalancerScript(ctx context.Context, m *Machine, p Params) Result {
	if failed := p.lacks("script"); failed != nil {
		return *failed
	}
	if !p.Work(ctx) {
		return interrupted
	}
	var servers []string
	for address := range strings.SplitSeq(p.Get("CONTROL_PLANES"), ",") {
		servers = append(servers, address+" "+address)
	}
	m.WriteFile(balancedFile, []byte(strings.Join(servers, "\n")), 0o644)
	p.Print("the package's script got -m %s -w %s", p.Get("CONTROL_PLANES"), p.Get("WORKERS"))
	return Result{}
}
