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

// Steps lists the steps of an operation that carries out p: for /plan, for its workflow, and for another run after a
// crash. Only this function says which steps an operation has.
func Steps(f Facts, p lcm.Plan) []Step {
	k, ok := kinds[p.Operation]
	if !ok {
		return nil
	}
	list := k.steps(listing{plan: p, facts: f})
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
		if s.ID == StepAskForGrant {
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

// granted are the steps before any resource is touched.
func (l listing) granted(before ...Step) []Step {
	return append(before, Step{ID: StepAskForGrant, Title: "Ask for a grant"})
}

// decidedSteps makes the plan.
func (l listing) decidedSteps(title string) []Step {
	return l.infrastructure(Step{ID: StepDecide, Title: title})
}

// removedSteps deletes servers.
func (l listing) removedSteps() []Step {
	return l.infrastructure(
		Step{ID: StepRemoveServers, Title: "Remove the servers", Final: true},
		Step{ID: StepFindRemaining, Title: "Find the VNFCs that are left"},
	)
}

func (l listing) carriesImages() bool { return len(l.facts.Flavour.PackagedImages()) > 0 }

// tryingVim tries another connection to the VIM before Windlass uses it.
func (l listing) tryingVim() []Step {
	return When(l.facts.ChangesVim, Step{ID: StepTryVim, Title: "Try the VIM connection"})
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
