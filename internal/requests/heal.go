package requests

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// heal is SOL003 clause 5.5.2.9 with SOL002's member vnfcInstanceId, the same in both versions; v3.3.1's healScript is
// not read.
type heal struct {
	params.Noted
	VnfcInstanceID   lcm.Texts      `json:"vnfcInstanceId"`
	Cause            string         `json:"cause"`
	AdditionalParams map[string]any `json:"additionalParams"`
}

// healParams are the additionalParams that concern the heal itself. The VNF's drivers read the others.
type healParams struct {
	// KeepVolumes gives a machine that is made anew its volumes back. Tacker's All means the opposite.
	KeepVolumes *bool `json:"keep_volumes"`
	All         *bool `json:"all"`
	patience
}

// CheckMembers implements params.Checker.
func (p healParams) CheckMembers(wrong params.Wrong) {
	if p.KeepVolumes != nil && p.All != nil && *p.KeepVolumes == *p.All {
		wrong(lcm.HealAll, "contradicts %s: give one of them", lcm.KeepVolumes)
	}
}

// own are the parameters of the heal itself, which clients write as Tacker's do.
func (r *heal) own() (p healParams, problems []lcm.Problem) {
	const path = "$.additionalParams"
	problems, _ = lcm.Tackers.Read(path, paramsIn(r.Noted), &p)
	return p, params.Join(problems, lcm.Tackers.Check(path, p))
}

func (r *heal) additionalParams() json.RawMessage { return paramsIn(r.Noted) }

func (r *heal) problems() []lcm.Problem {
	_, problems := r.own()
	return problems
}

func (r *heal) reading() Reading {
	own, _ := r.own()
	return Reading{Request: lcm.HealRequest{
		VnfcInstanceID: r.VnfcInstanceID, Cause: r.Cause, AdditionalParams: paramsIn(r.Noted),
		KeepVolumes: own.KeepVolumes, All: own.All, Waits: own.waits(),
	}}
}
