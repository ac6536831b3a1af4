package lcm

import (
	"encoding/json"
	"strconv"
	"strings"
)

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
	NumberOfSteps    Count           `json:"numberOfSteps"`
	AdditionalParams json.RawMessage `json:"additionalParams"`
}

// Count is a number. Tacker's guides also write it as a string, and some programs write 1 as 1.0.
type Count int

func countOf(doc []byte) (int, error) {
	text := strings.Trim(string(doc), `"`)
	if whole, zeros, _ := strings.Cut(text, "."); zeros != "" && strings.Trim(zeros, "0") == "" {
		text = whole
	}
	return strconv.Atoi(text)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Count) UnmarshalJSON(b []byte) error {
	if strings.Trim(string(b), `"`) == "null" {
		return nil
	}
	n, err := countOf(b)
	if err != nil {
		return Errorf(KindInvalid, "numberOfSteps must be a whole number, not %s.", b)
	}
	*c = Count(n)
	return nil
}

// Usual implements params.Usual.
func (Count) Usual(doc json.RawMessage) json.RawMessage {
	n, err := countOf(doc)
	if err != nil {
		return doc
	}
	return json.RawMessage(strconv.Itoa(n))
}

// UnmarshalJSON implements json.Unmarshaler. numberOfSteps is 1 by default.
func (r *ScaleRequest) UnmarshalJSON(body []byte) error {
	type plain ScaleRequest
	out := plain{NumberOfSteps: 1}
	if err := json.Unmarshal(body, &out); err != nil {
		return err
	}
	*r = ScaleRequest(out)
	return nil
}

// ScaleToLevelRequest is SOL003 clause 5.5.2.6: an instantiation level, or the level of each aspect that changes.
type ScaleToLevelRequest struct {
	InstantiationLevelID string          `json:"instantiationLevelId"`
	ScaleInfo            []ScaleInfo     `json:"scaleInfo"`
	AdditionalParams     json.RawMessage `json:"additionalParams"`
}

// ScaleInChoice is the part of additionalParams that chooses the VMs that a scale-in removes.
type ScaleInChoice struct {
	// VnfcIDs names the VNFCs to remove; their number must be that of the removed VMs.
	VnfcIDs Texts `json:"vnfc_instance_ids"`
	// Policy is the order after unhealthy VMs: newest (the default) or oldest first.
	Policy string `json:"scale_in_policy"`
}

// ParseScaleInChoice reads the part of additionalParams that chooses VMs.
func ParseScaleInChoice(additional json.RawMessage) (out ScaleInChoice, err error) {
	if len(additional) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(additional, &out); err != nil {
		return out, InvalidAll("additionalParams cannot be read.", []Problem{{
			Path: "$.additionalParams", Detail: "vnfc_instance_ids must be a list of ids, scale_in_policy newest or oldest",
		}})
	}
	return out, nil
}
