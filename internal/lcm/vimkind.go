package lcm

import (
	"slices"
	"strings"
)

// VimKind holds the common properties of VIMs of one type. Code that depends on an ability reads the ability and not
// the type. For the abilities of a connected VIM, see vim.As.
type VimKind struct {
	// Type is the registry's name of the type, as in Tacker. Name is the name for people.
	Type, Name string
	// Registered are the prefixes of the names that ETSI registers for the type (SOL003 clause 4.4.1.6), and Examples such
	// names for people.
	Registered, Examples []string
	// Default is set for the type of connections that have none, as those of Tacker's clients.
	Default bool

	// RunsContainers is set where the VDUs of VNFs are containers; elsewhere they are servers.
	RunsContainers bool
	// TakesTemplates is set where a VNF of servers is made of the Heat templates of its package.
	TakesTemplates bool
	// SwitchesVnfcs is set where single VNFCs can be shut down, stopped and started; elsewhere only all at once.
	SwitchesVnfcs bool
	// ReconnectsPorts is set where connection points can get other networks on a running VNF.
	ReconnectsPorts bool
	// ChangesPackages is set where a running VNF can get another VNF package.
	ChangesPackages bool
	// HandsOverVolumes is set where Windlass gives a new VNFC the volumes and ports of the former VNFC, or new ones.
	// Elsewhere the VIM itself gives the VNFC its former volumes and ports.
	HandsOverVolumes bool
	// ReplacesVnfcs is set where the VIM makes and replaces VNFCs on its own. Then Windlass updates its records from the
	// VIM.
	ReplacesVnfcs bool
	// Watched is set where Windlass checks registered VIMs regularly.
	Watched bool

	// Members are the known members of a registered VIM's credentials; they help to report misspelt members.
	Members []string
	// Credentials checks the credentials of a registered VIM; nil where only the VIM itself can judge them.
	Credentials *VimCredentials
	// Verifying are the credentials that set how the VIM's address is verified, or that name another receiver of secrets.
	Verifying []string
	// Secrets are the credentials that make a connection complete: it needs no registered VIM.
	Secrets []string
	// Own is the VIM of a connection that brings it itself, and Problems are the mistakes of such a connection.
	Own      func(c VimConnectionInfo, id VimID) Vim
	Problems func(c VimConnectionInfo, path string) []Problem
}

// VimCredentials are the rules for the credentials of VIMs of a kind.
type VimCredentials struct {
	// Unknown returns the members without a meaning.
	Unknown func(path string, cred map[string]any) []Problem
	// Login returns the reasons why a login is impossible with them. A sealed secret counts as given.
	Login func(path string, cred map[string]any) []Problem
	// Project returns the mistakes of the VIM's project.
	Project func(v Vim, path string) []Problem
	// Change completes a change of credentials; a null member is removed.
	Change func(present, given map[string]any) map[string]any
	// Addresses are the members with URLs that Windlass calls.
	Addresses []string
}

// vimKinds are the types of VIMs that can hold VNFs.
var vimKinds []VimKind

// RegisterVimKind adds a kind. It is for func init of packages such as internal/vim/kinds; a second kind of the same type
// replaces the first.
func RegisterVimKind(k VimKind) {
	vimKinds = slices.DeleteFunc(vimKinds, func(known VimKind) bool { return known.Type == k.Type })
	vimKinds = append(vimKinds, k)
}

// KindOfVim finds the kind for the registry's name of a type, or for a name that ETSI registers. An unknown type has
// its name and no ability.
func KindOfVim(name string) VimKind {
	for _, k := range vimKinds {
		if k.is(name) {
			return k
		}
	}
	return VimKind{Type: name, Name: "a VIM of type " + name}
}

func (k VimKind) is(name string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return name == k.Type || slices.ContainsFunc(k.Registered, begins)
}

// VimKinds are the kinds of VIMs for VNFs of containers, or of servers, in the order of their registration.
func VimKinds(containers bool) (kinds []VimKind) {
	for _, k := range vimKinds {
		if k.RunsContainers == containers {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// VimKindFor is the kind of VIMs for VNFs of containers, or of servers, that the first of these types of connections
// has. It is the first kind that was registered if none of the types fits.
func VimKindFor(containers bool, types ...string) VimKind {
	kinds := VimKinds(containers)
	for _, name := range types {
		if i := slices.IndexFunc(kinds, func(k VimKind) bool { return k.is(name) }); i >= 0 {
			return kinds[i]
		}
	}
	return kinds[0]
}

// ChoosesVimKind tells whether VNFs of containers, or of servers, can be on several kinds of VIMs.
func ChoosesVimKind() bool { return len(VimKinds(false)) > 1 || len(VimKinds(true)) > 1 }

// VimTypesWith returns the types of all kinds that have an ability.
func VimTypesWith(able func(VimKind) bool) (types []string) {
	for _, k := range vimKinds {
		if able(k) {
			types = append(types, k.Type)
		}
	}
	return types
}

// VimTypeOf maps the names that ETSI registers for types of VIMs to Tacker's names. It returns an unknown name
// unchanged.
func VimTypeOf(name string) string { return KindOfVim(name).Type }

// Kind returns the registry's name for the type of the VIM. A connection without a type has that of the
// default kind.
func (c VimConnectionInfo) Kind() string { return c.kind().Type }

func (c VimConnectionInfo) kind() VimKind {
	if i := slices.IndexFunc(vimKinds, func(k VimKind) bool { return k.Default }); c.VimType == "" && i >= 0 {
		return vimKinds[i]
	}
	return KindOfVim(c.VimType)
}

// ofAllKinds are the members that a list of any kind has.
func ofAllKinds(list func(VimKind) []string) (members []string) {
	for _, k := range vimKinds {
		members = append(members, list(k)...)
	}
	return members
}
