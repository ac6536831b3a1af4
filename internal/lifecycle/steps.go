package lifecycle

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// StepID names the work of a step and its undo, in this release and in later ones. An operation stores the list of its
// steps, and package workflows finds the work of a step by its ID.
type StepID string

// Step is one line of the list of an operation.
type Step struct {
	ID    StepID `json:"id"`
	Title string `json:"title"`
	// Undo says how a rollback undoes the step. It is "" when there is nothing to undo, or when no way back is left.
	Undo string `json:"undo,omitempty"`
	// Final is set when the step removes things that nobody can bring back. Once it has begun, the operation only goes
	// forward.
	Final bool `json:"final,omitempty"`
}

// longestTitle bounds a title, in bytes: it names VDUs, of which a package may have many. Temporal's lists take 255
// characters, and show no later state of an operation whose step has more.
const longestTitle = 200

const askForGrant StepID = "ask-for-grant"

// Steps of the infrastructure that a driver may do itself (Substitute).
const (
	Decide                  StepID = "decide"
	RemoveServers           StepID = "remove-servers"
	FindRemaining           StepID = "find-remaining"
	ReplaceServers          StepID = "replace-servers"
	ReplaceServersRevocably StepID = "replace-servers-revocably"
	ReplaceContainers       StepID = "replace-containers"
)

// Steps lists the steps of an operation that carries out p: for /plan, for its workflow, and for another run after a
// crash. Only this function says which steps an operation has.
func Steps(f Facts, p lcm.Plan) []Step {
	list := listing{plan: p, facts: f}.steps()
	forwardOnly := !p.Operation.CanRollBack()
	for i := range list {
		list[i].Title = lcm.Cut(list[i].Title, longestTitle)
		if forwardOnly = forwardOnly || list[i].Final; forwardOnly {
			list[i].Undo = ""
		}
	}
	return list
}

// Split separates the steps of STARTING from those of PROCESSING: an operation touches resources only after the grant
// (SOL003 clause 5.6.2.2). An operation without a grant has no steps in STARTING.
func Split(list []Step) (starting, processing []Step) {
	for i, s := range list {
		if s.ID == askForGrant {
			return list[:i+1], list[i+1:]
		}
	}
	return nil, list
}

// listing makes the list of one operation.
type listing struct {
	plan  lcm.Plan
	facts Facts
}

func (l listing) steps() []Step {
	switch l.plan.Operation {
	case lcm.OpInstantiate:
		return Join(l.granted(), l.making())
	case lcm.OpTerminate:
		return Join(l.granted(), l.ending())
	case lcm.OpScale, lcm.OpScaleToLevel:
		return Join(l.granted(l.deciding("Decide what changes")...), l.scaling())
	case lcm.OpHeal:
		return Join(l.granted(l.deciding("Decide what is healed")...), l.healing())
	case lcm.OpOperate:
		return l.operating()
	case lcm.OpChangeExtConn:
		return Join(l.granted(Step{ID: "decide-links", Title: "Decide what is connected"}), l.reconnecting())
	case lcm.OpChangeVnfPkg:
		return Join(l.granted(Step{ID: "decide-package", Title: "Decide what changes"}), l.changingPackage())
	case lcm.OpModifyInfo:
		return l.modifying()
	}
	return nil
}

// granted are the steps before any resource is touched.
func (l listing) granted(before ...Step) []Step {
	return append(before, Step{ID: askForGrant, Title: "Ask for a grant"})
}

// making lists the steps that make the VNF: an INSTANTIATE, or the second half of a HEAL of an entire VNF.
func (l listing) making() []Step {
	return Join(
		l.driversAt(InstantiateStart),
		l.uploading(),
		[]Step{
			{ID: "create-stack", Title: "Create the infrastructure", Undo: "what was created is deleted"},
			{ID: "find-nodes", Title: "Find the nodes"},
		},
		l.driversAt(InstantiateEnd),
	)
}

// ending lists the steps that take the VNF down: a TERMINATE, or the first half of a HEAL of an entire VNF.
func (l listing) ending() []Step {
	return Join(
		l.driversAt(TerminateStart),
		When(l.facts.Graceful && l.facts.any(switchesVnfcs), Step{ID: "shut-down", Title: "Shut the servers down", Final: true}),
		[]Step{{ID: "delete-stack", Title: "Delete the infrastructure", Final: true}},
		l.driversAt(TerminateEnd),
		l.releasing(),
		[]Step{{ID: "forget-secrets", Title: "Forget keys and secrets"}},
	)
}

