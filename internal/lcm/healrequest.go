package lcm

import "encoding/json"

// HealRequest is SOL003 clause 5.5.2.9 with the member vnfcInstanceId of SOL002, which Tacker accepts, too. Without
// vnfcInstanceId, the heal is for the entire VNF.
type HealRequest struct {
	VnfcInstanceID   []string        `json:"vnfcInstanceId,omitempty"`
	Cause            string          `json:"cause,omitempty"`
	AdditionalParams json.RawMessage `json:"additionalParams,omitempty"`
	// KeepVolumes gives a machine that is made anew its volumes back. All, Tacker's member, means the opposite.
	KeepVolumes *bool `json:"keepVolumes,omitempty"`
	All         *bool `json:"all,omitempty"`
	Waits
}

// KeepsVolumes reports whether a healed machine gets its volumes back with all data. by is the member of the request
// that says so: KeepVolumes, HealAll, or "" for none. By default, the volumes of a storage server are replaced, and all
// others are kept.
func (r HealRequest) KeepsVolumes() (keep bool, by string) {
	switch {
	case r.KeepVolumes != nil:
		return *r.KeepVolumes, KeepVolumes
	case r.All != nil:
		return !*r.All, HealAll
	default:
		return false, ""
	}
}

// ReplacesAll reports whether a heal also replaces the ports and volumes of its VNFCs.
func (r HealRequest) ReplacesAll() bool { return r.All != nil && *r.All }
