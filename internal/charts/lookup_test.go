package charts

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// namespaceOf answers lookups with Secrets of these passwords, and notes the questions.
func namespaceOf(passwords map[string]string, asked *[]Lookup) Looker {
	secret := func(name string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "generation": int64(3)},
			"data": map[string]any{"password": passwords[name]},
		}}
	}
	return func(_ context.Context, about Lookup) (Found, error) {
		*asked = append(*asked, about)
		switch {
		case about.Kind == "Denied":
			return Found{}, lcm.Errorf(lcm.KindDenied, "The VIM does not let us.")
		case about.Name == "":
			list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": about.Kind + "List"}}
			for name := range passwords {
				list.Items = append(list.Items, secret(name))
			}
			return Found{List: list}, nil
		case passwords[about.Name] == "":
			return Found{}, nil
		}
		o := secret(about.Name)
		return Found{Object: &o, Secrets: []string{passwords[about.Name]}}, nil
	}
}

// guarded is a chart that keeps its password as most charts do, and refuses an upgrade without it.
const guarded = `{{- $old := lookup "v1" "Secret" .Release.Namespace "db" }}
{{- if and .Release.IsUpgrade (not $old) }}{{ fail "existing credentials are needed" }}{{ end }}
{{- $pw := randAlphaNum 16 }}
{{- if $old }}{{ $pw = $old.data.password }}{{ end }}
apiVersion: v1
kind: ConfigMap
metadata: { name: db, annotations: { generation: "{{ ($old.metadata).generation }}" } }
data: { password: {{ $pw }} }
`

func password(t *testing.T, r *Rendered) string {
	t.Helper()
	text, _, err := unstructured.NestedString(r.Objects[0].Object, "data", "password")
	require.NoError(t, err)
	return text
}

func TestRender_looksUpWhatTheReleaseHas(t *testing.T) {
	r := of(a(map[string]string{"templates/a.yaml": guarded}), nil)
	var asked []Lookup
	made, err := Render(t.Context(), r, 1, Capabilities{}, namespaceOf(nil, &asked))
	require.NoError(t, err)
	require.Len(t, password(t, made), 16)
	require.Equal(t, []Lookup{{"v1", "Secret", "db"}}, asked, "each question is asked once")

	made, err = Render(t.Context(), r, 2, Capabilities{}, namespaceOf(map[string]string{"db": "hunter2hunter2"}, &asked))
	require.NoError(t, err)
	require.Equal(t, "hunter2hunter2", password(t, made))
	require.Equal(t, "3", made.Objects[0].GetAnnotations()["generation"], "numbers stay whole")
	require.Equal(t, []string{"hunter2hunter2"}, made.Secrets)
	_, err = Render(t.Context(), r, 2, Capabilities{}, nil)
	require.ErrorContains(t, err, "existing credentials are needed", "nobody answers")
}

func TestRender_looksUpOnlyInTheNamespaceOfTheRelease(t *testing.T) {
	for _, about := range []string{
		`"Secret" "other" "db"`, `"Secret" "other" ""`, `"Secret" "" ""`, `"Node" "" "node-1"`, `"Secret" "" "db"`,
		`"Secret" .Release.Namespace "../x"`,
	} {
		var asked []Lookup
		made, err := Render(t.Context(), of(a(map[string]string{
			"templates/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {password: '{{ lookup \"v1\" " +
				about + " | toJson }}'}}",
		}), nil), 1, Capabilities{}, namespaceOf(map[string]string{"db": "hunter2hunter2"}, &asked))
		require.NoError(t, err)
		require.Equal(t, "{}", password(t, made))
		require.Empty(t, asked)
	}
}

func TestRender_looksUpListsAndWhatDependsOnThem(t *testing.T) {
	var asked []Lookup
	made, err := Render(t.Context(), of(a(map[string]string{
		"templates/a.yaml": `{{ range (lookup "v1" "Secret" "curry" "").items }}
{{ $one := lookup "v1" "Secret" "curry" .metadata.name }}
{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {password: "{{ ($one.data).password }}"}}
{{ end }}`,
	}), nil), 1, Capabilities{}, namespaceOf(map[string]string{"db": "hunter2hunter2"}, &asked))
	require.NoError(t, err)
	require.Equal(t, "hunter2hunter2", password(t, made))
	require.Len(t, asked, 2)
}

func TestRender_hidesLookedUpSecretsInErrors(t *testing.T) {
	long := strings.Repeat("x", 980) // the message is cut within the password
	for _, says := range []string{`printf "no %s" $pw`, `printf "` + long + `%s" $pw`} {
		var asked []Lookup
		_, err := Render(t.Context(), of(a(map[string]string{
			"templates/a.yaml": `{{ with lookup "v1" "Secret" "curry" "db" }}{{ $pw := .data.password }}{{ fail (` + says + `) }}{{ end }}`,
		}), nil), 2, Capabilities{}, namespaceOf(map[string]string{"db": "hunter2hunter2"}, &asked))
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.NotContains(t, err.Error(), "hunt")
	}
}

func TestRender_boundsLookups(t *testing.T) {
	for says, template := range map[string]string{
		"more than 100 objects":    `{{ range until 101 }}{{ $x := lookup "v1" "Secret" "curry" (printf "db-%d" .) }}{{ end }}`,
		"in more than 3 stages":    `{{ $n := list "a" }}{{ range until 9 }}{{ if lookup "v1" "Secret" "curry" (join "" $n) }}{{ $n = append $n "a" }}{{ end }}{{ end }}`,
		"The VIM does not let us.": `{{ $x := lookup "v1" "Denied" "curry" "x" }}`,
	} {
		all := map[string]string{}
		for i := range 9 {
			all[strings.Repeat("a", i+1)] = "hunter2hunter2"
		}
		var asked []Lookup
		_, err := Render(t.Context(), of(a(map[string]string{"templates/a.yaml": template}), nil), 1, Capabilities{},
			namespaceOf(all, &asked))
		require.ErrorContains(t, err, says)
		require.LessOrEqual(t, len(asked), 100)
	}
}
