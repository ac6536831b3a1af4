package params_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/params"
)

// secret decodes itself.
type secret struct{ value string }

func (s *secret) ReadParam(doc json.RawMessage) (must string) {
	if string(doc) != "null" && json.Unmarshal(doc, &s.value) != nil {
		return "a string"
	}
	return ""
}

// names accepts a bare string as a list with one element.
type names []string

func (names) Usual(doc json.RawMessage) json.RawMessage {
	if doc[0] == '"' {
		return json.RawMessage("[" + string(doc) + "]")
	}
	return doc
}

type volume struct {
	Name string `json:"name" param:"required=it names the volume"`
	Size int    `json:"size" param:"default=10; min=1; max=100; unit=GiB"`
}

type base struct {
	ID string `json:"id" param:"required; is=word"`
}

type request struct {
	base
	Kind    string            `json:"kind" param:"default=small; enum=small|large"`
	Steps   *int              `json:"steps" param:"min=1"`
	Archive bool              `json:"archive" param:"default=true"`
	Hosts   []string          `json:"hosts" param:"is=word"`
	Names   names             `json:"names" param:"enum=n|m"`
	Secret  secret            `json:"secret" param:"is=long"`
	Root    volume            `json:"root"`
	Data    *volume           `json:"data"`
	More    []volume          `json:"more"`
	By      map[string]volume `json:"by"`
	Taken   map[string]*base  `json:"taken"`
	Any     map[string]any    `json:"any"`
	Raw     json.RawMessage   `json:"raw"`
	Derived string            `json:"-"`
}

func (r *request) Settle() { r.Derived = r.Kind + "!" }

func (r request) CheckMembers(wrong func(member, format string, args ...any)) {
	if r.Archive && r.Data == nil {
		wrong("data", "is missing: archive needs it")
	}
}

// pointed has the method only on its pointer, so that Read would never call it.
type pointed struct{}

func (*pointed) CheckMembers(params.Wrong) {}

var checks = map[string]params.Check{
	"word": params.Of(func(s string) string {
		if strings.ContainsAny(s, " ") {
			return fmt.Sprintf("must be a word, not %q", s)
		}
		return ""
	}),
	"long": params.Of(func(s secret) string {
		if len(s.value) < 3 {
			return "is too short"
		}
		return ""
	}),
}

var (
	lenient  = params.Manner{Checks: checks}
	standard = params.Manner{Standard: true, Checks: checks}
)

func told(problems []params.Problem) (out []string) {
	for _, p := range problems {
		out = append(out, p.Path+": "+p.Detail)
	}
	return out
}

func TestRead_takesWhatTackersClientsWrite(t *testing.T) {
	var r request
	problems, unknown := lenient.Read("$", json.RawMessage(`{"id": " a ", "kind": "", "steps": "3", "archive": "False", "hosts": ["b "], "names": "n",
		"secret": "hunter2", "root": null, "more": [{"name": "v", "size": 0}, null], "by": {"x": {"name": "w", "size": "7"}}, "taken": {"a": null},
		"any": {"b": [1, null]}, "raw": {"c": 1}, "other": 1}`), &r)
	require.Empty(t, problems)
	three := 3
	assert.Equal(t, request{
		base: base{"a"}, Kind: "small", Steps: &three, Hosts: []string{"b"}, Names: names{"n"}, Secret: secret{"hunter2"},
		Root: volume{Size: 10},
		More: []volume{{"v", 10}, {Size: 10}}, By: map[string]volume{"x": {"w", 7}}, Taken: map[string]*base{"a": nil},
		Any: map[string]any{"b": []any{1.0, nil}}, Raw: json.RawMessage(`{"c": 1}`), Derived: "small!",
	}, r)
	assert.Equal(t, []params.Problem{{
		Path:   "$.other",
		Detail: "is not a parameter that Windlass knows: correct its name, or leave it out.",
	}}, unknown)
	assert.Equal(t, []string{
		"$.root.name: is missing: it names the volume.",
		"$.more[1].name: is missing: it names the volume.",
	}, told(lenient.Check("$", r)))
}

func TestRead_fillsDefaultsOfWhatIsAbsent(t *testing.T) {
	for _, doc := range []string{``, `null`, `{}`, ` {} `} {
		var r request
		problems, unknown := lenient.Read("$", json.RawMessage(doc), &r)
		assert.Empty(t, append(problems, unknown...), doc)
		assert.Equal(t, request{Kind: "small", Archive: true, Root: volume{Size: 10}, Derived: "small!"}, r, doc)
	}
}

