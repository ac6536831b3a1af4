package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// member writes a line that counts, or that stands in a comment.
func (s *skeleton) member(indent int, off bool, format string, args ...any) {
	if off {
		format = "# " + format
	}
	s.line(indent, format, args...)
}

// members writes the members of an object; off puts all of them into comments.
func (s *skeleton) members(indent int, all []params.Member, off bool) {
	for _, m := range all {
		guess := s.guess(m)
		given := !off && (m.Required || s.usual(all, m) || guess != "" || m.Kind == "object" && len(m.Members) > 0 && !m.Optional)
		about := m.Kind + s.choices(m)
		if m.Rules != "" {
			about += "; " + strings.ReplaceAll(m.Rules, "`", "")
		}
		switch {
		case m.Kind == "object" && len(m.Members) > 0:
			s.member(indent, !given, "%s:", m.Name)
			s.vdu, s.role = s.vduOf(m), m.Name
			s.members(indent+1, m.Members, !given)
			s.vdu, s.role = nil, ""
		case m.IsList() && len(m.Members) > 0:
			s.member(indent, !given, "%s: # %s", m.Name, about)
			s.items(indent+1, m.Members)
		case m.IsMap() && len(m.Members) > 0:
			s.member(indent, !given, "%s: # %s", m.Name, about)
			s.member(indent+1, !given, "NAME:")
			s.members(indent+2, m.Members, !given)
		case given:
			s.member(indent, false, "%s: %q # %s", m.Name, cmp.Or(guess, placeholder(m.Name)), about)
		default:
			s.member(indent, true, "%s:%s # %s", m.Name, absent(m), about)
		}
	}
}

// absent is the value of a member without a given value.
func absent(m params.Member) string {
	switch {
	case m.Default != "":
		return " " + yamlText(m.Default)
	case m.IsList():
		return " []"
	case m.IsMap():
		return " {}"
	case m.Kind == "boolean":
		return " false"
	case strings.HasPrefix(m.Kind, "text"):
		return ` ""`
	default:
		return ""
	}
}

// masterNode is the member of a cluster's parameters for its control planes.
const masterNode = "master_node"

// wordsOfRoles are words in the names of VDUs, by the role of their nodes.
var wordsOfRoles = map[string][]string{
	masterNode: {"master", "control"}, "worker_node": {"worker"}, "storage_server": {"storage"},
}

// vduOf is the VDU that a role of nodes is likely to mean, nil where none or several could be.
func (s *skeleton) vduOf(role params.Member) *descriptor.Vdu {
	var found []*descriptor.Vdu
	for i := range s.flavour.Vdus {
		id := strings.ToLower(s.flavour.Vdus[i].ID)
		if slices.ContainsFunc(wordsOfRoles[role.Name], func(word string) bool { return strings.Contains(id, word) }) {
			found = append(found, &s.flavour.Vdus[i])
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// guess is the value of a member that follows from the current VDU, "" for none.
func (s *skeleton) guess(m params.Member) string {
	if s.vdu == nil {
		return ""
	}
	switch m.Name {
	case "cluster_cp_name":
		if s.role == masterNode {
			return s.clusterPort()
		}
	case "aspect_id":
		for _, a := range s.flavour.Aspects {
			if a.Deltas[s.vdu.ID] != nil {
				return a.ID
			}
		}
	case "ssh_cp_name", "nic_cp_name":
		return s.externalPort()
	}
	return ""
}

// clusterPort is the port with the cluster's address: several control planes share a port that the VNFD does not name.
func (s *skeleton) clusterPort() string {
	if capacity, err := s.flavour.Capacity(s.flavour.DefaultLevel); err != nil || capacity[s.vdu.ID] > 1 {
		return placeholder("port of the virtual IP")
	}
	return s.externalPort()
}

// externalPort is the first external connection point of the VDU, "" for none.
func (s *skeleton) externalPort() string {
	for _, cp := range s.flavour.Cps {
		if cp.VduID == s.vdu.ID && cp.External {
			return cp.ID
		}
	}
	return ""
}

// choices are the names in the VNFD that a member may take.
func (s *skeleton) choices(m params.Member) string {
	var names []string
	switch {
	case m.Name == "aspect_id":
		for _, a := range s.flavour.Aspects {
			names = append(names, a.ID)
		}
	case m.Name == "vdu_id":
		for _, v := range s.flavour.Vdus {
			names = append(names, v.ID)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; the VNFD has " + strings.Join(names, ", ")
}

// items writes one object of a list, in comments.
func (s *skeleton) items(indent int, of []params.Member) {
	inner := &skeleton{flavour: s.flavour, version: s.version}
	inner.members(0, of, true)
	first := true
	for line := range strings.Lines(inner.out.String()) {
		dash := "  "
		if first {
			dash, first = "- ", false
		}
		text := strings.TrimRight(line, "\n")
		at := len(text) - len(strings.TrimLeft(text, " "))
		s.line(indent, "# %s%s", dash, text[:at]+strings.TrimPrefix(text[at:], "# "))
	}
}

// usual tells whether a member is usual although it is optional: servers need a user and, to log in, a password or a
// key.
func (s *skeleton) usual(all []params.Member, m params.Member) bool {
	user := slices.ContainsFunc(all, func(o params.Member) bool { return o.Required && strings.HasSuffix(o.Name, "username") })
	return user && strings.HasSuffix(m.Name, "password")
}

func placeholder(of string) string {
	return unreplaced + "WITH-THE-" + strings.ToUpper(strings.NewReplacer(" ", "-", "_", "-").Replace(of))
}

// yamlText is a default as YAML. YAML would read some texts as numbers.
func yamlText(text string) string {
	if text == "" || strings.ContainsAny(text, ":#{}[],&*!|>'\"%@`") {
		return fmt.Sprintf("%q", text)
	}
	return text
}
