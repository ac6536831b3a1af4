package lcm

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// nfvPorts are the ports that additionalParams name for connection points (nfv.CP.<cp>.port), by the names of the
// entries. Tacker's user data classes lay nfv over all else that they make of a request, so its clients leave a dummy
// in extLinkPorts.
func nfvPorts(additionalParams json.RawMessage) map[string]string {
	var of struct {
		Nfv struct {
			CP map[string]json.RawMessage `json:"CP"`
		} `json:"nfv"`
	}
	if json.Unmarshal(additionalParams, &of) != nil { // told where it is checked
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

// WithNfvPorts are links on which connection points have the ports that additionalParams name: in nfv.CP.<cp>.port and,
// where each VNFC is a resource of its own (apart), in nfv.CP.<cp>-<n>.port for the VNFC of that number.
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

// memberCp is the name that the entry of nfv for a connection point of one VNFC has.
func memberCp(cpd string, n int) string { return cpd + "-" + strconv.Itoa(n) }

// memberOf reads the number of a VNFC from the name of such an entry; false when it is none of that connection point.
func memberOf(cpd, name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, cpd+"-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && memberCp(cpd, n) == name
}

// membersIn are the numbers of the VNFCs that ports are named for, in ascending order.
func membersIn(ports map[string]string, cpd string) (numbers []int) {
	for name := range maps.Keys(ports) {
		if n, ok := memberOf(cpd, name); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// withPort is the connection point with another port for the VNFC of that number.
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

// as is the port under the same id of the request; one that the request does not describe has the VIM's.
func (p *LinkPort) as(port string) *LinkPort {
	if p == nil {
		return &LinkPort{ID: port, ResourceID: port}
	}
	return &LinkPort{ID: p.ID, ResourceID: port}
}

// GivenPorts are the ports that the connection point is given, in the order of the entries.
func (cp ExtCp) GivenPorts() (ports []LinkPort) {
	for _, c := range cp.entries() {
		if c.LinkPort != nil {
			ports = append(ports, *c.LinkPort)
		}
	}
	return ports
}

// PortEntries are the entries with a port.
func (cp ExtCp) PortEntries() []CpConfig {
	return slices.DeleteFunc(slices.Clone(cp.entries()), func(c CpConfig) bool { return c.LinkPort == nil })
}

// PortOf is the port that the connection point of the VNFC of that number is given; nil when there is none for it.
func (cp ExtCp) PortOf(n int) *LinkPort {
	if at := cp.portEntry(n); at >= 0 {
		return cp.entries()[at].LinkPort
	}
	return nil
}

// portEntry is the entry whose port the VNFC of that number gets, -1 for none: the one that is named after it
// (<cp>-<n>), else the next of the others that have a port, in their order.
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
