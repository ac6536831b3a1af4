package hot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// portKey is the key by which templates get the port that a request gives for a connection point: {get_param: [nfv, CP,
// VDU1_CP1, port]}.
const portKey = "port"

// TakesPort lists the connection points whose port the templates read from the parameter nfv: by its key, or with the
// whole entry of the connection point.
func (t Template) TakesPort(f *descriptor.Flavour) (map[string]bool, error) {
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

// NeedsPort tells whether the templates read the port of the connection point by its key, so that the port is
// mandatory.
func (t Template) NeedsPort(f *descriptor.Flavour, cpd string) (bool, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(parsed.nfvUses(), func(use nfvUse) bool {
		return use.path[0] == "CP" && use.path[1] == cpd && len(use.path) > 2 && use.path[2] == portKey
	}), nil
}

// PortsProblems lists the ports of a request that the flavour's templates, with so many VMs of each VDU, cannot use. t
// is the package's template, before Separate. members are its VNFCs if Separate makes each a resource of its own.
func (t Template) PortsProblems(
	f *descriptor.Flavour, links []lcm.ExtVirtualLink, capacity map[string]int, members descriptor.Members,
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

// otherPackage is the advice for a package whose templates use no port.
const otherPackage = "Leave linkPortId out, or use a package whose server takes the port"

// alike checks the port of a VDU whose VMs share one description.
func alike(f *descriptor.Flavour, cp lcm.ExtCp, capacity map[string]int, add func(string)) {
	known, ok := f.Cp(cp.CpdID)
	if !ok {
		return // no template uses its port; reported elsewhere
	}
	switch n := capacity[known.VduID]; {
	case n > 1:
		add(fmt.Sprintf("there are %d VMs of %s, but a port belongs to one server only. Each VM can have its own port "+
			"with the user data class %s", n, known.VduID, lcm.StandardUserData))
	case len(cp.GivenPorts()) > 1:
		add(fmt.Sprintf("more than one entry of cpConfig has a port, but only one VM of %s can have a port. Leave the "+
			"other entries out, or use the user data class %s", known.VduID, lcm.StandardUserData))
	}
}

// apartPorts requires a port for each VNFC. Spare ports wait for a scaling out: an InstantiateVnfRequest may bring the
// ports of a VNF that is fully scaled out.
func apartPorts(f *descriptor.Flavour, cp lcm.ExtCp, members descriptor.Members, add func(string)) {
	if detail := LackedPorts(f, cp, members); detail != "" {
		add(detail)
	}
}

// LackedPorts names the VNFCs without a port at a connection point that has given ports; "" when each has one.
func LackedPorts(f *descriptor.Flavour, cp lcm.ExtCp, members descriptor.Members) string {
	known, ok := f.Cp(cp.CpdID)
	if !ok {
		return ""
	}
	var without []string
	for _, n := range members[known.VduID] {
		if len(cp.GivenPorts()) > 0 && cp.PortOf(n) == nil {
			without = append(without, descriptor.MemberName(known.VduID, n))
		}
	}
	if len(without) == 0 {
		return ""
	}
	return fmt.Sprintf("there are %d VMs of %s and %d ports of %s, but each VM needs its own port. There is no port "+
		"for %s: add an entry with a linkPortId to cpConfig, or name the port in additionalParams (nfv, CP, %s, port)",
		len(members[known.VduID]), known.VduID, len(cp.GivenPorts()), cp.CpdID, strings.Join(without, ", "),
		descriptor.MemberName(cp.CpdID, members[known.VduID][len(members[known.VduID])-1]))
}

// MadePortsProblems lists the ports of a request that a user data class has not passed to the stack. A class may
// describe each VM of a VDU separately. Then a request may give as many ports as VMs, or more, which wait for a scaling
// out.
func MadePortsProblems(
	f *descriptor.Flavour, links []lcm.ExtVirtualLink, capacity map[string]int, params map[string]any,
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
			add(fmt.Sprintf("the user data class does not pass the port to the stack (nfv, CP, %s, port). %s", cp.CpdID,
				otherPackage))
		case ok && need > given:
			add(fmt.Sprintf("there are %d VMs of %s, but a port belongs to one server only", need, known.VduID))
		}
	})
}

// portsProblems lists the problems that look finds with the connection points that have given ports.
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

// holds tells whether a value is that text, or contains it.
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

// handPorts fills in given ports where a template uses a port and a user data class has set none: Tacker's classes know
// networks and addresses only.
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

// port is the given port for an entry of nfv, nil if there is none. The entry is a connection point, or a connection
// point of a VNFC that is a resource of its own.
func (b *nfvBuilder) port(entry string) *lcm.LinkPort {
	cpd := b.req.described(b.flavour, "CP", entry)
	_, cp, _ := lcm.Connection(b.req.ExtVirtualLinks, cpd)
	if n, ok := descriptor.MemberIndex(cpd, entry); ok {
		return cp.PortOf(n)
	}
	return cp.LinkPort
}
