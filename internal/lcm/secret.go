package lcm

import "encoding/json"

// Secret is a value that is sealed before it is stored: a string in a request, {"$secret": ref} afterwards.
type Secret struct {
	// Ref names the sealed value; "" before sealing.
	Ref SecretRef
	// Clear is the value in a request that has not been sealed yet; it is never marshalled.
	Clear string
}

// IsZero reports whether there is neither a value nor a reference.
func (s Secret) IsZero() bool { return s.Ref == "" && s.Clear == "" }

// ParamKind implements params.Kinder.
func (Secret) ParamKind() string { return "text, sealed" }

// MarshalJSON writes the reference, never the value.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s.Ref == "" {
		return []byte("null"), nil
	}
	return json.Marshal(map[string]SecretRef{SecretKey: s.Ref})
}

// UnmarshalJSON reads a string or a reference.
func (s *Secret) UnmarshalJSON(b []byte) error {
	var ref map[string]SecretRef
	if err := json.Unmarshal(b, &ref); err == nil {
		*s = Secret{Ref: ref[SecretKey]}
		return nil
	}
	return json.Unmarshal(b, &s.Clear)
}

// ReadParam implements params.Own. A problem never contains the value.
func (s *Secret) ReadParam(doc json.RawMessage) (must string) {
	if s.UnmarshalJSON(doc) != nil || (doc[0] == '{' && s.Ref == "") {
		*s = Secret{}
		return "a string"
	}
	return ""
}

// String keeps values out of logs and errors.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return "***"
}

// GoString keeps values out of %#v.
func (s Secret) GoString() string { return s.String() }
