package lcm

import (
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/params"
)

// HealRequest is SOL003 clause 5.5.2.9 with the member vnfcInstanceId of SOL002, which Tacker accepts, too. Without
// vnfcInstanceId, the heal is for the entire VNF.
type HealRequest struct {
	VnfcInstanceID   Texts           `json:"vnfcInstanceId"`
	Cause            string          `json:"cause"`
	AdditionalParams json.RawMessage `json:"additionalParams"`
}

// Texts is a list of strings; a bare string is a list of one.
type Texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Texts) UnmarshalJSON(b []byte) error {
	var one string
	if string(b) != "null" && json.Unmarshal(b, &one) == nil {
		*t = Texts{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*t = list
	return nil
}

// Usual implements params.Usual.
func (Texts) Usual(doc json.RawMessage) json.RawMessage {
	if doc[0] != '"' {
		return doc
	}
	return slices.Concat(json.RawMessage("["), doc, json.RawMessage("]"))
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *HealRequest) UnmarshalJSON(body []byte) error {
	type plain HealRequest
	var out plain
	if err := json.Unmarshal(body, &out); err != nil {
		return err
	}
	if params.Absent(out.AdditionalParams) {
		out.AdditionalParams = nil
	}
	*r = HealRequest(out)
	return nil
}

// KeepsVolumes reports whether a healed machine gets its volumes back with all data. by is the member of the request
// that says so: KeepVolumes, HealAll, or "" for none. By default, the volumes of a storage server are replaced, and all
// others are kept.
func (r HealRequest) KeepsVolumes() (keep bool, by string) {
	switch p := r.params(); {
	case p.KeepVolumes != nil:
		return *p.KeepVolumes, KeepVolumes
	case p.All != nil:
		return !*p.All, HealAll
	default:
		return false, ""
	}
}

// ReplacesAll reports whether a heal also replaces the ports and volumes of its VNFCs.
func (r HealRequest) ReplacesAll() bool {
	all := r.params().All
	return all != nil && *all
}

func (r HealRequest) params() (p healParams) {
	Tackers.Read("$.additionalParams", r.AdditionalParams, &p) // the API reported its mistakes when the request came
	return p
}
