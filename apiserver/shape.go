package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// decode reads a JSON body into T. encoding/json stops at the first mistyped member; this reports all of
// them at once, each with its JSON path. Members that T does not know are ignored, as Tacker does.
//
// Members are checked by T's types and by the tag `sol`: "required", "enum=A|B", "min=1".
func decode[T any](body []byte) (T, error) {
	var out T
	if err := wellFormed(body); err != nil {
		return out, err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return out, lcm.Wrap(lcm.KindInvalid, err, "The request's body is not JSON.")
	}
	var s shape
	s.check("$", doc, reflect.TypeFor[T](), "")
	if p := unfit(doc, deepest); p != nil && len(s.problems) == 0 {
		s.add("$"+p.Path, "%s", p.Detail)
	}
	if err := lcm.InvalidAll("The request has mistakes", s.problems); err != nil {
		return out, err
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return out, lcm.Wrap(lcm.KindInvalid, err, "The request's body does not have the expected form.")
	}
	return out, nil
}

func wellFormed(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return lcm.Errorf(lcm.KindInvalid, "The request has no body; a JSON object is expected.")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var any json.RawMessage
	err := dec.Decode(&any)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return lcm.Errorf(lcm.KindInvalid, "The request's body is not JSON: there is text after the end of the document.")
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(body[:min(int(e.Offset), len(body))], []byte("\n"))
		return lcm.Errorf(lcm.KindInvalid, "The request's body is not JSON: %s in line %d.", e, line)
	}
	return lcm.Wrap(lcm.KindInvalid, err, "The request's body is not JSON: it ends too early.")
}

type shape struct{ problems []lcm.Problem }

func (s *shape) add(path, format string, args ...any) {
	s.problems = append(s.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (s *shape) check(path string, v any, t reflect.Type, rules string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
		return
	}
	if v == nil && t == reflect.TypeFor[cpConfigPatch]() {
		return
	}
	if v == nil {
		s.add(path, "must not be null")
		return
	}
	v = lenient(v, t)
	switch t.Kind() {
	case reflect.Struct:
		s.checkStruct(path, v, t)
	case reflect.Map:
		s.checkMap(path, v, t)
	case reflect.Slice:
		s.checkSlice(path, v, t)
	default:
		s.checkScalar(path, v, t, rules)
	}
}

// lenient takes what Tacker takes: a number in quotes, a bare string for a list of one, and a version that is a number.
func lenient(v any, t reflect.Type) any {
	if number, ok := v.(json.Number); ok && t == reflect.TypeFor[lcm.VersionText]() {
		return number.String()
	}
	text, ok := v.(string)
	switch {
	case ok && t == reflect.TypeFor[lcm.Count]():
		return json.Number(text)
	case ok && t == reflect.TypeFor[lcm.Texts]():
		return []any{text}
	default:
		return v
	}
}

func (s *shape) checkStruct(path string, v any, t reflect.Type) {
	m, ok := v.(map[string]any)
	if !ok {
		s.add(path, "must be an object, not %s", nameOf(v))
		return
	}
	for f := range t.Fields() {
		if f.Anonymous {
			s.checkStruct(path, v, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		rules := f.Tag.Get("sol")
		member, given := m[name]
		s.checkNames(path, m, name)
		required := slices.Contains(strings.Split(rules, ","), "required")
		switch {
		case !given && required:
			s.add(join(path, name), "is missing")
		case given && (member != nil || required):
			s.check(join(path, name), member, f.Type, rules)
		}
	}
}

// checkNames refuses what differs from a name by its case only: encoding/json would take it for the member, unchecked.
func (s *shape) checkNames(path string, m map[string]any, name string) {
	for key := range m {
		if key != name && strings.EqualFold(key, name) {
			s.add(join(path, key), "must be written %s", name)
		}
	}
}

func (s *shape) checkMap(path string, v any, t reflect.Type) {
	m, ok := v.(map[string]any)
	if !ok {
		s.add(path, "must be an object, not %s", nameOf(v))
		return
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		s.check(join(path, k), m[k], t.Elem(), "")
	}
}

func (s *shape) checkSlice(path string, v any, t reflect.Type) {
	list, ok := v.([]any)
	if !ok {
		s.add(path, "must be an array, not %s", nameOf(v))
		return
	}
	for i, e := range list {
		s.check(path+"["+strconv.Itoa(i)+"]", e, t.Elem(), "")
	}
}

func (s *shape) checkScalar(path string, v any, t reflect.Type, rules string) {
	switch t.Kind() {
	case reflect.String:
		text, ok := v.(string)
		if !ok {
			s.add(path, "must be a string, not %s", nameOf(v))
			return
		}
		s.checkText(path, text, rules)
		if f, ok := formats[t]; ok && !f.holds(text) {
			s.add(path, "must be %s, not %q", f.name, text)
		}
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			s.add(path, "must be true or false, not %s", nameOf(v))
		}
	case reflect.Int, reflect.Int64:
		s.checkInteger(path, v, rules)
	default:
		panic("shape: no rule for " + t.String())
	}
}

// macText, addressText and timeText are strings of one form.
type (
	macText     string
	timeText    string
	addressText string
)

var formats = map[reflect.Type]struct {
	name  string
	holds func(text string) bool
}{
	reflect.TypeFor[macText](): {"a MAC address such as fa:16:3e:00:00:01", func(text string) bool {
		mac, err := net.ParseMAC(text)
		return err == nil && len(mac) == 6
	}},
	reflect.TypeFor[timeText](): {"a time such as 2030-01-02T03:04:05Z", func(text string) bool {
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}},
	reflect.TypeFor[addressText](): {"an IP address", func(text string) bool {
		_, err := netip.ParseAddr(text)
		return err == nil
	}},
}

func (s *shape) checkText(path, text, rules string) {
	for rule := range strings.SplitSeq(rules, ",") {
		if rule == "required" && text == "" {
			s.add(path, "must not be empty")
			return
		}
		if values, ok := strings.CutPrefix(rule, "enum="); ok && !slices.Contains(strings.Split(values, "|"), text) {
			s.add(path, "must be %s, not %q", strings.ReplaceAll(values, "|", " or "), text)
		}
	}
}

func (s *shape) checkInteger(path string, v any, rules string) {
	number, ok := v.(json.Number)
	if !ok {
		s.add(path, "must be an integer, not %s", nameOf(v))
		return
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || n > math.MaxInt32 {
		s.add(path, "must be an integer, not %s", number)
		return
	}
	for rule := range strings.SplitSeq(rules, ",") {
		if least, ok := strings.CutPrefix(rule, "min="); ok {
			if limit, _ := strconv.ParseInt(least, 10, 64); n < limit {
				s.add(path, "must be at least %s, not %d", least, n)
			}
		}
	}
}

// join makes the JSON path of a member.
func join(path, key string) string { return lcm.MemberPath(path, key) }

func nameOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
