package descriptor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Attributes are the attributes of a VnfInstance that clients may modify. A nil map has no member.
type Attributes struct {
	Metadata, Extensions, ConfigurableProperties map[string]any
}

// standardProperties are the configurable properties that SOL003 clause 5.5.2.2 names itself.
var standardProperties = map[string]Member{
	"isAutoscaleEnabled": {Type: TypeBoolean}, "isAutohealEnabled": {Type: TypeBoolean},
}

// Problems lists, with JSON paths, where attributes differ from the VNFD's declarations. Metadata may have undeclared
// members, and may lack required ones (SOL003 clauses 5.4.2.3.1 and 5.4.3.3.4). Extensions and configurable properties
// may have no undeclared members if the VNFD declares any. If complete is set, the required members must be there, as
// an instantiated VNF needs them. A problem does not contain the value, which may be a secret.
func (d Declared) Problems(a Attributes, complete bool) []lcm.Problem {
	c := &conformity{}
	if len(d.Metadata) > 0 {
		c.members("$.metadata", a.Metadata, d.Metadata, true)
	}
	if len(d.Extensions) > 0 {
		c.members("$.extensions", a.Extensions, d.Extensions, false)
		c.required("$.extensions", a.Extensions, d.Extensions, complete)
	}
	if len(d.ConfigurableProperties) > 0 {
		properties := maps.Clone(a.ConfigurableProperties)
		delete(properties, lcm.RegistriesKey) // Windlass's own, whatever the VNFD says
		declared := maps.Clone(standardProperties)
		maps.Copy(declared, d.ConfigurableProperties)
		delete(declared, lcm.RegistriesKey)
		c.members("$.vnfConfigurableProperties", properties, declared, false)
		c.required("$.vnfConfigurableProperties", properties, declared, complete)
	}
	return c.problems
}

// VnfcProblems lists where the configurable properties of a VNFC of this VDU, at a JSON path, differ from the VNFD's
// declarations. If a VDU declares none, any property is allowed. No property is required, because only a modification
// sets them.
func (v Vdu) VnfcProblems(path string, properties map[string]any) []lcm.Problem {
	c := &conformity{}
	if len(v.ConfigurableProperties) > 0 {
		c.members(path, properties, v.ConfigurableProperties, false)
	}
	return c.problems
}

// conformity collects what is not as it was declared.
type conformity struct{ problems []lcm.Problem }

func (c *conformity) add(path, format string, args ...any) {
	c.problems = append(c.problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// members compares the members of an object with their definitions; open allows undeclared members.
func (c *conformity) members(path string, given map[string]any, declared map[string]Member, open bool) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		m, ok := declared[name]
		switch {
		case ok:
			c.value(lcm.MemberPath(path, name), given[name], m)
		case !open:
			c.add(lcm.MemberPath(path, name), "is not declared in the VNFD, which has %s",
				strings.Join(slices.Sorted(maps.Keys(declared)), ", "))
		}
	}
}

// required reports required members that are missing, if complete is set. It does not look inside objects: an object
// may begin with only the members that have defaults.
func (c *conformity) required(path string, given map[string]any, declared map[string]Member, complete bool) {
	if !complete {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if given[name] == nil && declared[name].Required {
			c.add(lcm.MemberPath(path, name), "is missing: the VNFD requires it")
		}
	}
}

// value compares one value with its definition. null means that there is no value.
func (c *conformity) value(path string, v any, m Member) {
	if v == nil {
		return
	}
	is, sealed := kindOf(v)
	if m.Type != "" && !is.fits(m.Type) {
		c.add(path, "must be %s, not %s", article(m.Type), article(is))
		return
	}
	if m.ValidValues != nil && !sealed && !slices.ContainsFunc(m.ValidValues,
		func(valid any) bool { return same(v, valid) }) {
		texts := make([]string, 0, len(m.ValidValues))
		for _, valid := range m.ValidValues {
			texts = append(texts, fmt.Sprint(valid))
		}
		c.add(path, "must be one of %s", strings.Join(texts, ", "))
	}
	switch v := v.(type) {
	case map[string]any:
		if m.Members != nil {
			c.members(path, v, m.Members, false)
		}
		if m.Entry != nil {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				c.value(lcm.MemberPath(path, name), v[name], *m.Entry)
			}
		}
	case []any:
		if m.Entry != nil {
			for i, item := range v {
				c.value(fmt.Sprintf("%s[%d]", path, i), item, *m.Entry)
			}
		}
	}
}

// kindOf is the type of a value of JSON or YAML. sealed tells that the value stands for a secret text.
func kindOf(v any) (is ValueType, sealed bool) {
	switch v := v.(type) {
	case string:
		return TypeString, false
	case bool:
		return TypeBoolean, false
	case []any:
		return TypeList, false
	case map[string]any:
		if _, ok := v[lcm.SecretKey]; ok && len(v) == 1 {
			return TypeString, true
		}
		return TypeObject, false
	default:
		if f, ok := number(v); ok && f == math.Trunc(f) {
			return TypeInteger, false
		}
		return TypeFloat, false
	}
}

// number is the value of a number, in any of the Go types that decoders make.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	default:
		return 0, false
	}
}

// fits tells whether a value of type t is allowed where the type wanted is declared.
func (t ValueType) fits(wanted ValueType) bool {
	switch wanted {
	case TypeFloat:
		return t == TypeFloat || t == TypeInteger
	case TypeMap:
		return t == TypeObject
	default:
		return t == wanted
	}
}

// same compares plain values. It compares numbers by value, whatever their Go types.
func same(a, b any) bool {
	x, isNumber := number(a)
	y, both := number(b)
	if isNumber && both {
		return x == y
	}
	return a == b
}

func article(t ValueType) string {
	if t == TypeInteger || t == TypeObject {
		return "an " + string(t)
	}
	return "a " + string(t)
}
