package hot

import (
	"maps"
	"slices"
	"strings"
)

func evalRepeat(e *Evaluator, name string, arg any) (any, error) {
	m, ok := arg.(map[string]any)
	if !ok {
		return nil, wrongArgs(name, "template: ..., for_each: map of lists")
	}
	v, err := e.Eval(m)
	if err != nil {
		return nil, err
	}
	if hasUnknown(v) {
		return Unknown, nil
	}
	m, _ = v.(map[string]any)
	each, ok := m["for_each"].(map[string]any)
	if !ok {
		return nil, wrongArgs(name, "template: ..., for_each: map of lists")
	}
	keys := slices.Sorted(maps.Keys(each))
	rows := []map[string]any{{}}
	if permute, given := Bool(m["permutations"]); given && !permute {
		rows, err = zip(keys, each)
	} else {
		rows, err = product(rows, keys, each)
	}
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, row := range rows {
		out = append(out, substitute(m["template"], row))
	}
	return out, nil
}

// listOf returns the items that for_each iterates: a list's items or a map's keys.
func listOf(v any) ([]any, bool) {
	switch x := v.(type) {
	case []any:
		return x, true
	case map[string]any:
		out := make([]any, 0, len(x))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, k)
		}
		return out, true
	case nil:
		return nil, true
	default:
		return nil, false
	}
}

func product(rows []map[string]any, keys []string, each map[string]any) ([]map[string]any, error) {
	for _, key := range keys {
		items, ok := listOf(each[key])
		if !ok {
			return nil, invalid(`The "for_each" argument to "repeat" must contain a map of lists (%s)`, key)
		}
		var next []map[string]any
		for _, row := range rows {
			for _, item := range items {
				r := maps.Clone(row)
				r[key] = item
				next = append(next, r)
			}
		}
		rows = next
	}
	return rows, nil
}

func zip(keys []string, each map[string]any) ([]map[string]any, error) {
	var rows []map[string]any
	for n, key := range keys {
		items, ok := listOf(each[key])
		if !ok || n > 0 && len(items) != len(rows) {
			return nil, invalid(`The length of each list in "for_each" must be the same when "permutations" is false`)
		}
		for i, item := range items {
			if n == 0 {
				rows = append(rows, map[string]any{})
			}
			rows[i][key] = item
		}
	}
	return rows, nil
}

// substitute replaces the row's keys in every string of v. If a whole string is one key, the value itself replaces it.
func substitute(v any, row map[string]any) any {
	switch x := v.(type) {
	case string:
		if value, ok := row[x]; ok {
			return value
		}
		var pairs []string
		for _, k := range slices.SortedFunc(maps.Keys(row), func(a, b string) int { return len(b) - len(a) }) {
			pairs = append(pairs, k, text(row[k]))
		}
		return strings.NewReplacer(pairs...).Replace(x)
	case []any:
		out := make([]any, 0, len(x))
		for _, item := range x {
			out = append(out, substitute(item, row))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[text(substitute(k, row))] = substitute(item, row)
		}
		return out
	default:
		return v
	}
}

func evalMapMerge(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok {
		return nil, wrongArgs(name, "list of maps")
	}
	out := map[string]any{}
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok && item != nil {
			return nil, wrongArgs(name, "list of maps")
		}
		maps.Copy(out, m)
	}
	return out, nil
}

func evalMapReplace(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) != 2 {
		return nil, wrongArgs(name, "[map, {keys: map, values: map}]")
	}
	m, ok := list[0].(map[string]any)
	repl, ok2 := list[1].(map[string]any)
	if !ok || !ok2 {
		return nil, wrongArgs(name, "[map, {keys: map, values: map}]")
	}
	keys, _ := repl["keys"].(map[string]any)
	values, _ := repl["values"].(map[string]any)
	out := make(map[string]any, len(m))
	for k, v := range m {
		if nk, ok := keys[k]; ok {
			k = text(nk)
		}
		if nv, ok := values[text(v)]; ok && v != nil {
			v = nv
		}
		out[k] = v
	}
	return out, nil
}

func evalListConcat(name string, arg any) (any, error) {
	lists, ok := arg.([]any)
	if !ok {
		return nil, wrongArgs(name, "list of lists")
	}
	out := []any{}
	for _, l := range lists {
		items, ok := l.([]any)
		if !ok && l != nil {
			return nil, wrongArgs(name, "list of lists")
		}
		for _, item := range items {
			if name == "list_concat_unique" && contains(out, item) {
				continue
			}
			out = append(out, item)
		}
	}
	return out, nil
}

func contains(list []any, v any) bool {
	return slices.ContainsFunc(list, func(item any) bool { return same(item, v) })
}

func evalContains(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) != 2 {
		return nil, wrongArgs(name, "[value, sequence]")
	}
	switch seq := list[1].(type) {
	case []any:
		return contains(seq, list[0]), nil
	case string:
		return strings.Contains(seq, text(list[0])), nil
	case map[string]any:
		_, found := seq[text(list[0])]
		return found, nil
	default:
		return nil, invalid("Second argument to \"%s\" should be a sequence.", name)
	}
}

func evalFilter(name string, arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) != 2 {
		return nil, wrongArgs(name, "[values, sequence]")
	}
	values, ok := list[0].([]any)
	seq, ok2 := list[1].([]any)
	if !ok || !ok2 && list[1] != nil {
		return nil, wrongArgs(name, "[values, sequence]")
	}
	out := []any{}
	for _, item := range seq {
		if !contains(values, item) {
			out = append(out, item)
		}
	}
	return out, nil
}