func TestRead_tellsEveryWrongType(t *testing.T) {
	const doc = `{"id": 1, "kind": [], "steps": %s, "archive": "maybe", "hosts": [{}, "b", null], "names": {}, "secret": 12345,
		"root": "r", "data": 7, "more": {}, "by": {"a b": 1}, "any": [], "Kind": 1}`
	var r request
	problems, unknown := lenient.Read("$", json.RawMessage(fmt.Sprintf(doc, `"x"`)), &r)
	assert.Equal(t, []string{
		"$.id: must be a string, not a number.", "$.kind: must be a string, not a list.",
		"$.steps: must be a whole number, not a string of another form.",
		"$.archive: must be true or false, not a string of another form.", "$.hosts[0]: must be a string, not an object.",
		"$.hosts[2]: must be a string, not null.",
		"$.names: must be a list of strings, not an object.", "$.secret: must be a string, not a number.",
		"$.root: must be an object, not a string.",
		"$.data: must be an object, not a number.", "$.more: must be a list of objects, not an object.",
		"$.by['a b']: must be an object, not a number.",
		"$.any: must be an object, not a list.",
	}, told(problems))
	assert.Len(t, unknown, 1)
	assert.Equal(t, []string{"", "b", ""}, r.Hosts, "the rest keeps its place")
	assert.Nil(t, r.Data)

	problems, _ = standard.Read("$", json.RawMessage(fmt.Sprintf(doc, `1.5`)), &r)
	got := told(problems)
	assert.Contains(t, got, "$.steps: must be a whole number, not 1.5")
	assert.Contains(t, got, "$.archive: must be true or false, not a string")
	assert.Contains(t, got, "$.hosts[2]: must not be null")
	assert.Contains(t, got, "$.Kind: must be written kind")
	assert.Len(t, got, 14)
	for _, line := range got {
		assert.NotContains(t, line, "12345")
	}
}

func TestRead_ofTheStandardChecksAsItReads(t *testing.T) {
	for doc, want := range map[string][]string{
		`{"id": "a"}`: nil, `{"id": "a", "kind": null, "data": null, "raw": null, "taken": {"a": null}}`: nil,
		`{}`: {"$.id: is missing"}, `{"id": null}`: {"$.id: must not be null"}, `{"id": ""}`: {"$.id: must not be empty"},
		`{"id": "a b", "kind": ""}`: {
			"$.id: must be a word, not \"a b\"",
			"$.kind: must be \"small\" or \"large\", not \"\"",
		},
		`{"id": "a", "steps": 0}`:            {"$.steps: must be at least 1, not 0"},
		`{"id": "a", "steps": "1"}`:          {"$.steps: must be a whole number, not a string"},
		`{"id": "a", "steps": 3000000000}`:   {"$.steps: must be at most 2147483647, not 3000000000"},
		`{"id": "a", "hosts": ["b", "c d"]}`: {"$.hosts[1]: must be a word, not \"c d\""},
		`{"id": "a", "data": {"size": 101}}`: {
			"$.data.name: is missing: it names the volume",
			"$.data.size: must be between 1 and 100 GiB, not 101",
		},
		`{"id": "a", "more": [null]}`:              {"$.more[0]: must not be null"},
		`{"id": "a", "by": {"x": null}}`:           {"$.by.x: must not be null"},
		`{"id": "a", "taken": {"x": {}}}`:          {"$.taken.x.id: is missing"},
		`{"id": "a", "secret": "hu"}`:              {"$.secret: is too short"},
		`{"id": "a", "names": "n", "surprise": 1}`: nil,
		`[]`: {"$: must be an object, not a list"}, `null`: {"$: must not be null"}, `{"id"`: {"$: is not JSON"},
		``: {"$: is missing"},
	} {
		var r request
		problems, _ := standard.Read("$", json.RawMessage(doc), &r)
		assert.Equal(t, want, told(problems), doc)
	}
}

func TestCheck_looksAtValues(t *testing.T) {
	zero := 0
	r := request{
		base: base{"a b"}, Kind: "huge", Steps: &zero, Archive: true, Hosts: []string{"c", "d e"}, Names: names{""},
		Secret: secret{"hu"}, Root: volume{"r", 101},
		By: map[string]volume{"x": {"w", -1}}, Taken: map[string]*base{"y": {}},
	}
	assert.Equal(t, []string{
		`$.id: must be a word, not "a b".`, `$.kind: must be "small" or "large", not "huge".`,
		"$.steps: must be at least 1, not 0.",
		`$.hosts[1]: must be a word, not "d e".`, `$.names[0]: must be "n" or "m", not "".`, "$.secret: is too short.",
		"$.root.size: must be between 1 and 100 GiB, not 101.",
		"$.by.x.size: must be between 1 and 100 GiB, not -1.", "$.taken.y.id: is missing.",
		"$.data: is missing: archive needs it.",
	}, told(lenient.Check("$", r)))
}

func TestRead_refusesNullWhereATagSaysSo(t *testing.T) {
	var r struct {
		A string  `json:"a" param:"notnull"`
		B *volume `json:"b" param:"notnull"`
	}
	problems, _ := lenient.Read("$", json.RawMessage(`{"a": null, "b": null}`), &r)
	assert.Equal(t, []string{"$.a: must not be null.", "$.b: must not be null."}, told(problems))
}

