package hot

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Constraint limits a parameter's value. Exactly one of the tests is set.
type Constraint struct {
	Description   string
	Length, Range *Bounds
	Modulo        *Modulo
	Allowed       []any
	Pattern       *regexp.Regexp
	PatternText   string
	Custom        string
}

// Bounds are inclusive; an infinite bound sets no limit.
type Bounds struct{ Min, Max float64 }

// Modulo requires value % Step == Offset.
type Modulo struct{ Step, Offset int }

func readConstraint(raw any) (Constraint, error) {
	m, ok := raw.(map[string]any)
	if !ok {
		return Constraint{}, fmt.Errorf("Invalid parameter constraints, expected a mapping") //nolint:staticcheck,revive // Heat's words
	}
	c := Constraint{Description: text(m["description"])}
	for key, v := range m {
		switch key {
		case "description":
		case "length":
			c.Length = readBounds(v)
		case "range":
			c.Range = readBounds(v)
		case "modulo":
			mm, _ := v.(map[string]any)
			c.Modulo = &Modulo{Step: Int(mm["step"], 1), Offset: Int(mm["offset"], 0)}
		case "allowed_values":
			c.Allowed, _ = v.([]any)
		case "allowed_pattern":
			// Heat matches with re.match, and then requires the match to reach the end.
			re, err := regexp.Compile(`^(?:` + text(v) + `)$`)
			if err != nil {
				return c, fmt.Errorf("allowed_pattern: %w", err)
			}
			c.Pattern, c.PatternText = re, text(v)
		case "custom_constraint":
			c.Custom = text(v)
		default:
			return c, fmt.Errorf("No constraint expressed: %s", key) //nolint:staticcheck,revive // Heat's words
		}
	}
	return c, nil
}

func readBounds(v any) *Bounds {
	m, _ := v.(map[string]any)
	b := &Bounds{Min: math.Inf(-1), Max: math.Inf(1)}
	if f, ok := Number(m["min"]); ok {
		b.Min = f
	}
	if f, ok := Number(m["max"]); ok {
		b.Max = f
	}
	return b
}

func (b *Bounds) String() string {
	show := func(f float64) string {
		if math.IsInf(f, 0) {
			return "None"
		}
		return text(f)
	}
	return fmt.Sprintf("(min: %s, max: %s)", show(b.Min), show(b.Max))
}

func (c Constraint) test(v any, check Check) error {
	err := c.failure(v, check)
	if err != nil && c.Description != "" {
		return fmt.Errorf("%s", c.Description)
	}
	return err
}

func (c Constraint) failure(v any, check Check) error {
	switch {
	case c.Length != nil:
		if n := float64(lengthOf(v)); n < c.Length.Min || n > c.Length.Max {
			return fmt.Errorf("length (%s) is out of range %s", text(n), c.Length)
		}
	case c.Range != nil:
		if f, _ := Number(v); f < c.Range.Min || f > c.Range.Max {
			return fmt.Errorf("%s is out of range %s", text(v), c.Range)
		}
	case c.Modulo != nil:
		if i := Int(v, 0); c.Modulo.Step == 0 || i%c.Modulo.Step != c.Modulo.Offset {
			return fmt.Errorf("%s is not a multiple of %d with an offset of %d)", text(v), c.Modulo.Step, c.Modulo.Offset)
		}
	case c.Allowed != nil:
		return c.allowed(v)
	case c.Pattern != nil:
		if !c.Pattern.MatchString(text(v)) {
			return fmt.Errorf(`"%s" does not match pattern "%s"`, text(v), c.PatternText)
		}
	case c.Custom != "" && check != nil:
		if err := check(c.Custom, text(v)); err != nil {
			return fmt.Errorf("Error validating value '%s': %w", text(v), err) //nolint:staticcheck,revive // Heat's words
		}
	}
	return nil
}

func lengthOf(v any) int {
	switch x := v.(type) {
	case []any:
		return len(x)
	case map[string]any:
		return len(x)
	default:
		return len([]rune(text(v)))
	}
}

func (c Constraint) allowed(v any) error {
	values := []any{v}
	if list, ok := v.([]any); ok {
		values = list
	}
	names := make([]string, 0, len(c.Allowed))
	for _, a := range c.Allowed {
		names = append(names, text(a))
	}
	for _, value := range values {
		found := false
		for _, name := range names {
			found = found || name == text(value)
		}
		if !found {
			return fmt.Errorf("%s is not an allowed value [%s]", text(value), strings.Join(names, ", "))
		}
	}
	return nil
}
