package kubernetes

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// The namespaces of the same release, made by Helm's own program and by Windlass.
const (
	byHelm     = "by-helm"
	byWindlass = "by-windlass"
)

// features are the features of charts in Helm's own documents, each as the data of a ConfigMap of this name.
var features = map[string]string{
	"release": `
  all: "{{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.Service }} {{ .Release.IsInstall }} {{ .Release.IsUpgrade }}"
  revision: "{{ .Release.Revision }}"`,
	"chart": `
  all: "{{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.AppVersion }} {{ .Chart.Type }} {{ .Chart.IsRoot }} {{ .Chart.Annotations.made }}"
  maintainers: {{ .Chart.Maintainers | toJson | quote }}`,
	"files": `
  get: {{ .Files.Get "conf/a.ini" | quote }}
  lines: "{{ range .Files.Lines "conf/a.ini" }}<{{ . }}>{{ end }}"
  ignored: {{ .Files.Get "conf/b.bak" | quote }}
  none: {{ .Files.Get "none" | quote }}
{{ (.Files.Glob "conf/*.ini").AsConfig | indent 2 }}`,
	"files-as-secrets": `
{{ (.Files.Glob "conf/*.ini").AsSecrets | indent 2 }}`,
	"capabilities": `
  kubernetes: "{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.Major }} {{ .Capabilities.KubeVersion.Minor }}"
  has: "{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }} {{ .Capabilities.APIVersions.Has "batch/v1" }} {{ .Capabilities.APIVersions.Has "example.org/v9" }}"`,
	"helm-version": `
  version: "{{ .Capabilities.HelmVersion.Version }}"`,
	"template": `
  all: "{{ .Template.Name }} {{ .Template.BasePath }}"`,
	"values": `
  all: {{ .Values | toJson | quote }}
  types: "{{ kindOf .Values.whole }} {{ .Values.whole }} {{ kindOf .Values.text }} {{ .Values.text }} {{ .Values.large }}"`,
	"functions": `
  tpl: {{ tpl .Values.template . | quote }}
  include: {{ include "f.named" (dict "of" "caller" "all" .) | quote }}
  required: {{ required "must be there" .Values.text | quote }}
  yaml: {{ toYaml .Values.nested | quote }} 
  from: "{{ (fromYaml "a: {b: 1}").a.b }} {{ (fromJson "{\"a\": [1]}").a }} {{ fromYamlArray "[1, 2]" }}"
  wrong: {{ (fromYaml "a: b: c").Error | quote }}
  toml: {{ toToml .Values.nested | quote }}
  sprig: "{{ "a b" | title }} {{ sha256sum "x" }} {{ semverCompare ">=1.2" "1.3.0" }} {{ list 3 1 2 | sortAlpha | join "," }} {{ ternary 1 2 true }}"
  dates: "{{ now | kindOf }} {{ dateInZone "2006" (toDate "2006-01-02" "2026-11-28") "UTC" }}"
  host: "{{ getHostByName "localhost" }}"
  lookup: "{{ (lookup "v1" "ConfigMap" .Release.Namespace "given").data.key }} {{ len (lookup "v1" "ConfigMap" .Release.Namespace "none") }}"
  merged: {{ mergeOverwrite (dict "a" 1 "b" 2) (dict "b" 3) | toJson | quote }}
  debug: {{ .Values.nothing | default "a default" | quote }}
  must: {{ mustRegexReplaceAll "[0-9]+" "a12b" "-" | quote }}`,
	"flow": `
  with: "{{ with .Values.nested }}{{ .key }}{{ else }}none{{ end }}"
  range: "{{ range $i, $v := .Values.list }}{{ $i }}={{ $v }};{{ else }}empty{{ end }}"
  variables: "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}"
  break: "{{ range until 5 }}{{ if eq . 2 }}{{ break }}{{ end }}{{ . }}{{ end }}"
  spaces: "{{- " a " -}}"`,
}

// events are the events of hooks. Each hook is a ConfigMap, which is ready at once.
var events = []string{
	"pre-install", "post-install", "pre-upgrade", "post-upgrade", "pre-rollback", "post-rollback", "pre-delete", "post-delete",
}

