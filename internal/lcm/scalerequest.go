package lcm

import "encoding/json"

// ScaleType is the direction of a scaling (SOL003 clause 5.5.2.5).
type ScaleType string

// The directions of SOL003 clause 5.5.2.5.
const (
	ScaleOut ScaleType = "SCALE_OUT"
	ScaleIn  ScaleType = "SCALE_IN"
)

// ScaleRequest is SOL003 clause 5.5.2.5.
type ScaleRequest struct {
	Type             ScaleType       `json:"type"`
	AspectID         string          `json:"aspectId"`
	NumberOfSteps    int             `json:"numberOfSteps"`
	AdditionalParams json.RawMessage `json:"additionalParams,omitempty"`
	Choice           ScaleInChoice   `json:"choice"`
	Waits
}

// ScaleToLevelRequest is SOL003 clause 5.5.2.6: an instantiation level, or the level of each aspect that changes.
type ScaleToLevelRequest struct {
	InstantiationLevelID string          `json:"instantiationLevelId,omitempty"`
	ScaleInfo            []ScaleInfo     `json:"scaleInfo,omitempty"`
	AdditionalParams     json.RawMessage `json:"additionalParams,omitempty"`
	Choice               ScaleInChoice   `json:"choice"`
	Waits
}

// ScaleInChoice is the part of additionalParams that chooses the VMs that a scale-in removes.
type ScaleInChoice struct {
	// VnfcIDs names the VNFCs to remove; their number must be that of the removed VMs.
	VnfcIDs []string `json:"vnfcIds,omitempty"`
	// Policy is the order after unhealthy VMs: newest (the default) or oldest first.
	Policy string `json:"policy,omitempty"`
}
