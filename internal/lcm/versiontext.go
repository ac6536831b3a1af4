package lcm

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/params"
)

// VersionText is a version in a filter. Tacker's requests also send versions as numbers. Then it is the text of the
// number, 1.0 and not 1.
type VersionText string

// UnmarshalJSON implements json.Unmarshaler.
func (v *VersionText) UnmarshalJSON(b []byte) error {
	var number json.Number
	if len(b) > 0 && b[0] != '"' && json.Unmarshal(b, &number) == nil {
		*v = VersionText(number)
		return nil
	}
	return json.Unmarshal(b, (*string)(v))
}

// Usual implements params.Usual.
func (VersionText) Usual(doc json.RawMessage) json.RawMessage { return params.QuotedNumber(doc) }
