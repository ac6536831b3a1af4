package lcm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// paramReader reads one JSON object member by member and notes every member of a wrong type, where
// json.Unmarshal stops at the first. A nil reader reads nothing: an absent object needs no special case.
type paramReader struct {
	path     string
	members  map[string]json.RawMessage
	problems *[]Problem
}

func newParamReader(path string, doc json.RawMessage, problems *[]Problem) *paramReader {
	if isAbsent(doc) {
		return nil
	}
	r := &paramReader{path: path, problems: problems}
	if json.Unmarshal(doc, &r.members) != nil {
		*problems = append(*problems, Problem{path, "must be an object, not " + jsonType(doc) + "."})
		return nil
	}
	return r
}

func (r *paramReader) object(key string) *paramReader {
	if r == nil {
		return nil
	}
	return newParamReader(r.path+"."+key, r.members[key], r.problems)
}

func (r *paramReader) text(key string, to *string) {
	doc, ok := r.member(key)
	if !ok {
		return
	}
	var s string
	if json.Unmarshal(doc, &s) != nil {
		r.wrong(key, "a string", doc)
		return
	}
	*to = strings.TrimSpace(s)
}

func (r *paramReader) texts(key string, to *[]string) {
	doc, ok := r.member(key)
	if !ok {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil {
		r.wrong(key, "a list of strings", doc)
		return
	}
	for i, item := range list {
		var s string
		if json.Unmarshal(item, &s) != nil || isAbsent(item) {
			r.wrong(fmt.Sprintf("%s[%d]", key, i), "a string", item)
			continue
		}
		*to = append(*to, s)
	}
}

func (r *paramReader) number(key string, to *int) {
	doc, ok := r.member(key)
	if !ok {
		return
	}
	digits := strings.TrimSpace(strings.Trim(string(doc), `"`))
	n, err := strconv.Atoi(digits)
	if err != nil {
		r.wrong(key, "a whole number", doc)
		return
	}
	*to = n
}

func (r *paramReader) boolean(key string, to *bool) {
	doc, ok := r.member(key)
	if !ok {
		return
	}
	switch strings.ToLower(strings.Trim(string(doc), `"`)) {
	case "true":
		*to = true
	case "false":
		*to = false
	default:
		r.wrong(key, "true or false", doc)
	}
}

// secret takes a string or, once it is sealed, {"$secret": ref}. Its value never gets into a problem.
func (r *paramReader) secret(key string, to *Secret) {
	doc, ok := r.member(key)
	if !ok {
		return
	}
	var s Secret
	if s.UnmarshalJSON(doc) != nil || (doc[0] == '{' && s.Ref == "") {
		r.wrong(key, "a string", doc)
		return
	}
	*to = s
}

func (r *paramReader) member(key string) (json.RawMessage, bool) {
	if r == nil || isAbsent(r.members[key]) {
		return nil, false
	}
	return bytes.TrimSpace(r.members[key]), true
}

func (r *paramReader) wrong(key, want string, doc json.RawMessage) {
	*r.problems = append(*r.problems, Problem{r.path + "." + key, "must be " + want + ", not " + jsonType(doc) + "."})
}

func isAbsent(doc json.RawMessage) bool {
	doc = bytes.TrimSpace(doc)
	return len(doc) == 0 || string(doc) == "null"
}

// objects reads a list of objects. One of a wrong type is noted, and is nil in the list.
func (r *paramReader) objects(key string) (out []*paramReader) {
	doc, ok := r.member(key)
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil {
		r.wrong(key, "a list of objects", doc)
		return nil
	}
	for i, item := range list {
		out = append(out, newParamReader(fmt.Sprintf("%s.%s[%d]", r.path, key, i), item, r.problems))
	}
	return out
}

// word reads a string or a number, as it is written.
func (r *paramReader) word(key string, to *string) {
	doc, ok := r.member(key)
	if !ok {
		return
	}
	var n json.Number
	if json.Unmarshal(doc, &n) == nil && doc[0] != '"' {
		*to = n.String()
		return
	}
	r.text(key, to)
}

func jsonType(doc json.RawMessage) string {
	doc = bytes.TrimSpace(doc)
	if len(doc) == 0 {
		return "nothing"
	}
	switch doc[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string of another form"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
