package lcm

import (
	"encoding/json"
	"slices"
)

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
