package vnfpkg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// portKey is what templates take the port by that a request has given to a connection point: {get_param: [nfv, CP,
// VDU1_CP1, port]}.
const portKey = "port"

// TakesPort tells of the connection points whose port the templates take from the parameter nfv: by its name, or with
// all that nfv has of the connection point.
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

// NeedsPort tells whether the templates take a port of the connection point by its name, so that they cannot do
// without.
func (t Template) NeedsPort(f *Flavour, cpd string) (bool, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(parsed.nfvUses(), func(use nfvUse) bool {
		return use.path[0] == "CP" && use.path[1] == cpd && len(use.path) > 2 && use.path[2] == portKey
	}), nil
}

// PortsProblems are the ports that a request gives, and that the flavour's templates, with so many VMs of each VDU,
// cannot have. t is the template as the package has it, before Separate; members are its VNFCs where Separate makes
// each a resource of its own.
func (t Template) PortsProblems(
	f *Flavour, links []lcm.ExtVirtualLink, capacity map[string]int, members Members,
) ([]lcm.Problem, error) {
	takes, err := t.TakesPort(f)
	if err != nil {
		return nil, err
	}
	return portsProblems(links, func(cp lcm.ExtCp, add func(string)) {
		if !takes[cp.CpdID] {
			add(fmt.Sprintf("the Base HOT makes the port itself and does not take one from a parameter (nfv, CP, %s, port). %s",
				cp.CpdID, otherPackage))
		}
		if members == nil {
			alike(f, cp, capacity, add)
		} else {
			apartPorts(f, cp, members, add)
		}
	}), nil
}

// otherPackage says what to do about a package that takes no port.
const otherPackage = "Leave linkPortId out, or use a package whose server takes the port"

// alike looks at the port of a VDU whose VMs have one description for all of them.
func alike(f *Flavour, cp lcm.ExtCp, capacity map[string]int, add func(string)) {
	known, ok := f.Cp(cp.CpdID)
	if !ok {
		return // no template takes its port, which is told
	}
	switch n := capacity[known.VduID]; {
	case n > 1:
		add(fmt.Sprintf("there are %d VMs of %s, and a port is in one server. Each VM can have a port of its own with the "+
			"user data class %s",
			n, known.VduID, lcm.StandardUserData))
	case len(cp.GivenPorts()) > 1:
		add(fmt.Sprintf("more than one entry of cpConfig has a port, and one VM of %s is all that can have one. Leave the "+
			"other entries out, or use the user data class %s",
			known.VduID, lcm.StandardUserData))
	}
}

// apartPorts wants a port for each VNFC. Those that are left over wait for a scaling out: a request to instantiate
// may bring those of a VNF that is fully scaled out.
func apartPorts(f *Flavour, cp lcm.ExtCp, members Members, add func(string)) {
	if detail := LackedPorts(f, cp, members); detail != "" {
		add(detail)
	}
}

// LackedPorts tells for which VNFCs a connection point that is given ports has none, "" when each has one.
func LackedPorts(f *Flavour, cp lcm.ExtCp, members Members) string {
	known, ok := f.Cp(cp.CpdID)
	if !ok {
		return ""
	}
	var without []string
	for _, n := range members[known.VduID] {
		if len(cp.GivenPorts()) > 0 && cp.PortOf(n) == nil {
			without = append(without, MemberName(known.VduID, n))
		}
	}
	if len(without) == 0 {
		return ""
	}
	return fmt.Sprintf("there are %d VMs of %s and %d ports of %s, and each VM needs one of its own. There is none for "+
		"%s: add an entry with a linkPortId to cpConfig, or name the port in additionalParams (nfv, CP, %s, port)",
		len(members[known.VduID]), known.VduID, len(cp.GivenPorts()), cp.CpdID, strings.Join(without, ", "),
		MemberName(cp.CpdID, members[known.VduID][len(members[known.VduID])-1]))
}

// MadePortsProblems are the ports that a request gives, and that a user data class has not handed to the stack. A class
// may make each VM of a VDU apart; then there may be as many ports as VMs, and more, which wait for a scaling out.
func MadePortsProblems(
	f *Flavour, links []lcm.ExtVirtualLink, capacity map[string]int, params map[string]any,
) []lcm.Problem {
	return portsProblems(links, func(cp lcm.ExtCp, add func(string)) {
		known, ok := f.Cp(cp.CpdID)
		need, held := 1, 0
		if ok {
			need = max(capacity[known.VduID], 1)
		}
		for _, port := range cp.GivenPorts() {
			if holds(params, port.ResourceID) {
				held++
			}
		}
		switch given := len(cp.GivenPorts()); {
		case held < min(need, given):
			add(fmt.Sprintf("the user data class does not hand the port on to the stack (nfv, CP, %s, port). %s", cp.CpdID,
				otherPackage))
		case ok && need > given:
			add(fmt.Sprintf("there are %d VMs of %s, and a port is in one server", need, known.VduID))
		}
	})
}

// portsProblems are what look finds wrong with the connection points that are given ports.
func portsProblems(links []lcm.ExtVirtualLink, look func(cp lcm.ExtCp, add func(string))) (out []lcm.Problem) {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			ports := cp.GivenPorts()
			if len(ports) == 0 {
				continue
			}
			look(cp, func(detail string) {
				out = append(out, lcm.Problem{
					Path: LinksPath,
					Detail: fmt.Sprintf("the connection point %s cannot have the port %s of linkPortId %q: %s",
						cp.CpdID, ports[0].ResourceID, ports[0].ID, detail),
				})
			})
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

// handPorts puts given ports where a user data class has left a template's place for them empty: classes of Tacker's
// know networks and addresses only.
func (b *nfvBuilder) handPorts(uses []nfvUse) {
	for _, use := range uses {
		if use.path[0] != "CP" || len(use.path) != 3 || use.path[2] != portKey {
			continue
		}
		entry := child(child(b.nfv, "CP"), use.path[1])
		if port := b.port(use.path[1]); port != nil && entry[portKey] == nil {
			entry[portKey] = port.ResourceID
		}
	}
}

// port is the port that is given for an entry of nfv, nil when none is: one for a connection point, or one for that of
// a VNFC which is a resource of its own.
func (b *nfvBuilder) port(entry string) *lcm.LinkPort {
	cpd := b.req.described(b.flavour, "CP", entry)
	_, cp, _ := lcm.Connection(b.req.ExtVirtualLinks, cpd)
	if n, ok := MemberIndex(cpd, entry); ok {
		return cp.PortOf(n)
	}
	return cp.LinkPort
}
