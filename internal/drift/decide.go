package drift

import (
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Situation is the input of a decision besides the findings.
type Situation struct {
	Policy lcm.DriftPolicy
	Nodes  lcm.Nodes
	// Recent is how many automatic heals have begun within the policy's period.
	Recent int
	// Refusal says why these VNFCs cannot be healed together, "" when they can.
	Refusal func(vnfcs []string) string
}

// Decide turns the findings of a check into a decision. It chooses workers first: no quorum needs them. Control planes
// are added one by one, as long as etcd keeps its quorum.
func Decide(findings []lcm.DriftFinding, s Situation) lcm.DriftDecision {
	due, early := candidates(findings, s)
	switch {
	case len(due)+len(early) == 0:
		return nothing(findings)
	case !s.Policy.AutoHeal:
		return lcm.DriftDecision{
			Action: lcm.DriftNothing,
			Reason: "Some VNFCs do not work, and the drift policy allows no automatic heals.",
		}
	case len(due) == 0:
		return lcm.DriftDecision{Action: lcm.DriftWaits, Reason: lcm.Errorf(lcm.KindBroken,
			"Some VNFCs do not work. Windlass heals them once %d checks in a row agree.", s.Policy.AgreeingChecks).Detail}
	case s.Recent >= s.Policy.MaxHeals:
		return lcm.DriftDecision{Action: lcm.DriftRefuses, Reason: lcm.Errorf(lcm.KindBroken,
			"%d automatic heals have begun within %d seconds, the limit of the drift policy. Find out why VNFCs fail again.",
			s.Recent, s.Policy.MaxHealsPeriod).Detail}
	}
	return choose(due, s)
}

func nothing(findings []lcm.DriftFinding) lcm.DriftDecision {
	reason := "Everything is as it should be."
	if len(findings) > 0 {
		reason = "Windlass heals none of these differences automatically."
	}
	return lcm.DriftDecision{Action: lcm.DriftNothing, Reason: reason}
}

// candidates are the broken VNFCs that a heal mends, workers first. due has the VNFCs that enough checks agree on,
// early the others.
func candidates(findings []lcm.DriftFinding, s Situation) (due, early []string) {
	add := func(list []string, id string) []string {
		if slices.Contains(list, id) {
			return list
		}
		return append(list, id)
	}
	for _, controlPlanes := range []bool{false, true} {
		for _, f := range findings {
			if !f.Automatic || f.Remedy != lcm.RemedyVnfc || f.VnfcInstanceID == "" || s.controlPlane(f) != controlPlanes {
				continue
			}
			if f.Checks >= s.Policy.AgreeingChecks {
				due = add(due, f.VnfcInstanceID)
			} else {
				early = add(early, f.VnfcInstanceID)
			}
		}
	}
	return due, early
}

func (s Situation) controlPlane(f lcm.DriftFinding) bool {
	return slices.ContainsFunc(s.Nodes.With(lcm.ControlPlane), func(n lcm.Node) bool { return n.Name == f.Node })
}

// choose heals as many of due as go together.
func choose(due []string, s Situation) lcm.DriftDecision {
	var chosen []string
	var refusals []string
	for _, id := range due {
		if why := s.Refusal(append(slices.Clone(chosen), id)); why != "" {
			if !slices.Contains(refusals, why) {
				refusals = append(refusals, why)
			}
			continue
		}
		chosen = append(chosen, id)
	}
	left := strings.Join(refusals, " ")
	if len(chosen) == 0 {
		return lcm.DriftDecision{Action: lcm.DriftRefuses, Reason: left}
	}
	reason := "Some VNFCs do not work. Windlass heals " + strconv.Itoa(len(chosen)) + " of them."
	if left != "" {
		reason += " Not all: " + left
	}
	return lcm.DriftDecision{Action: lcm.DriftHeals, Reason: reason, VnfcInstanceIDs: chosen}
}