func TestRules_ofOneBound(t *testing.T) {
	type limits struct {
		Few  int            `json:"few" param:"max=3"`
		Many map[string]int `json:"many" param:"min=3"`
	}
	assert.Equal(t, []string{
		"$.few: must be at most 3, not 4.", "$.many['a b']: must be at least 3, not 0.",
		"$.many.c: must be at least 3, not 2.",
	}, told(lenient.Check("$", limits{4, map[string]int{"c": 2, "a b": 0, "d": 3}})))
}

func TestAbsent_isNullToo(t *testing.T) {
	for doc, want := range map[string]bool{"": true, " ": true, " null ": true, `""`: false, "{}": false} {
		assert.Equal(t, want, params.Absent(json.RawMessage(doc)), doc)
	}
}

func TestJoin_leavesOutWhatFollows(t *testing.T) {
	at := func(paths ...string) (out []params.Problem) {
		for _, p := range paths {
			out = append(out, params.Problem{Path: p})
		}
		return out
	}
	assert.Equal(t, at("$.a", "$.b[1]", "$.ab", "$.b"),
		params.Join(at("$.a", "$.b[1]"), at("$.a", "$.a.x", "$.a[0].y", "$.b[1].z", "$.ab", "$.b")))
}

// TestRead_panicsForTagsThatNobodyCanFollow checks that a wrong tag causes a panic as soon as the type is used, and not
// only for a request that has the member.
func TestRead_panicsForTagsThatNobodyCanFollow(t *testing.T) {
	for name, to := range map[string]any{
		"an unknown rule": new([]struct {
			A string `json:"a" param:"requird"`
		}),
		"an unknown check": new(map[string]struct {
			A string `json:"a" param:"is=sentence"`
		}),
		"another type": new(struct {
			A *struct {
				B int `json:"b" param:"is=word"`
			} `json:"a"`
		}),
		"a bound of letters": new(struct {
			A int `json:"a" param:"min=x"`
		}),
		"a default of a list": new(struct {
			A []string `json:"a" param:"default=x"`
		}),
		"a method of others": new(pointed),
		"no number": new(struct {
			A int `json:"a" param:"default=x"`
		}),
	} {
		assert.Panics(t, func() { lenient.Read("$", nil, to) }, name)
	}
}

// spoil replaces one random value in a document by a value of another type, and returns its path.
func spoil(d *rand.Rand, doc any, path string) (any, string) {
	switch v := doc.(type) {
	case map[string]any:
		keys := []string{
			"id", "kind", "steps", "archive", "hosts", "names", "secret", "root", "data", "more", "by", "name",
			"size", "x",
		}
		for len(v) > 0 {
			key := keys[d.IntN(len(keys))]
			if inner, ok := v[key]; ok {
				changed, at := spoil(d, inner, path+"."+key)
				v[key] = changed
				return v, at
			}
		}
	case []any:
		i := d.IntN(len(v))
		changed, at := spoil(d, v[i], path+"["+strconv.Itoa(i)+"]")
		v[i] = changed
		return v, at
	}
	return 7.5, path
}

func TestRead_losesNoProblem(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var doc any
		require.NoError(t, json.Unmarshal([]byte(`{"id": "a", "kind": "small", "steps": 1, "archive": true, "hosts": ["b", "c"], "names": ["n"], "secret": "hunter2",
			"root": {"name": "r", "size": 1}, "data": {"name": "d", "size": 2}, "more": [{"name": "e"}, {"size": 3, "name": "f"}], "by": {"x": {"name": "g", "size": 4}}}`), &doc))
		var want []string
		for range 1 + d.IntN(4) {
			changed, at := spoil(d, doc, "$")
			doc = changed
			want = append(want, at)
		}
		body, err := json.Marshal(doc)
		require.NoError(t, err)
		for _, m := range []params.Manner{lenient, standard} {
			var r request
			problems, _ := m.Read("$", body, &r)
			for _, at := range want {
				assert.Len(t, params.Join(problems, []params.Problem{{Path: at}}), len(problems), "%s is lost in %s: %v", at, body,
					told(problems))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, doc := range []string{
		`{"id": "a", "steps": "1", "more": [{"name": "b"}, 7, null], "by": {"x": {}}, "taken": {"a": null}, "secret": {}, "raw": [1e999], "any": {"b": 1e999}}`,
		`{"ID": 1, "hosts": "x", "names": "y", "archive": "TRUE", "root": [], "data": {"size": -1}}`, `[`, `null`, `""`,
		`{"": 0}`, "{\"a\xff'b\": 1}",
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, m := range []params.Manner{lenient, standard} {
			var r request
			problems, unknown := m.Read("$", doc, &r)
			for _, p := range append(append(problems, unknown...), m.Check("$", r)...) {
				if !strings.HasPrefix(p.Path, "$") || p.Detail == "" {
					t.Errorf("a problem without a place or a sentence: %+v", p)
				}
			}
			if m.Standard && len(problems) == 0 && r.ID == "" {
				t.Error("a required member is missing, and nobody says so")
			}
		}
	})
}