// scaling lists the steps of a SCALE or a SCALE_TO_LEVEL. New servers come before others go.
func (l listing) scaling() []Step {
	list := append([]Step{{ID: "look", Title: "Look at the infrastructure"}}, l.driversAt(ScaleBegin)...)
	if l.plan.OnlyBitrates() {
		list = append(list, Step{
			ID: "change-bitrates", Title: "Change the bit rates of the virtual links", Undo: "the former bit rates are set",
		})
	}
	if l.plan.Grows() {
		list = append(list,
			Step{ID: "enlarge-stack", Title: "Enlarge the infrastructure", Undo: "the new servers are deleted"},
			Step{ID: "find-new-nodes", Title: "Find the new nodes"},
		)
		list = append(list, l.driversAt(ScaleEnd)...)
	}
	if l.plan.Shrinks() {
		list = append(list, l.driversAt(ScaleStart)...)
		list = append(list, l.removing()...)
	}
	return append(list, l.driversAt(ScaleDone)...)
}

// deciding makes the plan.
func (l listing) deciding(title string) []Step {
	return l.infrastructure(Step{ID: Decide, Title: title})
}

// removing deletes servers.
func (l listing) removing() []Step {
	return l.infrastructure(
		Step{ID: RemoveServers, Title: "Remove the servers", Final: true},
		Step{ID: FindRemaining, Title: "Find the VNFCs that are left"},
	)
}

// healing lists the steps that replace servers, or that make the entire VNF anew.
func (l listing) healing() []Step {
	if l.plan.Whole {
		l.facts.Graceful = false
		return Join(
			When(lcm.HaveGivenPorts(l.facts.links()), Step{ID: "check-given-ports", Title: "Check the ports that are given"}),
			l.ending(),
			l.making(),
		)
	}
	return Join(
		[]Step{{ID: "look-before-heal", Title: "Look at the infrastructure"}},
		l.driversAt(HealStart),
		l.replacing(),
		[]Step{{ID: "find-new-nodes", Title: "Find the new nodes"}},
		l.driversAt(HealEnd),
	)
}

// replacing lists the steps that replace Pods and servers. The step for servers makes a rollback impossible from its
// beginning on, unless nothing is deleted before the new servers exist.
func (l listing) replacing() []Step {
	const title = "Replace the servers"
	pods, servers := l.replaced()
	list := When(pods, Step{
		ID: ReplaceContainers, Title: "Replace the Pods",
		Undo: "the objects stay as they were, and the Pods that there are then are recorded",
	})
	if !servers {
		return l.infrastructure(list...)
	}
	return Join(list, l.replacingServers(title))
}

// replaced tells whether Pods and whether servers are replaced. One of both is true even if the plan names no VNFC.
func (l listing) replaced() (pods, servers bool) {
	for _, v := range l.plan.Leaving {
		if VimKindOf(l.facts.Flavour, v.VduID).RunsContainers {
			pods = true
		} else {
			servers = true
		}
	}
	if !pods && !servers {
		pods = VimKinds(l.facts.Flavour)[0].RunsContainers
	}
	return pods, !pods || servers
}

func (l listing) replacingServers(title string) []Step {
	if l.plan.Revocable() {
		return l.infrastructure(Step{
			ID: ReplaceServersRevocably, Title: title,
			Undo: "the former servers get their ports back, while none of them is deleted",
		})
	}
	return l.infrastructure(Step{ID: ReplaceServers, Title: title, Final: true})
}

// reconnecting lists the steps of a CHANGE_EXT_CONN.
func (l listing) reconnecting() []Step {
	return Join(l.driversAt(ExtConnStart), l.tryingVim(), []Step{
		{ID: "change-connections", Title: "Change the external connections", Undo: "the connections are what they were"},
		{ID: "look", Title: "Look at the infrastructure"},
	}, l.driversAt(ExtConnEnd))
}

// changingPackage lists the steps of a CHANGE_VNFPKG. Workloads replace their Pods one after the other, as they say.
func (l listing) changingPackage() []Step {
	return Join(l.driversAt(PackageStart), []Step{
		{ID: "change-package", Title: "Roll the VNF over to the new package", Undo: "the VNF is rolled back to the former one"},
		{ID: "find-changed", Title: "Find the VNFCs"},
	}, l.driversAt(PackageEnd))
}

// modifying lists the steps of a MODIFY_INFO. The steps that bring the modifications to the VNF itself come after the
// checks.
func (l listing) modifying() []Step {
	return Join(
		[]Step{{ID: "check-modifications", Title: "Check the modifications"}},
		l.driversAt(ModifyStart),
		l.tryingVim(),
		l.driversAt(ModifyEnd),
	)
}

// tryingVim tries another connection to the VIM before Windlass uses it.
func (l listing) tryingVim() []Step {
	return When(l.facts.ChangesVim, Step{ID: "try-vim", Title: "Try the VIM connection"})
}

// Join makes one list of several.
func Join(lists ...[]Step) (out []Step) {
	for _, list := range lists {
		out = append(out, list...)
	}
	return out
}

// When is a list of one step, or an empty list if the operation does not need the step.
func When(needed bool, s Step) []Step {
	if needed {
		return []Step{s}
	}
	return nil
}
