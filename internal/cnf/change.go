package cnf

import (
	"encoding/json"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Change holds the members of additionalParams of a change_vnfpkg request that control the change, as Tacker's clients
// write them. Params holds the VNF's state after the change.
type Change struct {
	// UpgradeType is the way to replace Pods.
	UpgradeType string `json:"upgrade_type,omitempty" param:"enum=RollingUpdate"`
	// Vdus are the VDUs that change, none for all of the VNF.
	Vdus []ChangedVdu `json:"vdu_params,omitempty"`
}

// ChangedVdu is a VDU that changes.
type ChangedVdu struct {
	ID string `json:"vdu_id" param:"required=it is the id of the VDU to change"`
}

// ChangeMembers are the members of Change.
var ChangeMembers = []string{"upgrade_type", "vdu_params"}

// Partial tells whether only some VDUs change: manifests that the request does not name stay.
func (c Change) Partial() bool { return len(c.Vdus) > 0 }

// ReadChange reads and checks the parameters of a change. It ignores other members.
func ReadChange(additionalParams json.RawMessage) (Change, []lcm.Problem) {
	var c Change
	problems, _ := manner.Read(paramsPath, additionalParams, &c)
	return c, append(problems, manner.Check(paramsPath, c)...)
}

// Problems lists VDUs that the flavour does not have.
func (c Change) Problems(f *descriptor.Flavour) (out []lcm.Problem) {
	for i, v := range c.Vdus {
		if _, ok := f.Vdu(v.ID); !ok && v.ID != "" {
			out = append(out, lcm.Problem{
				Path: fmt.Sprintf("%s.vdu_params[%d].vdu_id", paramsPath, i), Detail: fmt.Sprintf("the flavour %s has no VDU %q", f.ID,
					v.ID),
			})
		}
	}
	return out
}
