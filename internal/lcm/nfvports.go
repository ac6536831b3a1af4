package lcm

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// nfvPorts returns the ports that additionalParams name for connection points (nfv.CP.<cp>.port), by the names of the
// entries. In Tacker's user data classes, nfv overrides everything else, so Tacker's clients leave a dummy in
// extLinkPorts.
func nfvPorts(additionalParams json.RawMessage) map[string]string {
	var of struct {
		Nfv struct {
			CP map[string]json.RawMessage `json:"CP"`
		} `json:"nfv"`
	}
	if json.Unmarshal(additionalParams, &of) != nil { // the check of the parameters reports it
		return nil
	}
	ports := map[string]string{}
	for name, entry := range of.Nfv.CP {
		var cp struct {
			Port any `json:"port"`
		}
		if err := json.Unmarshal(entry, &cp); err != nil {
			continue
		}
		if port, ok := cp.Port.(string); ok && port != "" {
			ports[name] = port
		}
	}
	return ports
}

// WithNfvPorts returns the links with the ports that additionalParams name for connection points, in nfv.CP.<cp>.port.
// Where each VNFC is a resource of its own (apart), nfv.CP.<cp>-<n>.port names the port of VNFC number n.
func WithNfvPorts(links []ExtVirtualLink, additionalParams json.RawMessage, apart bool) []ExtVirtualLink {
	ports := nfvPorts(additionalParams)
	if len(ports) == 0 {
		return links
	}
	links = slices.Clone(links)
	for i := range links {
		links[i].ExtCps = slices.Clone(links[i].ExtCps)
		for k, cp := range links[i].ExtCps {
			if port, ok := ports[cp.CpdID]; ok {
				cp = cp.withPort(0, port)
			}
			for _, n := range membersIn(ports, cp.CpdID) {
				if name := memberCp(cp.CpdID, n); apart && !connects(links, name) {
					cp = cp.withPort(n, ports[name])
				}
			}
			links[i].ExtCps[k] = cp
		}
	}
	return links
}

// memberCp is the name of nfv's entry for a connection point of one VNFC.
func memberCp(cpd string, n int) string { return cpd + "-" + strconv.Itoa(n) }

// memberOf reads the number of a VNFC from the name of such an entry. It is false for an entry of another connection
// point.
func memberOf(cpd, name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, cpd+"-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && memberCp(cpd, n) == name
}

// membersIn returns the numbers of the VNFCs with a named port, in ascending order.
func membersIn(ports map[string]string, cpd string) (numbers []int) {
	for name := range maps.Keys(ports) {
		if n, ok := memberOf(cpd, name); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// withPort returns the connection point with another port for VNFC number n.
func (cp ExtCp) withPort(n int, port string) ExtCp {
	if len(cp.Configs) == 0 && n == 0 { // it has no keys, and gets none
		cp.LinkPort = cp.LinkPort.as(port)
		return cp
	}
	cp.Configs = slices.Clone(cp.entries())
	at := cp.portEntry(n)
	if at < 0 && n == 0 && len(cp.GivenPorts()) == 0 {
		at = 0
	}
	if at < 0 {
		at = len(cp.Configs)
		cp.Configs = append(cp.Configs, CpConfig{Key: memberCp(cp.CpdID, n)})
	}
	cp.Configs[at].LinkPort = cp.Configs[at].LinkPort.as(port)
	return cp.settled()
}

// as returns the request's port with that id. A port that the request does not describe gets the VIM's id.
func (p *LinkPort) as(port string) *LinkPort {
	if p == nil {
		return &LinkPort{ID: port, ResourceID: port}
	}
	return &LinkPort{ID: p.ID, ResourceID: port}
}

// GivenPorts returns the given ports of the connection point, in the order of the entries.
func (cp ExtCp) GivenPorts() (ports []LinkPort) {
	for _, c := range cp.entries() {
		if c.LinkPort != nil {
			ports = append(ports, *c.LinkPort)
		}
	}
	return ports
}

// PortEntries returns the entries with a port.
func (cp ExtCp) PortEntries() []CpConfig {
	return slices.DeleteFunc(slices.Clone(cp.entries()), func(c CpConfig) bool { return c.LinkPort == nil })
}

// PortOf returns the given port of VNFC number n for the connection point, nil when there is none.
func (cp ExtCp) PortOf(n int) *LinkPort {
	if at := cp.portEntry(n); at >= 0 {
		return cp.entries()[at].LinkPort
	}
	return nil
}

// portEntry returns the index of the entry whose port VNFC number n gets, -1 for none. It is the entry named after the
// VNFC (<cp>-<n>). Otherwise the VNFCs get the other entries with a port in order.
func (cp ExtCp) portEntry(n int) int {
	entries, named := cp.entries(), map[int]int{}
	for i, c := range entries {
		if member, ok := memberOf(cp.CpdID, c.Key); ok && c.LinkPort != nil {
			named[member] = i
		}
	}
	if at, ok := named[n]; ok {
		return at
	}
	next := 0
	for i, c := range entries {
		if _, ok := memberOf(cp.CpdID, c.Key); ok || c.LinkPort == nil {
			continue
		}
		for ; ; next++ {
			if _, taken := named[next]; !taken {
				break
			}
		}
		if next == n {
			return i
		}
		next++
	}
	return -1
}
