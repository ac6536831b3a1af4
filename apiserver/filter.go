package apiserver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// filter is an attribute-based filter (SOL013 clause 5.2): all of its expressions must match.
type filter []expression

type expression struct {
	op     string
	path   []string
	values []string
}

var filterOps = []string{"eq", "neq", "gt", "gte", "lt", "lte", "in", "nin", "cont", "ncont"}

// parseFilter reads `(op,attr[/attr],value[,value])[;(...)]`.
func parseFilter(text string) (filter, error) {
	var out filter
	for rest := text; ; {
		if !strings.HasPrefix(rest, "(") {
			return nil, fmt.Errorf("must be like (eq,attribute,value), not %q", rest)
		}
		parts, after, err := splitExpression(rest[1:])
		if err != nil {
			return nil, err
		}
		e, err := makeExpression(parts)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if after == "" {
			return out, nil
		}
		if rest = strings.TrimPrefix(after, ";"); rest == after {
			return nil, fmt.Errorf("expects ';' before %q", after)
		}
	}
}

// splitExpression reads up to the closing parenthesis; values with , or ) or ' are quoted, quotes doubled.
func splitExpression(text string) (parts []string, after string, err error) {
	var b strings.Builder
	for i, quoted := 0, false; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\'' && quoted && i+1 < len(text) && text[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case ch == '\'':
			quoted = !quoted
		case ch == ',' && !quoted:
			parts = append(parts, b.String())
			b.Reset()
		case ch == ')' && !quoted:
			return append(parts, b.String()), text[i+1:], nil
		default:
			b.WriteByte(ch)
		}
	}
	return nil, "", fmt.Errorf("has no closing parenthesis in (%s", text)
}

func makeExpression(parts []string) (expression, error) {
	if len(parts) < 3 || parts[1] == "" {
		return expression{}, fmt.Errorf("needs an operator, an attribute and a value in (%s)", strings.Join(parts, ","))
	}
	op := parts[0]
	if !slices.Contains(filterOps, op) {
		return expression{}, fmt.Errorf("does not know the operator %q; it has %s", op, strings.Join(filterOps, ", "))
	}
	if multi := slices.Contains(filterOps[6:], op); !multi && len(parts) != 3 {
		return expression{}, fmt.Errorf("takes one value with %s", op)
	}
	e := expression{op: op, values: parts[2:]}
	for name := range strings.SplitSeq(parts[1], "/") {
		e.path = append(e.path, strings.NewReplacer("~0", "~", "~1", "/", "~a", ",", "~b", "@").Replace(name))
	}
	return e, nil
}

func (f filter) matches(doc map[string]any) bool {
	return !slices.ContainsFunc(f, func(e expression) bool { return !e.matches(doc, e.path) })
}

// matches looks the attribute up; in an array any element will do, and what is not there does not match.
func (e expression) matches(v any, path []string) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return e.matches(item, path) })
	case map[string]any:
		if len(path) == 0 {
			return false
		}
		if path[0] == "@key" {
			for key := range v {
				if e.compare(key) {
					return true
				}
			}
			return false
		}
		member, ok := v[path[0]]
		return ok && e.matches(member, path[1:])
	default:
		return len(path) == 0 && e.compare(v)
	}
}

func (e expression) compare(v any) bool {
	hit := slices.ContainsFunc(e.values, func(value string) bool { return e.compareOne(v, value) })
	switch e.op {
	case "neq", "nin", "ncont":
		return !hit
	default:
		return hit
	}
}

func (e expression) compareOne(v any, value string) bool {
	if e.op == "cont" || e.op == "ncont" {
		text, ok := v.(string)
		return ok && strings.Contains(text, value)
	}
	sign, ok := order(v, value)
	if !ok {
		return false
	}
	switch e.op {
	case "gt":
		return sign > 0
	case "gte":
		return sign >= 0
	case "lt":
		return sign < 0
	case "lte":
		return sign <= 0
	default:
		return sign == 0
	}
}

// order compares by the attribute's own type; false when the value is not of that type.
func order(v any, value string) (int, bool) {
	switch v := v.(type) {
	case string:
		at, err1 := time.Parse(time.RFC3339, v)
		other, err2 := time.Parse(time.RFC3339, value)
		if err1 == nil && err2 == nil {
			return at.Compare(other), true
		}
		return strings.Compare(v, value), true
	case bool:
		other, err := strconv.ParseBool(value)
		return boolOrder(v, other), err == nil
	case float64:
		other, err := strconv.ParseFloat(value, 64)
		return cmp.Compare(v, other), err == nil
	default:
		return 0, false
	}
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}
