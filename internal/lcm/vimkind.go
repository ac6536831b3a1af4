package lcm

import (
	"maps"
	"slices"
	"strings"
)

// VimKind is what VIMs of one type have in common. Whoever decides what can be done asks for an ability, and not for
// the type: a further type is another row of vimKinds. What a connected VIM itself can do is asked with vim.As.
type VimKind struct {
	// Type is the registry's name of the type, as Tacker has it, and Name what people call such a VIM.
	Type, Name string
	// registered begin the names that ETSI registers for the type (SOL003 clause 4.4.1.6).
	registered []string

	// RunsContainers is set where the VDUs of VNFs are containers; on all others they are servers.
	RunsContainers bool
	// SwitchesVnfcs is set where each VNFC is shut down, stopped and started by itself; elsewhere all are at once.
	SwitchesVnfcs bool
	// ReconnectsPorts is set where connection points get other networks while the VNF is there.
	ReconnectsPorts bool
	// ChangesPackages is set where a VNF that runs can get another VNF package.
	ChangesPackages bool
	// HandsOverVolumes is set where a VNFC that is made anew gets the volumes and ports of the former one from Windlass,
	// or new ones. Elsewhere the VIM itself gives it those that it had.
	HandsOverVolumes bool
	// ReplacesVnfcs is set where the VIM makes and replaces VNFCs without being told: what is recorded then follows it.
	ReplacesVnfcs bool
	// Watched is set where Windlass looks at registered VIMs from time to time.
	Watched bool

	// Members are those of credentials of the registry's VIMs, so that a misspelt one is told.
	Members []string
	// Credentials check what a VIM of the registry is given; nil where the VIM itself is the judge.
	Credentials *VimCredentials
	// own and problems are those of a connection that brings its VIM itself.
	own      func(c VimConnectionInfo, id VimID) Vim
	problems func(c VimConnectionInfo, path string) []Problem
}

// VimCredentials are the rules for the credentials of VIMs of a kind.
type VimCredentials struct {
	// Unknown are members that mean nothing.
	Unknown func(path string, cred map[string]any) []Problem
	// Login is why nobody can log in with them. A secret that is sealed counts as given.
	Login func(path string, cred map[string]any) []Problem
	// Project is what is wrong with the VIM's project.
	Project func(v Vim, path string) []Problem
	// Change completes a change of credentials; a member that is null is taken away.
	Change func(present, given map[string]any) map[string]any
	// Addresses are the members that are URLs which Windlass calls.
	Addresses []string
}

// vimKinds are the types of VIMs on which VNFs may be. The first one is that of connections without a type.
var vimKinds = []VimKind{
	{
		Type: VimOpenStack, Name: "an OpenStack", registered: []string{"ETSINFV.OPENSTACK_KEYSTONE."},
		SwitchesVnfcs: true, ReconnectsPorts: true, HandsOverVolumes: true,
		Members: openStackMembers,
		own:     VimConnectionInfo.ownOpenStack, problems: VimConnectionInfo.ownOpenStackProblems,
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

// KindOfVim finds what a name of a type stands for, that of the registry or one that ETSI registers. A type that
// Windlass does not know has its name and no ability.
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

// VimKindFor is the kind of VIMs for VNFs of containers, or for those of servers.
func VimKindFor(containers bool) VimKind {
	i := slices.IndexFunc(vimKinds, func(k VimKind) bool { return k.RunsContainers == containers })
	return vimKinds[i]
}

// VimTypesWith are the types of all kinds that have an ability.
func VimTypesWith(able func(VimKind) bool) (types []string) {
	for _, k := range vimKinds {
		if able(k) {
			types = append(types, k.Type)
		}
	}
	return types
}

// VimTypeOf maps the names that ETSI registers for types of VIMs to Tacker's. What it does not know it leaves as it is.
func VimTypeOf(name string) string { return KindOfVim(name).Type }

// Kind is the registry's name for the type of the VIM. A connection without a type is taken for one to an OpenStack, as
// Tacker takes it.
func (c VimConnectionInfo) Kind() string { return c.kind().Type }

func (c VimConnectionInfo) kind() VimKind {
	if c.VimType == "" {
		return vimKinds[0]
	}
	return KindOfVim(c.VimType)
}
