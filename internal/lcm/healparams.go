package lcm

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/params"
)

// healParams are the additionalParams of a heal request that concern the heal itself. The VNF's drivers read the
// others.
type healParams struct {
	// KeepVolumes gives a machine that is made anew its volumes back. Tacker's All means the opposite.
	KeepVolumes *bool `json:"keep_volumes"`
	All         *bool `json:"all"`
	Patience    *int  `json:"patience" param:"min=1; max=3600; unit=seconds"`
	// ReadyTimeout is for VNFs of containers, like Patience.
	ReadyTimeout *int `json:"ready_timeout" param:"min=1; max=7200; unit=seconds"`
}

// CheckMembers implements params.Checker.
func (p healParams) CheckMembers(wrong params.Wrong) {
	if p.KeepVolumes != nil && p.All != nil && *p.KeepVolumes == *p.All {
		wrong(HealAll, "contradicts %s: give one of them", KeepVolumes)
	}
}

// HealProblems lists every mistake in the heal's own parameters of a heal request.
func HealProblems(body json.RawMessage) []Problem {
	var request struct {
		AdditionalParams healParams `json:"additionalParams"`
	}
	problems, _ := Tackers.Read("$", body, &request)
	return params.Join(problems, Tackers.Check("$", request))
}
