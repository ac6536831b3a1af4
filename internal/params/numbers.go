package params

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Rounds tells whether a whole number of a JSON document loses digits as a number of 64 bits, as most programs read it.
// Serial numbers have up to 20 digits, and each of them counts. A fraction is an approximation anyway.
func Rounds(number json.Number) bool {
	text := number.String()
	if strings.ContainsAny(text, ".eE") {
		return false
	}
	f, err := number.Float64()
	return err == nil && math.Abs(f) >= 1<<53 && strconv.FormatFloat(f, 'f', -1, 64) != text
}

// Unmarshal reads a JSON document as encoding/json does, but a whole number that would lose digits stays a json.Number.
func Unmarshal(doc []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return usual(v), nil
}

func usual(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, of := range v {
			v[key] = usual(of)
		}
	case []any:
		for i, of := range v {
			v[i] = usual(of)
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && !Rounds(v) {
			return f
		}
	}
	return v
}

// exact reports the numbers of a value that would lose digits: what reads them later has 64 bits for a number.
func (r *reading) exact(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			r.exact(MemberPath(path, key), v[key])
		}
	case []any:
		for i, of := range v {
			r.exact(ItemPath(path, i), of)
		}
	case json.Number: // Unmarshal leaves only these. The number itself may be a secret.
		r.tell(path, "is a whole number that would lose digits: give it as a text, in quotation marks")
	}
}
