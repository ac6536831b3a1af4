package hot

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ParameterSchema is one entry of the section parameters.
type ParameterSchema struct {
	Name        string
	Type        string
	Label       string
	Description string
	Default     any
	HasDefault  bool
	Hidden      bool
	Immutable   bool
	Constraints []Constraint
}

var parameterTypes = []string{"string", "number", "json", "comma_delimited_list", "boolean"}

func readParameter(name string, entry map[string]any) (ParameterSchema, error) {
	p := ParameterSchema{
		Name: name, Type: text(entry["type"]), Label: text(entry["label"]), Description: text(entry["description"]),
	}
	if !slices.Contains(parameterTypes, p.Type) {
		return p, invalid("Invalid type (%s) for parameter %s; must be one of: %s", p.Type, name,
			strings.Join(parameterTypes, ", "))
	}
	p.Hidden, _ = Bool(entry["hidden"])
	p.Immutable, _ = Bool(entry["immutable"])
	p.Default, p.HasDefault = entry["default"]
	if list, ok := entry["constraints"].([]any); ok {
		for _, raw := range list {
			c, err := readConstraint(raw)
			if err != nil {
				return p, invalid("Invalid parameter %s: %v", name, err)
			}
			p.Constraints = append(p.Constraints, c)
		}
	}
	return p, nil
}

// convert brings a given value to the parameter's type.
func (p ParameterSchema) convert(v any) (any, error) {
	switch p.Type {
	case "number":
		if f, ok := Number(v); ok {
			return asNumber(f), nil
		}
		return nil, fmt.Errorf("could not convert string to float: '%s'", text(v))
	case "boolean":
		if b, ok := Bool(v); ok {
			return b, nil
		}
		return nil, fmt.Errorf("Unrecognized value '%s', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'", text(v)) //nolint:staticcheck,revive // Heat's words
	case "json":
		return toJSON(v)
	case "comma_delimited_list":
		return toList(v)
	default:
		return text(v), nil
	}
}

func asNumber(f float64) any {
	if f == float64(int(f)) {
		return int(f)
	}
	return f
}

func toJSON(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		switch v.(type) {
		case map[string]any, []any:
			return v, nil
		case nil:
			return map[string]any{}, nil
		}
		return nil, fmt.Errorf("Value must be valid JSON: %s", text(v)) //nolint:staticcheck,revive // Heat's words
	}
	if s == "" {
		return map[string]any{}, nil
	}
	var out any
	if err := json.Unmarshal([]byte(s), &out); err == nil {
		return out, nil
	}
	// Heat takes YAML here as well, because JSON is YAML.
	out, err := ParseYAML(s)
	if err != nil {
		return nil, fmt.Errorf("Value must be valid JSON: %w", err) //nolint:staticcheck,revive // Heat's words
	}
	switch out.(type) {
	case map[string]any, []any:
		return out, nil
	}
	return nil, fmt.Errorf("Value must be valid JSON: %s", s) //nolint:staticcheck,revive // Heat's words
}

func toList(v any) (any, error) {
	switch x := v.(type) {
	case []any:
		return x, nil
	case nil:
		return []any{}, nil
	case string:
		out := []any{}
		if x == "" {
			return out, nil
		}
		for item := range strings.SplitSeq(x, ",") {
			out = append(out, strings.TrimSpace(item))
		}
		return out, nil
	default:
		return nil, fmt.Errorf("Value must be a comma-delimited list string: %s", text(v)) //nolint:staticcheck,revive // Heat's words
	}
}

// Parameters are the parameter values of one stack.
type Parameters struct {
	Schemas map[string]ParameterSchema
	Values  map[string]any
}

// Check tests a value against a custom constraint such as nova.flavor; it returns nil when the value is valid.
type Check func(constraint, value string) error

// Resolve computes the stack's parameters from the given values and the defaults. As in Heat, a given parameter that
// the template does not declare is an error.
func (t *Template) Resolve(given, defaults map[string]any, check Check) (Parameters, error) {
	out := Parameters{Schemas: t.Parameters, Values: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := t.Parameters[name]; !ok {
			return out, errorf(UnknownParameter, "The Parameter (%s) was not defined in template.", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Parameters)) {
		p := t.Parameters[name]
		v, ok := given[name]
		if !ok {
			if v, ok = defaults[name]; !ok {
				v, ok = p.Default, p.HasDefault
			}
		}
		if !ok {
			return out, errorf(ParameterMissing, "The Parameter (%s) was not provided.", name)
		}
		value, err := p.value(v, check)
		if err != nil {
			return out, invalid("Parameter '%s' is invalid: %v", name, err)
		}
		out.Values[name] = value
	}
	return out, nil
}

func (p ParameterSchema) value(v any, check Check) (any, error) {
	if hasUnknown(v) {
		return Unknown, nil
	}
	value, err := p.convert(v)
	if err != nil {
		return nil, err
	}
	for _, c := range p.Constraints {
		if err := c.test(value, check); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// Shown renders the values as Heat's API does: all strings, hidden ones masked.
func (p Parameters) Shown() map[string]string {
	out := make(map[string]string, len(p.Values))
	for name, v := range p.Values {
		switch {
		case p.Schemas[name].Hidden:
			out[name] = "******"
		case p.Schemas[name].Type == "comma_delimited_list":
			list, _ := v.([]any)
			parts := make([]string, 0, len(list))
			for _, item := range list {
				parts = append(parts, text(item))
			}
			out[name] = strings.Join(parts, ",")
		default:
			out[name] = text(v)
		}
	}
	return out
}
