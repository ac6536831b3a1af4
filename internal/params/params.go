// Package params reads requests: it reads a JSON document into a struct whose tags hold the rules of each member. It
// reports all mistakes at once, each with its JSON path.
//
// A parameter is one field. Beside its name in JSON it has the tag `param`, whose rules are separated by semicolons:
//
//	Port int `json:"port" param:"default=5000; min=1; max=65535"`
//
//	required, required=why   the member must be present; why is a clause for the reader of the problem
//	default=5000             the value if the member is absent, or empty, or 0
//	min=1, max=9, unit=days  the bounds of a number
//	enum=a|b                 the allowed texts
//	is=name                  a check of Manner.Checks
//	notnull                  null is refused, where it would else count as absent
//
// Rules of a list hold for its items, except required, default and notnull. Rules about several members are code: see
// Settler and Checker.
package params

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Problem is one mistake in a request, a file or a node.
type Problem struct {
	// Path is a JSON path in a request ("$.additionalParams.x"), a file in a package, or a node's name.
	Path   string `json:"path"`
	Detail string `json:"detail"`
}

// Manner says how to read requests of one kind.
type Manner struct {
	// Standard reads requests by SOL003's rules: types are strict, null is refused where a member is required, and a
	// name with the wrong case is refused. Values are checked as they are read.
	//
	// Without it, requests are read as Tacker's clients write them: numbers and booleans may be strings, texts are
	// trimmed, and null counts as absent. Check checks the values afterwards, when defaults are filled in.
	Standard bool
	// Kept reads what was accepted before: only types count, and no rule of a tag.
	Kept bool
	// Checks are the checks that tags name.
	Checks map[string]Check
}

// Check says why a value is wrong, "" if it is not. It is called for present values only.
type Check func(value any) string

// Of is a Check of values of one type. string and int also match all types of these kinds; other types match only
// themselves.
func Of[T any](why func(T) string) Check {
	return func(value any) string {
		v, ok := value.(T)
		if !ok {
			panic(fmt.Sprintf("params: a check of %T is named for a %T", v, value))
		}
		return why(v)
	}
}

// Matches is a Check that texts match a pattern; meaning describes such a text.
func Matches(pattern *regexp.Regexp, meaning string) Check {
	return Of(func(text string) string {
		if pattern.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("must be %s, not %q", meaning, text)
	})
}

// With is the manner with more checks.
func (m Manner) With(checks map[string]Check) Manner {
	more := maps.Clone(m.Checks)
	maps.Copy(more, checks)
	m.Checks = more
	return m
}

// ReadMember reads the member key of the object at path. The member must be present; why is a clause that tells its
// purpose. Unknown members are returned apart, as in Read.
func (m Manner) ReadMember(path string, object json.RawMessage, key, why string, to any) (problems, unknown []Problem) {
	var members map[string]json.RawMessage
	problems, _ = m.Read(path, object, &members)
	if len(problems) == 0 && Absent(members[key]) {
		problems = append(problems, Problem{Path: path + "." + key, Detail: "is missing: " + why + "."})
	}
	wrong, unknown := m.Read(path+"."+key, members[key], to)
	return append(problems, wrong...), unknown
}

// Settler is a struct that fills in or normalizes members once they are read, for example from other members.
type Settler interface{ Settle() }

// Checker is a struct with rules over several members.
type Checker interface {
	CheckMembers(wrong Wrong)
}

// Wrong reports a mistake in a member of a struct; the member's path is below the struct's path.
type Wrong = func(member, format string, args ...any)

// Listed is a text that must be one of a list, where the list is not written in the tag.
type Listed interface {
	Listed() []string
}

// Usual is a type that also accepts other forms of JSON. Usual turns them into the usual form, and leaves others
// unchanged.
type Usual interface {
	Usual(doc json.RawMessage) json.RawMessage
}

// Own is a type that reads itself, null included.
type Own interface {
	// ReadParam reads the document. If it cannot, it returns what the document must be, such as "a string".
	ReadParam(doc json.RawMessage) (must string)
}

// Noted is for a struct that must know which members its object has, null included. Such a struct embeds it.
type Noted struct {
	doc     json.RawMessage
	members map[string]json.RawMessage
}

type noter interface {
	note(doc json.RawMessage, members map[string]json.RawMessage)
}

func (n *Noted) note(doc json.RawMessage, members map[string]json.RawMessage) {
	n.doc, n.members = doc, members
}

// Member is the member as it was written, nil if the object does not have it.
func (n Noted) Member(name string) json.RawMessage { return n.members[name] }

// Has tells whether the object has the member, even if it is null.
func (n Noted) Has(name string) bool { return n.members[name] != nil }

// Nulls tells whether the member is null.
func (n Noted) Nulls(name string) bool { return isNull(trim(n.members[name])) }

// Names are the names of all members, in order.
func (n Noted) Names() []string { return slices.Sorted(maps.Keys(n.members)) }

// Document is the whole object, as it was written.
func (n Noted) Document() json.RawMessage { return n.doc }

// Read reads doc, which stands at path, into to, a pointer to a struct, a list or a map. An absent doc is nil. A wrong
// value leaves the zero value. unknown are members that to has no field for: a caller that refuses them adds them to
// the problems.
func (m Manner) Read(path string, doc json.RawMessage, to any) (problems, unknown []Problem) {
	v := reflect.ValueOf(to).Elem()
	m.verifyOnce(v.Type())
	r := reading{Manner: m}
	broken := len(trim(doc)) > 0 && !json.Valid(doc)
	if broken {
		r.tell(path, "is not JSON")
		doc = nil
	}
	r.member(path, trim(doc), v, rules{required: !broken})
	return r.problems, r.unknown
}

// Check checks a value that was read, or made, against the rules of its fields, its Checkers included.
func (m Manner) Check(path string, value any) []Problem {
	v := reflect.ValueOf(value)
	m.verifyOnce(v.Type())
	c := checking{Manner: m}
	c.value(path, v, rules{})
	return c.problems
}

// Mistakes are what a read has found: values of a wrong type, which a program cannot go on with, and members without a
// meaning, which it can leave alone.
type Mistakes struct{ Types, Unknown []Problem }

// With are all mistakes: of type, then of meaning, then the unknown members. A mistake of meaning that follows from a
// mistake of type is left out.
func (m Mistakes) With(meaning []Problem) []Problem {
	return append(Join(m.Types, meaning), m.Unknown...)
}

// Join appends the problems in later that do not follow from earlier: an unreadable value lacks its members, too.
func Join(earlier, later []Problem) []Problem {
	known := map[string]bool{}
	for _, p := range earlier {
		known[p.Path] = true
	}
	for _, p := range later {
		if !covered(known, p.Path) {
			earlier = append(earlier, p)
		}
	}
	return earlier
}

func covered(known map[string]bool, path string) bool {
	for {
		if known[path] {
			return true
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

type findings struct{ problems []Problem }

// wrong tells a mistake; sentences of the standard's resources have no full stop.
func (m Manner) wrong(to *findings, path, format string, args ...any) {
	detail := strings.TrimSuffix(fmt.Sprintf(format, args...), ".")
	if !m.Standard {
		detail += "."
	}
	to.problems = append(to.problems, Problem{path, detail})
}
