package params

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

func (r *reading) scalar(path string, doc json.RawMessage, v reflect.Value, u rules) (ok bool) {
	switch v.Kind() {
	case reflect.String:
		ok = r.text(path, doc, v)
	case reflect.Bool:
		ok = r.boolean(path, doc, v)
	case reflect.Int, reflect.Int64:
		ok = r.number(path, doc, v)
	default:
		panic("params: no way to read a " + v.Type().String())
	}
	if !ok {
		return false
	}
	if v.IsZero() && v.Kind() != reflect.Bool && !r.Standard {
		u.fill(v)
	}
	r.holds(path, v, u)
	return true
}

func (r *reading) text(path string, doc json.RawMessage, v reflect.Value) bool {
	text, ok := textOf(doc)
	if !ok {
		r.mistyped(path, "a string", doc)
		return false
	}
	if !r.Standard {
		text = strings.TrimSpace(text)
	}
	v.SetString(text)
	return true
}

func textOf(doc json.RawMessage) (text string, ok bool) {
	return text, doc[0] == '"' && json.Unmarshal(doc, &text) == nil
}

// unquoted removes the quotes from values that Tacker's clients may put into quotes.
func (r *reading) unquoted(doc json.RawMessage) (inner string, quoted bool) {
	if text, ok := textOf(doc); ok && !r.Standard {
		return strings.TrimSpace(text), true
	}
	return string(doc), false
}

func (r *reading) boolean(path string, doc json.RawMessage, v reflect.Value) bool {
	word, quoted := r.unquoted(doc)
	if quoted {
		word = strings.ToLower(word)
	}
	switch {
	case word == "true" || word == "false":
		v.SetBool(word == "true")
		return true
	case quoted:
		r.tell(path, "must be true or false, not a string of another form")
	default:
		r.mistyped(path, "true or false", doc)
	}
	return false
}

func (r *reading) number(path string, doc json.RawMessage, v reflect.Value) bool {
	const must = "a whole number"
	digits, quoted := r.unquoted(doc)
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err == nil && n <= math.MaxInt32:
		v.SetInt(n)
		return true
	case err == nil:
		r.tell(path, "must be at most %d, not %d", math.MaxInt32, n)
	case quoted:
		r.tell(path, "must be %s, not a string of another form", must)
	case nameOf(doc) == "a number":
		r.tell(path, "must be %s, not %.40s", must, digits)
	default:
		r.mistyped(path, must, doc)
	}
	return false
}

// QuotedNumber makes a string of a number, as it is written.
func QuotedNumber(doc json.RawMessage) json.RawMessage {
	var number json.Number
	if doc[0] == '"' || json.Unmarshal(doc, &number) != nil || number == "" {
		return doc
	}
	return json.RawMessage(strconv.Quote(number.String()))
}
