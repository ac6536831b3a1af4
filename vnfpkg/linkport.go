package vnfpkg

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// portKey is what templates take the port by that a request has given to a connection point: {get_param: [nfv, CP, VDU1_CP1, port]}.
const portKey = "port"

// TakesPort tells of the connection points whose port the templates take from the parameter nfv: by its name, or with all that nfv
// has of the connection point.
func (t Template) TakesPort(f *Flavour) (map[string]bool, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, use := range parsed.nfvUses() {
		if use.path[0] == "CP" && (len(use.path) == 2 || use.path[2] == portKey) {
			out[use.path[1]] = true
		}
	}
	return out, nil
}

// NeedsPort tells whether the templates take a port of the connection point by its name, so that they cannot do without.
func (t Template) NeedsPort(f *Flavour, cpd string) (bool, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(parsed.nfvUses(), func(use nfvUse) bool {
		return use.path[0] == "CP" && use.path[1] == cpd && len(use.path) > 2 && use.path[2] == portKey
	}), nil
}

// PortsProblems are the ports that a request gives, and that the flavour's templates, with so many VMs of each VDU, cannot have. t is the
// template as the package has it, before Apart.
func (t Template) PortsProblems(f *Flavour, links []lcm.ExtVirtualLink, capacity map[string]int) ([]lcm.Problem, error) {
	takes, err := t.TakesPort(f)
	if err != nil {
		return nil, err
	}
	return portsProblems(f, links, capacity, func(cpd string, _ lcm.LinkPort) string {
		if takes[cpd] {
			return ""
		}
		return fmt.Sprintf("the Base HOT makes the port itself and does not take one from a parameter (nfv, CP, %s, port)", cpd)
	}), nil
}

// MadePortsProblems are the ports that a request gives, and that a user data class has not handed to the stack.
func MadePortsProblems(f *Flavour, links []lcm.ExtVirtualLink, capacity map[string]int, params map[string]any) []lcm.Problem {
	return portsProblems(f, links, capacity, func(cpd string, port lcm.LinkPort) string {
		if holds(params, port.ResourceID) {
			return ""
		}
		return fmt.Sprintf("the user data class does not hand the port on to the stack (nfv, CP, %s, port)", cpd)
	})
}

func portsProblems(f *Flavour, links []lcm.ExtVirtualLink, capacity map[string]int, untaken func(string, lcm.LinkPort) string) (out []lcm.Problem) {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if cp.LinkPort == nil {
				continue
			}
			add := func(detail string) {
				out = append(out, lcm.Problem{Path: LinksPath, Detail: fmt.Sprintf("the connection point %s cannot have the port %s of linkPortId %q: %s",
					cp.CpdID, cp.LinkPort.ResourceID, cp.LinkPort.ID, detail)})
			}
			if detail := untaken(cp.CpdID, *cp.LinkPort); detail != "" {
				add(detail + ". Leave linkPortId out, or use a package whose server takes the port")
			}
			if known, ok := f.Cp(cp.CpdID); ok && capacity[known.VduID] > 1 {
				add(fmt.Sprintf("there are %d VMs of %s, and a port is in one server", capacity[known.VduID], known.VduID))
			}
		}
	}
	return out
}

// holds tells whether a value is, or has somewhere in it, that text.
func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return v == text
	case map[string]any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return holds(item, text) })
	}
	return false
}

// handPorts puts given ports where a user data class has left a template's place for them empty: classes of Tacker's know networks and
// addresses only.
func (b *nfvBuilder) handPorts(uses []nfvUse) {
	for _, use := range uses {
		if use.path[0] != "CP" || len(use.path) != 3 || use.path[2] != portKey {
			continue
		}
		entry := child(child(b.nfv, "CP"), use.path[1])
		if port, ok := b.cp(b.req.described(b.flavour, "CP", use.path[1]), portKey); ok && entry[portKey] == nil {
			entry[portKey] = port
		}
	}
}
