package hot

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// text converts a value to a string as Heat does.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		if x {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case map[string]any, []any:
		return jsonText(x)
	default:
		return fmt.Sprint(x)
	}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// same compares values by their JSON, where 1 and 1.0 are equal: the store does not keep the number type.
func same(a, b any) bool { return jsonText(a) == jsonText(b) }

// Number reads a number from a property's value.
func Number(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case float64:
		return x, true
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(x), 64)
		return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	default:
		return 0, false
	}
}

// Int reads a whole number; it returns def when v is not a whole number.
func Int(v any, def int) int {
	f, ok := Number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return def
	}
	return int(f)
}

// Bool reads a boolean as Heat's properties do: it also accepts "true", "1", "yes", "on", "t".
func Bool(v any) (value, ok bool) {
	switch x := v.(type) {
	case bool:
		return x, true
	case int:
		return x == 1, x == 0 || x == 1
	case float64:
		return x == 1, x == 0 || x == 1
	case string:
		switch strings.ToLower(x) {
		case "t", "true", "on", "y", "yes", "1":
			return true, true
		case "f", "false", "off", "n", "no", "0":
			return false, true
		}
	}
	return false, false
}

// kindOf returns Python's name for a value's type, because Heat's messages use it.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case string:
		return "str"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case []any:
		return "list"
	case map[string]any:
		return "dict"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// walk follows path through v: a list's index or a map's key at each step. As in Heat, it returns nil when a step leads
// nowhere.
func walk(v any, path []any) any {
	for _, step := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[text(step)]
		case []any:
			i := Int(step, math.MinInt)
			if i < 0 && i > math.MinInt {
				i += len(x)
			}
			if i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}
