package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInclude_keepsThePlacesOfItems(t *testing.T) {
	doc := func() map[string]any {
		return map[string]any{
			"a": []any{
				map[string]any{"x": 1.0, "y": 2.0},
				map[string]any{"y": 3.0},
				"text",
				[]any{map[string]any{"x": 4.0, "z": 5.0}},
			},
			"b": map[string]any{"k": map[string]any{"x": 1.0, "y": 2.0}}, "c": 7.0,
		}
	}
	for _, c := range []struct {
		paths [][]string
		want  map[string]any
	}{
		{[][]string{{"a", "x"}}, map[string]any{"a": []any{
			map[string]any{"x": 1.0},
			map[string]any{},
			"text",
			[]any{map[string]any{"x": 4.0}},
		}}},
		{
			[][]string{{"a", "x"}, {"a", "y"}},
			map[string]any{"a": []any{
				map[string]any{"x": 1.0, "y": 2.0},
				map[string]any{"y": 3.0},
				"text",
				[]any{map[string]any{"x": 4.0}},
			}},
		},
		{[][]string{{"a"}, {"a", "x"}}, map[string]any{"a": doc()["a"]}},
		{[][]string{{"a", "x"}, {"a"}}, map[string]any{"a": doc()["a"]}},
		{
			[][]string{{"b", "k", "x"}, {"c", "x"}, {"d", "x"}},
			map[string]any{"b": map[string]any{"k": map[string]any{"x": 1.0}}, "c": 7.0},
		},
	} {
		from, out := doc(), map[string]any{}
		for _, path := range c.paths {
			include(out, from, path)
		}
		require.Equal(t, c.want, out, c.paths)
		require.Equal(t, doc(), from, "the original stays as it is")
	}
}