// likeHelm is a chart with all features, with subcharts and a library.
func likeHelm() charts.Content {
	text := map[string]string{
		"Chart.yaml": `apiVersion: v2
name: features
version: 0.1.0
appVersion: '7'
type: application
annotations: {made: by hand}
maintainers: [{name: nobody, url: https://nobody.example}]
dependencies:
- {name: sub, version: 0.1.0, condition: sub.enabled}
- {name: sub, version: 0.1.0, alias: second, tags: [more], import-values: [exported, {child: inner, parent: imported}]}
- {name: away, version: 0.1.0, condition: away.enabled}
- {name: lib, version: 0.1.0}
`,
		"values.yaml": `text: '007'
whole: 5
large: 1000000
nested: {key: value, gone: soon, list: [1, two]}
list: [a, b]
template: 'of {{ .Release.Name }} with {{ .Values.text }}'
extra: true
global: {of: all}
sub: {enabled: true, who: from the parent}
away: {enabled: false}
tags: {more: true}
`,
		".helmignore": "*.bak\n/ignored/\n# a comment\n", "conf/a.ini": "a = 1\nb = 2\n", "conf/b.bak": "no",
		"templates/NOTES.txt": "Notes of {{ .Release.Name }}.", "templates/broken.yaml.bak": "{{ nonsense", "templates/.hidden.yaml": "{{ nonsense",
		"templates/_helpers.tpl": `{{ define "f.named" }}{{ .of }} of {{ .all.Chart.Name }}{{ end }}`,
		"templates/more.yaml": `# a comment only
---
{{ if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata: {name: extra}
---
{{ end }}
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: of-a-list-1}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: of-a-list-2}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, annotations: {helm.sh/resource-policy: keep}}
---
apiVersion: v1
kind: Secret
metadata: {name: secret}
stringData: {text: plain}
data: {coded: Y29kZWQ=}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: of-the-library}
data: {library: {{ include "lib.name" . | quote }}}
`,
		"templates/tests/test.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tested, annotations: {helm.sh/hook: test}}\n",
		"charts/lib/Chart.yaml":         "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n",
		"charts/lib/templates/_lib.tpl": `{{ define "lib.name" }}{{ .Chart.Name }} by the library{{ end }}`,
		"charts/away/Chart.yaml":        "apiVersion: v2\nname: away\nversion: 0.1.0\n",
		"charts/away/templates/a.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: away}\n",
		"charts/sub/Chart.yaml":         "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
		"charts/sub/values.yaml":        "who: from the child\nown: 1\nexports: {exported: {fromExports: yes}}\ninner: {key: of the child}\nglobal: {child: too}\n",
		"charts/sub/templates/a.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "of-{{ .Chart.Name }}"}
data: {values: {{ .Values | toJson | quote }}, root: "{{ .Chart.IsRoot }}", subcharts: {{ .Subcharts | toJson | quote }}}
`,
	}
	for name, data := range features {
		text["templates/features/"+name+".yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata:" + data + "\n"
	}
	for i, event := range events {
		for policy, annotation := range map[string]string{
			"": "", "-removed": ", helm.sh/hook-delete-policy: hook-succeeded", "-always": ", helm.sh/hook-delete-policy: 'hook-succeeded,hook-failed'",
		} {
			text["templates/hooks/"+event+policy+".yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + event + policy +
				", annotations: {helm.sh/hook: " + event + annotation + ", helm.sh/hook-weight: '" + strings.Repeat("1", 1+i%2) +
				"'}}\ndata: {revision: '{{ .Release.Revision }}'}\n"
		}
	}
	files := map[string][]byte{}
	for name, content := range text {
		files[name] = []byte(content)
	}
	return charts.Content{Files: files}
}

// TestChart_doesWhatHelmDoes installs, upgrades, rolls back and uninstalls the same chart with Helm's own program and with
// Windlass, and compares what is there afterwards, feature by feature.
func TestChart_doesWhatHelmDoes(t *testing.T) {
	p := start(t)
	b := bash{p: p, dir: t.TempDir()}
	chart := likeHelm()
	folder := write(t, chart)
	for _, namespace := range []string{byHelm, byWindlass} {
		newNamespace(t, p, namespace)
		_, err := p.Client.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "given"}, Data: map[string]string{"key": "found"},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	c := p.Connect(t, byWindlass)
	first := releaseOf("f", chart, map[string]any{"nested": map[string]any{"gone": nil}, "list": []any{"x"}})
	first.Workloads = nil
	second := releaseOf("f", chart, map[string]any{"text": "changed", "extra": false, "away": map[string]any{"enabled": true}})
	second.Workloads = nil

	b.run(t, "helm install --wait f "+folder+" -n "+byHelm+" --set nested.gone=null --set list={x}")
	shown, err := deploy(t, c, "vnf-f", owner, first)
	require.NoError(t, err, strings.Join(shown, "\n"))
	requireSame(t, p, "install")

	b.run(t, "helm upgrade f "+folder+" -n "+byHelm+" --set text=changed --set extra=false --set away.enabled=true")
	said, err := change(t, c, "vnf-f", "op-2", second)
	require.NoError(t, err, said)
	requireSame(t, p, "upgrade")

	b.run(t, "helm rollback f 1 -n "+byHelm)
	for range 2 {
		said, err = takeBack(t, c, "vnf-f", "op-2", first)
		require.NoError(t, err, said)
		requireSame(t, p, "rollback")
	}
	require.Equal(t, "Rollback to 1", historyIn(t, p, byWindlass, "f")[2].Info.Description)

	b.run(t, "helm uninstall f -n "+byHelm)
	require.NoError(t, c.Remove(t.Context(), "vnf-f", owner, func(string) {}))
	// Helm leaves the objects of hooks that have no policy; a termination leaves nothing of the VNF.
	left := seen(t, p, byHelm)
	maps.DeleteFunc(left, func(name, _ string) bool { return slices.Contains(events, name) })
	require.Equal(t, left, seen(t, p, byWindlass))
	require.Equal(t, []string{"given", "kept"}, slices.Sorted(maps.Keys(left)))
}

// onPurpose are the differences on purpose, by the objects that show them.
var onPurpose = map[string]string{
	"helm-version": "Windlass uses Helm's library, of a version of its own",
}

func requireSame(t *testing.T, p *kubetest.ControlPlane, after string) {
	t.Helper()
	helms, ours := seen(t, p, byHelm), seen(t, p, byWindlass)
	require.Greater(t, len(helms), 2, after)
	for _, name := range slices.Sorted(maps.Keys(helms)) {
		if onPurpose[name] == "" {
			assert.Equal(t, helms[name], ours[name], "after %s, %s is not what Helm makes of it", after, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		assert.Contains(t, helms, name, "after %s, Helm has no %s", after, name)
	}
}

// seen returns the data of all ConfigMaps and Secrets, with what Helm writes to their metadata, but for the records of
// Helm and of Windlass.
func seen(t *testing.T, p *kubetest.ControlPlane, namespace string) map[string]string {
	t.Helper()
	out := map[string]string{}
	note := func(o metav1.ObjectMeta, data any) {
		all := map[string]any{"data": data, "managed-by": o.Labels["app.kubernetes.io/managed-by"]}
		for name, value := range o.Annotations {
			if strings.Contains(name, "helm.sh/") {
				all[name] = value
			}
		}
		text, err := json.MarshalIndent(all, "", " ")
		require.NoError(t, err)
		out[o.Name] = strings.ReplaceAll(string(text), namespace, "NAMESPACE")
	}
	maps, err := p.Client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, m := range maps.Items {
		if m.Name != "kube-root-ca.crt" {
			note(m.ObjectMeta, m.Data)
		}
	}
	secrets, err := p.Client.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, s := range secrets.Items {
		if s.Type == corev1.SecretTypeOpaque {
			note(s.ObjectMeta, s.Data)
		}
	}
	return out
}
