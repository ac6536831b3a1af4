package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func parse(text string) (*Value, error) {
	return Parse("f.yaml", []byte(text), Limits{}.WithDefaults())
}

func TestYAML_refusesBombs(t *testing.T) {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		laughs += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	merges := "a0: &a0 {x: 1, y: 2}\n"
	for i := range 40 {
		merges += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d], k%d: *a%d}\n", i+1, i+1, i, i, i, i)
	}
	for name, c := range map[string]struct{ text, want string }{
		"aliases of aliases":  {laughs, "has more than the 50000 values allowed, aliases expanded"},
		"merges of merges":    {merges, "has more than the 50000 values allowed, aliases expanded"},
		"an alias to itself":  {"a: &a [ *a ]\n", "is nested more than 64 levels deep"},
		"deep flow lists":     {strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "is nested more than 64 levels deep"},
		"deeper flow lists":   {strings.Repeat("[", 20000), "is not YAML: exceeded max depth of 10000"},
		"deep block mappings": {strings.Repeat("- ", 5000) + "x", "is nested more than 64 levels deep"},
		"many values":         {strings.Repeat("- x\n", 60_000), "has more than the 50000 values allowed, aliases expanded"},
		"very many values": {
			"[" + strings.Repeat(",", 300_000) + "]",
			"has more than the 50000 values allowed in a definition or template",
		},
		"a large file": {
			strings.Repeat("x", 2<<20),
			"is larger than the 1048576 bytes allowed for a definition or template",
		},
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			_, err := parse(c.text)
			require.ErrorContains(t, err, c.want)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

func TestYAML_expandsAliasesAndMerges(t *testing.T) {
	v, err := parse("base: &b {x: 1, y: {z: 2}}\nmore: {<<: *b, x: 3}\nsame: *b\nlist: {<<: [{a: 1}, {a: 2, b: 2}]}\n")

	require.NoError(t, err)
	require.Equal(t, "3", v.At("more", "x").Str())
	require.Equal(t, "2", v.At("more", "y", "z").Str())
	require.Equal(t, "1", v.At("same", "x").Str())
	require.Equal(t, "1", v.At("list", "a").Str())
	require.Equal(t, "2", v.At("list", "b").Str())
	require.Equal(t, "f.yaml:1", v.At("more", "y", "z").Place())
}

func TestYAML_encodesWhatItRead(t *testing.T) {
	const text = "version: 2013-05-23\nquoted: '3'\n'on': yes\nnothing: null\nempty: {}\n" +
		"text: |\n  two\n  lines\nlist:\n  - 1\n  - {get_param: [nfv, 0]}\n"
	v, err := parse(text)
	require.NoError(t, err)

	again, err := v.Encode()

	require.NoError(t, err)
	second, err := parse(again)
	require.NoError(t, err)
	require.Equal(t, plain(v), plain(second))
	require.Contains(t, again, "version: 2013-05-23\n")
	require.Contains(t, again, "quoted: '3'\n")
}

// plain returns a value without its line numbers.
func plain(v *Value) any {
	switch {
	case v.IsMap():
		out := map[string]any{}
		for key, item := range v.Members() {
			out[key] = plain(item)
		}
		return out
	case v.IsList():
		out := []any{}
		for _, item := range v.Items {
			out = append(out, plain(item))
		}
		return out
	default:
		return v.Tag + " " + v.text
	}
}
