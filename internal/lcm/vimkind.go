package lcm

import (
	"maps"
	"slices"
	"strings"
)

// VimKind holds the common properties of VIMs of one type. Code that depends on an ability reads the ability and not
// the type, so that a new type is only another row of vimKinds. For the abilities of a connected VIM, see vim.As.
type VimKind struct {
	// Type is the registry's name of the type, as in Tacker. Name is the name for people.
	Type, Name string
	// registered are the prefixes of the names that ETSI registers for the type (SOL003 clause 4.4.1.6).
	registered []string

	// RunsContainers is set where the VDUs of VNFs are containers; elsewhere they are servers.
	RunsContainers bool
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
	// own and problems are for a connection that brings its VIM itself.
	own      func(c VimConnectionInfo, id VimID) Vim
	problems func(c VimConnectionInfo, path string) []Problem
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

// vimKinds are the types of VIMs that can hold VNFs. A connection without a type has the first one.
var vimKinds = []VimKind{
	{
		Type: VimOpenStack, Name: "an OpenStack", registered: []string{"ETSINFV.OPENSTACK_KEYSTONE."},
		SwitchesVnfcs: true, ReconnectsPorts: true, HandsOverVolumes: true, Members: openStackMembers,
		own: VimConnectionInfo.ownOpenStack, problems: VimConnectionInfo.ownOpenStackProblems,
	},
	{
		Type: VimKubernetes, Name: "a Kubernetes", registered: []string{"ETSINFV.KUBERNETES.", "ETSINFV.HELM."},
		RunsContainers: true, ReconnectsPorts: true, ChangesPackages: true, ReplacesVnfcs: true, Watched: true,
		Members: slices.Sorted(maps.Keys(k8sMembers)),
		Credentials: &VimCredentials{
			Unknown: K8sUnknown, Login: K8sLoginProblems, Project: Vim.NamespaceProblem, Change: K8sChange,
			Addresses: []string{K8sTokenURL},
		},
		own: VimConnectionInfo.ownKubernetes, problems: VimConnectionInfo.ownKubernetesProblems,
	},
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
	return name == k.Type || slices.ContainsFunc(k.registered, begins)
}

// VimKindFor returns the kind of VIMs for VNFs of containers, or of servers.
func VimKindFor(containers bool) VimKind {
	i := slices.IndexFunc(vimKinds, func(k VimKind) bool { return k.RunsContainers == containers })
	return vimKinds[i]
}

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

// Kind returns the registry's name for the type of the VIM. A connection without a type counts as a connection to an
// OpenStack, as in Tacker.
func (c VimConnectionInfo) Kind() string { return c.kind().Type }

func (c VimConnectionInfo) kind() VimKind {
	if c.VimType == "" {
		return vimKinds[0]
	}
	return KindOfVim(c.VimType)
}
