package descriptor

import (
	"time"
)

// LcmOperations is lcm_operations_configuration of a flavour's VNF node: it restricts the requests for the VNF. Where
// the VNFD gives no value, a pointer is nil, and a list and a time are empty.
type LcmOperations struct {
	// SeveralSteps tells whether SCALE takes numberOfSteps of more than one.
	SeveralSteps *bool `json:"severalSteps,omitempty"`
	// AnyLevels tells whether SCALE_TO_LEVEL takes scaleInfo.
	AnyLevels *bool `json:"anyLevels,omitempty"`
	// HealCauses are the values of cause that HEAL takes.
	HealCauses []string `json:"healCauses,omitempty"`
	// MinTermination and MinStop are the shortest timeouts of a graceful termination and a graceful stop, in seconds.
	// SOL001 says that the recommended longest timeouts are no constraints.
	MinTermination int `json:"minTermination,omitempty"`
	MinStop        int `json:"minStop,omitempty"`
}

// longestGrace is the longest limit that Windlass waits anywhere.
const longestGrace = 2 * time.Hour

// LeastGrace is the longest graceful termination timeout that the VNFD requires to be possible.
func (f *Flavour) LeastGrace() time.Duration {
	if f.LcmOperations == nil {
		return 0
	}
	return min(time.Duration(f.LcmOperations.MinTermination)*time.Second, longestGrace)
}
