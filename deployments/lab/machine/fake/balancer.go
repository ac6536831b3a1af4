package fake

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// balancedFile lists the API servers behind an external balancer, a line "name address" for each.
const balancedFile = "/var/lib/windlass/balanced"

var (
	nodePortFront  = regexp.MustCompile(`(?m)^frontend node-port-(\d+)$`)
	nodePortServer = regexp.MustCompile(`(?m)^    server (\S+) (\S+):(\d+)$`)
)

// ExternalBalancer is a machine that balances a cluster's traffic and is not a node of the cluster.
type ExternalBalancer struct {
	MachineID string `json:"machineId"`
	// Servers are the API servers behind it, "name address".
	Servers []string `json:"servers"`
	// NodePorts are the Service ports that it serves; NodePortServers are the nodes behind all of them.
	NodePorts       []int    `json:"nodePorts,omitempty"`
	NodePortServers []string `json:"nodePortServers,omitempty"`
}

// ExternalBalancers returns all external balancers, by machine.
func (h *Hypervisor) ExternalBalancers() (all []ExternalBalancer) {
	for _, m := range h.allMachines() {
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
	all = append(all, h.inCloud()...)
	slices.SortFunc(all, func(a, b ExternalBalancer) int { return strings.Compare(a.MachineID, b.MachineID) })
	return all
}

func (h *Hypervisor) allMachines() (all []*Machine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.machines {
		all = append(all, m)
	}
	return all
}

// balanced returns the API servers behind an external balancer, nothing for any other machine.
func (m *Machine) balanced() []string {
	content, _ := m.ReadFile(balancedFile)
	return strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' })
}

// leadsTo reports whether an external balancer leads to an API server. During an init, m itself counts as that server.
func (h *Hypervisor) leadsTo(balancer, m *Machine, initialising bool) bool {
	if !balancer.works() {
		return false
	}
	for _, server := range balancer.balanced() {
		_, address, _ := strings.Cut(server, " ")
		if initialising && m.hasAddress(address) {
			return true
		}
		if other := h.machineAt(address); other != nil && other.servesAPI() {
			return true
		}
	}
	return false
}

// The parts of HAProxy's configuration on an external balancer: the cluster's part, and a file of ports for each
// exposed VNF.
const (
	balancerPart  = "/var/lib/windlass/balancer/haproxy.cfg"
	balancerNodes = "/var/lib/windlass/balancer/nodes"
	balancerPort  = "/var/lib/windlass/balancer/port"
	exposedDir    = "/var/lib/windlass/balancer/exposed/"
)

// balanceExternally acts out the script that writes HAProxy's configuration on an external balancer.
func (h *Hypervisor) balanceExternally(ctx context.Context, m *Machine, p ScriptParams) Result {
	wanted := []string{"haproxy", "nodes"}
	if p.Get("SHARED") == "yes" {
		wanted = append(wanted, "keepalived")
	}
	if failed := p.lacks(wanted...); failed != nil {
		return *failed
	}
	if !p.Work(ctx) {
		return interrupted
	}
	if _, ours := m.ReadFile(balancerPart); !ours {
		for line := range strings.Lines(p.Input("exposed")) {
			owner, ports, _ := strings.Cut(strings.TrimSpace(line), " ")
			m.WriteFile(exposedDir+owner, []byte(ports+"\n"), 0o644)
		}
	}
	m.WriteFile(balancerPart, []byte(p.Input("haproxy")), 0o644)
	m.WriteFile(balancerNodes, []byte(p.Input("nodes")), 0o644)
	m.WriteFile(balancerPort, []byte(p.Get("PORT")+"\n"), 0o644)
	m.composeHAProxy()
	for _, file := range m.files.below(exposedDir) {
		p.Result("exposed", strings.TrimPrefix(file, exposedDir))
	}
	var servers []string
	for _, server := range haproxyServer.FindAllStringSubmatch(p.Input("haproxy"), -1) {
		address := strings.Trim(server[2], "[]")
		servers = append(servers, server[1]+" "+address)
		p.Print("HAProxy sends kubernetes-api to %s at %s:6443", server[1], address)
	}
	m.WriteFile(balancedFile, []byte(strings.Join(servers, "\n")), 0o644)
	if p.Get("SERVES") == "yes" && !h.leadsTo(m, m, false) {
		return p.Fail(1, "HAProxy reaches no API server; look at 'journalctl -u haproxy'")
	}
	if p.Get("SHARED") == "yes" {
		result := h.configureLoadBalancer(ctx, m, p)
		m.composeHAProxy() // which has written only the cluster's part
		return result
	}
	return Result{}
}

// composeHAProxy joins the parts to the whole configuration.
func (m *Machine) composeHAProxy() {
	part, _ := m.ReadFile(balancerPart)
	nodes, _ := m.ReadFile(balancerNodes)
	var ports []int
	for _, file := range m.files.below(exposedDir) {
		content, _ := m.ReadFile(file)
		for word := range strings.FieldsSeq(string(content)) {
			port, _ := strconv.Atoi(word)
			ports = append(ports, port)
		}
	}
	slices.Sort(ports)
	var b strings.Builder
	b.Write(part)
	for _, port := range slices.Compact(ports) {
		if strings.Contains(string(part), fmt.Sprintf("    bind *:%d\n", port)) {
			continue
		}
		fmt.Fprintf(&b, "\nfrontend node-port-%d\n    bind *:%d\n\nbackend node-port-%d\n", port, port, port)
		for line := range strings.Lines(string(nodes)) {
			name, address, _ := strings.Cut(strings.TrimSpace(line), " ")
			fmt.Fprintf(&b, "    server %s %s:%d\n", name, address, port)
		}
	}
	m.WriteFile("/etc/haproxy/haproxy.cfg", []byte(b.String()), 0o644)
}

// exposeServices makes an external balancer serve ports of a VNF in the cluster.
func (h *Hypervisor) exposeServices(ctx context.Context, m *Machine, p ScriptParams) Result {
	if _, ours := m.ReadFile(balancerPart); !ours {
		p.Result("ours", "no")
		return Result{}
	}
	p.Result("ours", "yes")
	own, _ := m.ReadFile(balancerPort)
	for port := range strings.FieldsSeq(p.Get("PORTS")) {
		if port == strings.TrimSpace(string(own)) || port == "22" {
			return p.Fail(78, "the port %s of a Service is the load balancer's own; give the Service another nodePort", port)
		}
	}
	if !p.Work(ctx) {
		return interrupted
	}
	if file := exposedDir + p.Get("OWNER"); p.Get("PORTS") == "" {
		m.files.remove(file)
	} else {
		m.WriteFile(file, []byte(p.Get("PORTS")+"\n"), 0o644)
	}
	m.composeHAProxy()
	return Result{}
}

// runExposureScript prints the arguments that a package's own script would get.
func (h *Hypervisor) runExposureScript(ctx context.Context, _ *Machine, p ScriptParams) Result {
	if failed := p.lacks("script"); failed != nil {
		return *failed
	}
	if !p.Work(ctx) {
		return interrupted
	}
	p.Print("the package's script got -i %s -a %s", p.Get("SERVICES"), p.Get("ADD"))
	return Result{}
}

// runBalancerScript records the nodes that a package's own script would get.
func (h *Hypervisor) runBalancerScript(_ context.Context, m *Machine, p ScriptParams) Result {
	var servers []string
	for address := range strings.SplitSeq(p.Get("CONTROL_PLANES"), ",") {
		servers = append(servers, address+" "+address)
	}
	m.WriteFile(balancedFile, []byte(strings.Join(servers, "\n")), 0o644)
	p.Print("the package's script got -m %s -w %s", p.Get("CONTROL_PLANES"), p.Get("WORKERS"))
	return Result{}
}
