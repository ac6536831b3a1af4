package hot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// scope is a stack with a few parameters, one resource and one file.
type scope struct{}

func (scope) Param(name string) (any, error) {
	return map[string]any{
		"name": "web", "n": 3, "enabled": true, "list": []any{"a", "b", "c"},
		"nfv": map[string]any{"VDU": map[string]any{"master": map[string]any{
			"flavor": "m1.large",
			"ips":    []any{"10.0.0.1", "10.0.0.2"},
		}}},
	}[name], nil
}
func (scope) Ref(string) (any, error) { return "uuid-of-it", nil }

func (scope) Attr(_, attr string, _ []any) (any, error) { return "attr:" + attr, nil }

func (scope) File(string) (string, error) { return "contents", nil }

func eval(t *testing.T, version, expr string) (any, error) {
	t.Helper()
	tmpl, err := hot.Parse("heat_template_version: " + version +
		"\nconditions: {big: {equals: [{get_param: n}, 3]}, small: {not: big}}\n")
	require.NoError(t, err)
	doc, err := hot.ParseYAML("v: " + expr)
	require.NoError(t, err)
	return (&hot.Evaluator{Template: tmpl, Scope: scope{}}).Eval(doc.(map[string]any)["v"])
}

func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		expr string
		want any
	}{
		{`{get_param: [nfv, VDU, master, flavor]}`, "m1.large"},
		{`{get_param: [nfv, VDU, master, ips, 1]}`, "10.0.0.2"},
		{`{get_param: [nfv, VDU, nothing, flavor]}`, ""},
		{`{get_resource: x}`, "uuid-of-it"},
		{`{get_attr: [x, first_address]}`, "attr:first_address"},
		{`{get_file: x}`, "contents"},
		{`{str_replace: {template: "%a and %ab", params: {"%a": 1, "%ab": "%a"}}}`, "1 and %a"},
		{`{list_join: [",", {get_param: list}, [d]]}`, "a,b,c,d"},
		{`{str_split: [",", "x,y,z", 1]}`, "y"},
		{`{str_split: [",", "x,y"]}`, []any{"x", "y"}},
		{`{digest: [sha256, abc]}`, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{`{map_merge: [{a: 1, b: 2}, {b: 3}, null]}`, map[string]any{"a": 1, "b": 3}},
		{`{map_replace: [{k1: v1}, {keys: {k1: K}, values: {v1: V}}]}`, map[string]any{"K": "V"}},
		{`{list_concat: [[1, 2], [2]]}`, []any{1, 2, 2}},
		{`{list_concat_unique: [[1, 2], [2]]}`, []any{1, 2}},
		{`{contains: [b, {get_param: list}]}`, true},
		{`{filter: [[b], {get_param: list}]}`, []any{"a", "c"}},
		{`{if: [big, {get_param: name}, other]}`, "web"},
		{`{if: [small, x, {if: [{or: [small, {get_param: enabled}]}, in, out]}]}`, "in"},
		{`{if: [{and: [big, {not: small}]}, 1, 2]}`, 1},
		{
			`{repeat: {template: {port: "p%i"}, for_each: {"%i": {get_param: list}}}}`,
			[]any{map[string]any{"port": "pa"}, map[string]any{"port": "pb"}, map[string]any{"port": "pc"}},
		},
		{`{repeat: {template: "%a%b", for_each: {"%a": [1, 2], "%b": [x, y]}}}`, []any{"1x", "1y", "2x", "2y"}},
		{`{repeat: {template: "%a%b", for_each: {"%a": [1, 2], "%b": [x, y]}, permutations: false}}`, []any{"1x", "2y"}},
		{`{make_url: {scheme: http, host: h, port: 80, path: /p}}`, "http://h:80/p"},
		{`{not_a_function: 1}`, map[string]any{"not_a_function": 1}},
		{`[yes, no, on, "yes", 2013-05-23, 0x10, ~]`, []any{true, false, true, "yes", "2013-05-23", 16, nil}},
	} {
		t.Run(c.expr, func(t *testing.T) {
			got, err := eval(t, "rocky", c.expr)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestFunctionsOfLaterVersionsAreOrdinaryKeys(t *testing.T) {
	got, err := eval(t, "2013-05-23", `{map_merge: [{a: 1}]}`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"map_merge": []any{map[string]any{"a": 1}}}, got)
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for _, expr := range []string{
		`{str_replace: x}`, `{list_join: [","]}`, `{digest: [crc, x]}`, `{str_split: [",", x, 9]}`, `{if: [nothing, 1, 2]}`,
		`{repeat: {template: x}}`, `{get_param: []}`, `{str_replace_strict: {template: x, params: {y: 1}}}`, `{yaql: x}`,
	} {
		_, err := eval(t, "rocky", expr)
		require.Error(t, err, expr)
	}
}

func TestParametersAreConvertedAndChecked(t *testing.T) {
	tmpl, err := hot.Parse(`
heat_template_version: 2018-08-31
parameters:
  n: {type: number, default: 1}
  s: {type: string, default: x, constraints: [{allowed_pattern: "[a-z]+", description: letters only}]}
  j: {type: json, default: {}}
  l: {type: comma_delimited_list, default: ""}
  b: {type: boolean, default: false}
  h: {type: string, default: secret, hidden: true}
  c: {type: string, default: a, constraints: [{allowed_values: [a, b]}, {length: {max: 1}}]}
`)
	require.NoError(t, err)
	p, err := tmpl.Resolve(map[string]any{"n": "2", "j": `{"a": [1]}`, "l": "x, y", "b": "on"},
		map[string]any{"s": "dflt"}, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"n": 2, "s": "dflt", "j": map[string]any{"a": []any{float64(1)}}, "l": []any{"x", "y"}, "b": true, "h": "secret",
		"c": "a",
	}, p.Values)
	require.Equal(t, map[string]string{
		"n": "2", "s": "dflt", "j": `{"a":[1]}`, "l": "x,y", "b": "True", "h": "******", "c": "a",
	}, p.Shown())

	for want, given := range map[string]map[string]any{
		"Parameter 'n' is invalid: could not convert string to float: 'x'": {"n": "x"},
		"Parameter 's' is invalid: letters only":                           {"s": "123"},
		"Parameter 'c' is invalid: d is not an allowed value [a, b]":       {"c": "d"},
	} {
		_, err := tmpl.Resolve(given, nil, nil)
		require.EqualError(t, err, want)
	}
}

func TestTemplatesThatAreNoTemplates(t *testing.T) {
	for _, text := range []string{
		"", "[]", "a: b", "heat_template_version: 1999-01-01", "heat_template_version: 2018-08-31\nResources: {}",
		"heat_template_version: 2018-08-31\nresources: []", "heat_template_version: 2018-08-31\nresources: {a: {}}",
		"heat_template_version: 2018-08-31\nresources: {a: {type: X, propertys: {}}}",
		"heat_template_version: 2018-08-31\nparameters: {a: {type: text}}",
		"heat_template_version: 2018-08-31\noutputs: {a: {}}",
	} {
		_, err := hot.Parse(text)
		require.Error(t, err, text)
	}
}

func TestAliasBombIsRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
		"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
	_, err := hot.ParseYAML(bomb)
	require.ErrorContains(t, err, "too many nodes")
}

func FuzzParse(f *testing.F) {
	f.Add("heat_template_version: 2018-08-31\nresources: {a: {type: X, properties: {b: {get_attr: [a, b]}}}}")
	f.Fuzz(func(_ *testing.T, text string) {
		tmpl, err := hot.Parse(text)
		if err != nil {
			return
		}
		if deps, err := hot.Dependencies(tmpl.Resources); err == nil {
			_ = hot.Awaited(tmpl.Resources, deps, func(string) bool { return true })
		}
		for _, d := range tmpl.Resources {
			_, _ = (&hot.Evaluator{Template: tmpl, Scope: scope{}}).Eval(d.Properties)
		}
	})
}
