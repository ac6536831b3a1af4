package charts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// a returns a chart with these files.
func a(files map[string]string) Content {
	c := Content{Files: map[string][]byte{"Chart.yaml": []byte("apiVersion: v2\nname: web\nversion: 0.1.0\n")}}
	for name, text := range files {
		c.Files[name] = []byte(text)
	}
	return c
}

func of(c Content, values map[string]any) Release {
	return Release{Name: "vnf1", Namespace: "curry", Content: c, Values: values}
}

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }}-page }
data:
  size: "{{ .Values.size }}"
  text: {{ .Values.text | quote }}
  kubernetes: {{ .Capabilities.KubeVersion.Version }}
  upgrade: "{{ .Release.IsUpgrade }}"
---
apiVersion: v1
kind: List
items:
- { apiVersion: v1, kind: Service, metadata: { name: web, namespace: other }, spec: { ports: [ { port: 80 } ] } }
---
{{ if .Values.none }}nothing{{ end }}
---
apiVersion: batch/v1
kind: Job
metadata: { name: before, annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-weight: "2" } }
`

func TestRender(t *testing.T) {
	c := a(map[string]string{
		"values.yaml": "size: 1\ntext: none\n", "templates/page.yaml": configMap, "templates/NOTES.txt": "Look at {{ .Release.Name }}.",
		"templates/_helpers.tpl": `{{ define "x" }}x{{ end }}`,
		"crds/widget.yaml":       "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: widgets.example.org }\n",
	})
	r, err := Render(t.Context(), of(c, map[string]any{"size": 1000000, "text": "hello"}), 1, Capabilities{}, nil)
	require.NoError(t, err)
	require.Len(t, r.Objects, 3)
	crd, page, service := r.Objects[0], r.Objects[1], r.Objects[2]
	require.True(t, Kept(&crd))
	require.Equal(t, "vnf1-page", page.GetName())
	require.Equal(t, map[string]string{"app.kubernetes.io/managed-by": "Helm"}, page.GetLabels())
	name, namespace := Of(&page)
	require.Equal(t, []string{"vnf1", "curry"}, []string{name, namespace})
	data := page.Object["data"].(map[string]any)
	require.Equal(t, "1000000", data["size"])
	require.Equal(t, "hello", data["text"])
	require.Equal(t, "false", data["upgrade"])
	require.Equal(t, "other", service.GetNamespace())
	require.IsType(t, int64(0), service.Object["spec"].(map[string]any)["ports"].([]any)[0].(map[string]any)["port"])
	require.Equal(t, "Look at vnf1.", r.Notes)
	require.Len(t, r.Hooks, 1)
	require.Equal(t, 2, r.Hooks[0].Weight)
	require.Equal(t, "web", r.Chart.Name())
	require.Equal(t, "web/templates/page.yaml", r.Paths[1])

	r, err = Render(t.Context(), of(c, nil), 2, Capabilities{Version: "v1.36.2", APIs: []string{"v1"}}, nil)
	require.NoError(t, err)
	data = r.Objects[1].Object["data"].(map[string]any)
	require.Equal(t, []any{"1", "v1.36.2", "true"}, []any{data["size"], data["kubernetes"], data["upgrade"]})
}

func TestRender_readsArchives(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for name, text := range a(map[string]string{"templates/page.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n"}).Files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "web/" + name, Mode: 0o600, Size: int64(len(text))}))
		_, err := w.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	r, err := Render(t.Context(), of(Content{Archive: packed.Bytes()}, nil), 1, Capabilities{}, nil)
	require.NoError(t, err)
	require.Len(t, r.Objects, 1)
	_, err = Render(t.Context(), of(Content{Archive: []byte("no archive")}, nil), 1, Capabilities{}, nil)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
}

func TestRender_tellsWhatIsWrong(t *testing.T) {
	for says, c := range map[string]Content{
		"Chart.yaml file is missing":                  {Files: map[string][]byte{"values.yaml": nil}},
		"nil pointer evaluating":                      a(map[string]string{"templates/x.yaml": "{{ .Values.a.b.c }}"}),
		"say a word":                                  a(map[string]string{"templates/x.yaml": `{{ fail "say a word" }}`}),
		"is a library":                                a(map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\ntype: library\n"}),
		"it needs the chart redis":                    a(map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\ndependencies: [{name: redis, version: 1.0.0, repository: 'https://x'}]\n"}),
		"YAML parse error on web/templates/x.yaml":    a(map[string]string{"templates/x.yaml": "words"}),
		"for Kubernetes >=1.99":                       a(map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\nkubeVersion: '>=1.99'\n"}),
		"got number, want string":                     a(map[string]string{"values.schema.json": `{"properties":{"n":{"type":"string"}}}`}),
		"another schema, \"file:///etc/passwd\"":      a(map[string]string{"values.schema.json": `{"$ref":"file:///etc/passwd"}`}),
		"another schema, \"http://169.254.169.254/\"": a(map[string]string{"values.schema.json": `{"$ref":"http://169.254.169.254/"}`}),
	} {
		_, err := Render(t.Context(), of(c, map[string]any{"n": 1}), 1, Capabilities{Version: "v1.36.0"}, nil)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
}

func TestRender_endsWhatIsHostile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"time":        "{{ range 1000000000000 }}{{ end }}",
		"memory":      `{{ $x := "xxxxxxxxxxxxxxxx" }}` + strings.Repeat(`{{ $x = printf "%s%s" $x $x }}`, 40) + "{{ $x }}",
		"allocation":  "{{ until 100000000000 }}",
		"recursion":   `{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}`,
		"answer":      `apiVersion: v1` + "\nkind: ConfigMap\nmetadata: {name: x}\ndata: {x: {{ repeat 30000000 \"x\" }}}",
		"environment": `{{ env "HOME" }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, err := Render(t.Context(), of(a(map[string]string{"templates/x.yaml": text}), nil), 1, Capabilities{}, nil)
			require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
			t.Log(time.Since(began).Round(time.Millisecond), err)
		})
	}
}

func TestDigest(t *testing.T) {
	one := of(a(nil), map[string]any{"a": 1, "b": 2})
	same := of(a(nil), map[string]any{"b": 2, "a": 1})
	require.Equal(t, one.Digest(), same.Digest())
	for _, other := range []Release{
		of(a(nil), map[string]any{"a": 2, "b": 2}), of(a(map[string]string{"x": ""}), one.Values),
		{Name: "vnf2", Namespace: "curry", Content: one.Content, Values: one.Values},
	} {
		require.NotEqual(t, one.Digest(), other.Digest())
	}
}

// Helm leaves out hidden files of templates, and what .helmignore names, also of a chart in a folder.
func TestRender_leavesOutWhatHelmLeavesOut(t *testing.T) {
	c := Content{Files: map[string][]byte{
		"Chart.yaml":              []byte("apiVersion: v2\nname: web\nversion: 0.1.0\n"),
		".helmignore":             []byte("# editors\n*.bak\nold/\n"),
		"templates/c.yaml":        []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"),
		"templates/.c.yaml.swp":   []byte("\x00{{ nonsense"),
		"templates/.old.yaml":     []byte("{{ nonsense"),
		"templates/c.yaml.bak":    []byte("{{ nonsense"),
		"templates/old/more.yaml": []byte("{{ nonsense"),
	}}
	made, err := Render(t.Context(), of(c, nil), 1, Capabilities{}, nil)
	require.NoError(t, err)
	require.Len(t, made.Objects, 1)
}
