package expansion

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// billion is a document whose aliases multiply.
func billion(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 " + strings.Repeat("x", 1000) + "\n")
	for i := 1; i <= levels; i++ {
		alias := "*a" + string(rune('0'+i-1))
		b.WriteString("a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" +
			strings.TrimSuffix(strings.Repeat(alias+",", 10), ",") + "]\n")
	}
	return b.String()
}

func TestTake_countsWhatAliasesBecome(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
	}{
		"an ordinary document":            {"kind: ConfigMap\ndata: {a: \"1 & 2 * 3\"}\n", ""},
		"aliases of short values":         {"a: &a {b: c}\nd: *a\ne: *a\n", ""},
		"a long text, often":              {"a: &a " + strings.Repeat("x", 500<<10) + "\nb: [" + strings.Repeat("*a,", 399) + "*a]\n", "larger than 32 MiB"},
		"aliases of aliases":              {billion(9), "larger than 32 MiB"},
		"an alias of what it is within":   {"a: &a [*a]\n", "within this value"},
		"an alias of nothing":             {"a: *b\nc: \"&\"\n", "cannot be read"},
		"several documents with an alias": {"a: &a x\nb: *a\n---\na: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 99) + "*a]\n", "larger than 32 MiB"},
		"more values than any object has": {strings.Repeat("- \n", 500_000), "more than 400000 values"},
		"larger than any object":          {strings.Repeat("#", 5<<20), "larger than 4 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			err := NewYAML(MostYAML).Take([]byte(c.text))
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestTake_countsAllDocumentsTogether(t *testing.T) {
	budget := NewYAML(10 << 10)
	document := []byte("a: &a " + strings.Repeat("x", 1000) + "\nb: [*a, *a]\n")
	for range 3 {
		require.NoError(t, budget.Take(document))
	}
	assert.ErrorContains(t, budget.Take(document), "together larger than")
}

// What the budget accepts never becomes larger than what it has taken: JSON needs at most six bytes for one of a text, and
// some marks.
func FuzzTake(f *testing.F) {
	f.Add([]byte("a: &a [1, 2]\nb: *a\n"))
	f.Add([]byte(billion(4)))
	f.Add([]byte("a: &a {b: c}\nd: {<<: *a}\n"))
	f.Add([]byte("a: &a\n  <<: *a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		budget := NewYAML(1 << 20)
		if budget.Take(text) != nil {
			return
		}
		var value any
		if yaml.Unmarshal(text, &value) != nil {
			return
		}
		become, err := json.Marshal(value)
		if err != nil {
			return // such as a key that is no text
		}
		taken := 1<<20 - budget.left
		assert.LessOrEqual(t, int64(len(become)), 8*taken+8)
	})
}
