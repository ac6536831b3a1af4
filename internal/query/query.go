// Package query is the attribute-based filter of SOL013 clause 5.2: its grammar, and the match of documents. It is
// pure. internal/store makes SQL from a Filter, and Matches decides finally.
package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Op is an operator of SOL013 clause 5.2.2.
type Op string

// The operators. In, Nin, Cont and Ncont take several values.
const (
	Eq    Op = "eq"
	Neq   Op = "neq"
	Gt    Op = "gt"
	Gte   Op = "gte"
	Lt    Op = "lt"
	Lte   Op = "lte"
	In    Op = "in"
	Nin   Op = "nin"
	Cont  Op = "cont"
	Ncont Op = "ncont"
)

var ops = []Op{Eq, Neq, Gt, Gte, Lt, Lte, In, Nin, Cont, Ncont}

// Many tells whether the operator takes more than one value.
func (o Op) Many() bool { return o == In || o == Nin || o == Cont || o == Ncont }

// Negative tells whether the operator is met only if none of its values matches.
func (o Op) Negative() bool { return o == Neq || o == Nin || o == Ncont }

// Filter is met by a document that meets all of its expressions.
type Filter []Expression

// Expression compares one attribute. For an array, one matching element is enough.
type Expression struct {
	Op Op
	// Path are the names of the attribute, unescaped, from the outermost on.
	Path []string
	// OfKey compares the keys of the map at Path instead of its values ("@key").
	OfKey bool
	// Values holds one value, or several if Op takes many.
	Values []string
}

const keyName = "@key"

// Limits of a filter: the database compares every row with every value.
const (
	mostExpressions = 20
	mostValues      = 100
)

// checkSize bounds what a filter asks of the database.
func (f Filter) checkSize() error {
	values := 0
	for _, e := range f {
		values += len(e.Values)
	}
	switch {
	case len(f) > mostExpressions:
		return fmt.Errorf("has more than %d expressions", mostExpressions)
	case values > mostValues:
		return fmt.Errorf("has more than %d values in its expressions", mostValues)
	}
	return nil
}

var unescape = strings.NewReplacer("~0", "~", "~1", "/", "~a", ",", "~b", "@")

// Parse reads `(op,attr[/attr],value[,value])[;(...)]`. In names ~0, ~1, ~a and ~b stand for ~ / , and @; values with
// a comma, a closing parenthesis or a quote are in single quotes, quotes doubled.
func Parse(text string) (Filter, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("is not UTF-8, or holds a NUL character")
	}
	var out Filter
	for rest := text; ; {
		inner, ok := strings.CutPrefix(rest, "(")
		if !ok {
			return nil, fmt.Errorf("must be like (eq,attribute,value), not %q", rest)
		}
		e, after, err := parseExpression(inner)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if err := out.checkSize(); err != nil {
			return nil, err
		}
		if after == "" {
			return out, nil
		}
		if rest, ok = strings.CutPrefix(after, ";"); !ok {
			return nil, fmt.Errorf("expects ';' before %q", after)
		}
	}
}

// parseExpression reads the text after an opening parenthesis, including the closing one.
func parseExpression(text string) (e Expression, after string, err error) {
	op, rest, ok := strings.Cut(text, ",")
	e.Op = Op(op)
	if !ok || !slices.Contains(ops, e.Op) {
		return e, "", fmt.Errorf("begins with none of the operators %s in (%s", join(ops), text)
	}
	name, rest, ok := strings.Cut(rest, ",")
	if !ok {
		return e, "", fmt.Errorf("needs an attribute and a value in (%s", text)
	}
	if err := e.parsePath(name); err != nil {
		return e, "", err
	}
	for {
		value, next, err := parseValue(rest)
		if err != nil {
			return e, "", err
		}
		e.Values = append(e.Values, value)
		if after, ok := strings.CutPrefix(next, ")"); ok {
			return e, after, e.checkValues()
		}
		if rest, ok = strings.CutPrefix(next, ","); !ok {
			return e, "", fmt.Errorf("has no closing parenthesis in (%s", text)
		}
	}
}

func (e *Expression) checkValues() error {
	if !e.Op.Many() && len(e.Values) != 1 {
		return fmt.Errorf("takes one value with %s", e.Op)
	}
	return nil
}

func (e *Expression) parsePath(text string) error {
	for name := range strings.SplitSeq(text, "/") {
		switch {
		case e.OfKey:
			return fmt.Errorf("has a name after %s in %q", keyName, text)
		case name == "" || strings.ContainsAny(name, "()"):
			return fmt.Errorf("needs an attribute like name or name/name, not %q", text)
		case name == keyName:
			e.OfKey = true
		default:
			e.Path = append(e.Path, unescape.Replace(name))
		}
	}
	if len(e.Path) == 0 {
		return fmt.Errorf("needs the name of a map before %s", keyName)
	}
	return nil
}

// parseValue reads one value; after begins with the character that ends it.
func parseValue(text string) (value, after string, err error) {
	if !strings.HasPrefix(text, "'") {
		end := strings.IndexAny(text, ",)'")
		if end < 0 {
			return "", "", fmt.Errorf("has no closing parenthesis after %q", text)
		}
		if text[end] == '\'' {
			return "", "", fmt.Errorf("has a quote within the value %q; put the value in quotes and double the quotes "+
				"in it", text)
		}
		return text[:end], text[end:], nil
	}
	var b strings.Builder
	for rest := text[1:]; ; {
		part, next, ok := strings.Cut(rest, "'")
		if !ok {
			return "", "", fmt.Errorf("has no closing quote in %s", text)
		}
		b.WriteString(part)
		if !strings.HasPrefix(next, "'") {
			return b.String(), next, nil
		}
		b.WriteByte('\'')
		rest = next[1:]
	}
}

// String writes the filter in the form that Parse reads.
func (f Filter) String() string {
	parts := make([]string, 0, len(f))
	for _, e := range f {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, ";")
}

var escape = strings.NewReplacer("~", "~0", "/", "~1", ",", "~a", "@", "~b")

func (e Expression) String() string {
	var names []string
	for _, name := range e.Path {
		names = append(names, escape.Replace(name))
	}
	if e.OfKey {
		names = append(names, keyName)
	}
	parts := []string{string(e.Op), strings.Join(names, "/")}
	for _, value := range e.Values {
		if strings.ContainsAny(value, ",)'") {
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		parts = append(parts, value)
	}
	return "(" + strings.Join(parts, ",") + ")"
}

func join(ops []Op) string {
	var names []string
	for _, op := range ops {
		names = append(names, string(op))
	}
	return strings.Join(names, ", ")
}
