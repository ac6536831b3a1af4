package lcm

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/params"
)

// healParams are additionalParams of a heal request, as far as they are about the heal itself. What they say of the VNF
// belongs to its drivers.
type healParams struct {
	// KeepVolumes lets a machine that is made anew have its volumes back. Tacker's All says the opposite.
	KeepVolumes *bool `json:"keep_volumes"`
	All         *bool `json:"all"`
	Patience    *int  `json:"patience" param:"min=1; max=3600; unit=seconds"`
}

// CheckMembers implements params.Checker.
func (p healParams) CheckMembers(wrong params.Wrong) {
	if p.KeepVolumes != nil && p.All != nil && *p.KeepVolumes == *p.All {
		wrong(HealAll, "contradicts %s: give one of them", KeepVolumes)
	}
}

// HealProblems lists every mistake in what a heal request says of the heal itself.
func HealProblems(body json.RawMessage) []Problem {
	var request struct {
		AdditionalParams healParams `json:"additionalParams"`
	}
	problems, _ := Tackers.Read("$", body, &request)
	return params.Join(problems, Tackers.Check("$", request))
}
