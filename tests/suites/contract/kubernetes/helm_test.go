package kubernetes

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// aChart returns the files of a small chart, and more files.
func aChart(more map[string]string) charts.Content {
	files := map[string][]byte{
		"Chart.yaml":  []byte("apiVersion: v2\nname: web\nversion: 0.1.0\nappVersion: '1'\n"),
		"values.yaml": []byte("replicas: 1\nimage: httpd\npassword: hunter3\nextra: true\n"),
		"templates/web.yaml": []byte(strings.NewReplacer(
			"{name: web}", "{name: {{ .Release.Name }}-web}", "replicas: 7", "replicas: {{ .Values.replicas }}",
			"image: httpd", "image: {{ .Values.image }}").Replace(deployment("web", "httpd", 7))),
		"templates/more.yaml": []byte(`
apiVersion: v1
kind: Secret
metadata: {name: "{{ .Release.Name }}-key"}
stringData: {password: {{ .Values.password }}, random: {{ randAlphaNum 20 }}}
---
{{ if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-extra"}
data: {revision: "{{ .Release.Revision }}", apps: "{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}"}
{{ end }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-kept", annotations: {helm.sh/resource-policy: keep}}
`),
	}
	for name, text := range more {
		files[name] = []byte(text)
	}
	return charts.Content{Files: files}
}

func hook(name, image, events, more string) string {
	return `
apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `, annotations: {helm.sh/hook: "` + events + `"` + more + `}}
spec:
  backoffLimit: 0
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: ` + image + `}]}}
`
}

func releaseOf(name string, c charts.Content, values map[string]any) kube.Definition {
	return kube.Definition{
		Charts:    []charts.Release{{Name: name, Content: c, Values: values}},
		Workloads: map[string]kube.Workload{"VDU": {Kind: "Deployment", Name: name + "-web"}},
	}
}

// change calls the connector once.
func change(t *testing.T, c *kube.Connection, name, op string, d kube.Definition) (shown string, err error) {
	t.Helper()
	return carryOut(t, c, vim.Change{Name: name, Owner: owner, Operation: op, Definition: d, Timeout: time.Minute})
}

// takeBack undoes what an operation has changed.
func takeBack(t *testing.T, c *kube.Connection, name, op string, d kube.Definition) (shown string, err error) {
	t.Helper()
	return carryOut(t, c, vim.Change{
		Name: name, Owner: owner, Operation: op, Definition: d, Undo: true, Timeout: time.Minute,
	})
}

func carryOut(t *testing.T, c *kube.Connection, ch vim.Change) (shown string, err error) {
	t.Helper()
	var mu sync.Mutex
	err = c.Change(t.Context(), ch, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		shown += line + "\n"
	})
	return shown, err
}

// history returns the revisions of a release as Helm's own library reads them.
func history(t *testing.T, p *kubetest.ControlPlane, name string) (out []*release.Release) {
	t.Helper()
	return historyIn(t, p, "default", name)
}

func historyIn(t *testing.T, p *kubetest.ControlPlane, namespace, name string) (out []*release.Release) {
	t.Helper()
	all, err := storage.Init(driver.NewSecrets(p.Client.CoreV1().Secrets(namespace))).History(name)
	require.NoError(t, err)
	for _, r := range all {
		out = append(out, r.(*release.Release))
	}
	return out
}

func statuses(all []*release.Release) (out []common.Status) {
	for _, r := range all {
		out = append(out, r.Info.Status)
	}
	return out
}

func TestChart_throughItsLife(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	chart := aChart(map[string]string{
		"templates/hooks.yaml": hook("before", "done", "pre-install,pre-upgrade", "") + "---" +
			hook("after", "done", "post-install", `, helm.sh/hook-delete-policy: "hook-succeeded"`) + "---" +
			hook("last", "done", "pre-delete,post-delete", "") + "---" + hook("tested", "done", "test", ""),
		"templates/NOTES.txt": "Look.",
	})
	d := releaseOf("r", chart, map[string]any{"replicas": 2})
	for range 2 { // the second call finds everything there
		shown, err := deploy(t, c, "vnf-1", owner, d)
		require.NoError(t, err, strings.Join(shown, "\n"))
		all := history(t, p, "r")
		require.Len(t, all, 1)
		require.Equal(t, common.StatusDeployed, all[0].Info.Status)
		require.Contains(t, all[0].Manifest, "# Source: web/templates/web.yaml")
		require.Equal(t, "web", all[0].Chart.Name())
		require.Equal(t, "Look.", all[0].Info.Notes)
		require.EqualValues(t, 2, all[0].Config["replicas"])
	}
	get := func() (random, revision string, replicas int32) {
		s, err := p.Client.CoreV1().Secrets("default").Get(t.Context(), "r-key", metav1.GetOptions{})
		require.NoError(t, err)
		m, err := p.Client.CoreV1().ConfigMaps("default").Get(t.Context(), "r-extra", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, "true", m.Data["apps"])
		w, err := p.Client.AppsV1().Deployments("default").Get(t.Context(), "r-web", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, "Helm", w.Labels["app.kubernetes.io/managed-by"])
		return string(s.Data["random"]), m.Data["revision"], *w.Spec.Replicas
	}
	random, revision, replicas := get()
	require.Equal(t, "1", revision)
	require.EqualValues(t, 2, replicas)
	_, err := p.Client.BatchV1().Jobs("default").Get(t.Context(), "before", metav1.GetOptions{})
	require.NoError(t, err, "a hook without a policy stays until the next one")
	for _, gone := range []string{"after", "last", "tested"} {
		_, err := p.Client.BatchV1().Jobs("default").Get(t.Context(), gone, metav1.GetOptions{})
		require.True(t, errors.IsNotFound(err), gone)
	}
	inv, err := c.Inventory(t.Context(), "vnf-1")
	require.NoError(t, err)
	require.Len(t, inv.OfKind(vim.Compute), 2)

	// The release does not change: the values that templates have generated stay, and objects that somebody has deleted
	// come back.
	require.NoError(t, p.Client.CoreV1().ConfigMaps("default").Delete(t.Context(), "r-extra", metav1.DeleteOptions{}))
	for _, d := range []kube.Definition{{}, d} {
		shown, err := change(t, c, "vnf-1", "op-2", d)
		require.NoError(t, err, shown)
		same, _, _ := get()
		require.Equal(t, random, same)
		require.Len(t, history(t, p, "r"), 1)
	}

	for range 2 {
		shown, err := change(t, c, "vnf-1", "op-3", releaseOf("r", chart, map[string]any{"replicas": 3}))
		require.NoError(t, err, shown)
		_, revision, replicas = get()
		require.Equal(t, "2", revision)
		require.EqualValues(t, 3, replicas)
		require.Equal(t, []common.Status{common.StatusSuperseded, common.StatusDeployed}, statuses(history(t, p, "r")))
	}

	// A new revision deletes the objects that the chart no longer has.
	shown, err := change(t, c, "vnf-1", "op-4", releaseOf("r", chart, map[string]any{"replicas": 1, "extra": false}))
	require.NoError(t, err, shown)
	_, err = p.Client.CoreV1().ConfigMaps("default").Get(t.Context(), "r-extra", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err))

	var lines []string
	for range 2 {
		require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(line string) { lines = append(lines, line) }))
	}
	require.Contains(t, strings.Join(lines, "\n"), "ConfigMap default/r-kept stays")
	require.Contains(t, strings.Join(lines, "\n"), "The hook last of the release r begins.")
	_, err = p.Client.CoreV1().ConfigMaps("default").Get(t.Context(), "r-kept", metav1.GetOptions{})
	require.NoError(t, err)
	requireNothingOf(t, p, owner)
	jobs, err := p.Client.BatchV1().Jobs("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, jobs.Items)
}

func TestChart_refusesEverythingBeforeAnythingIsMade(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	_, err := p.Client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "r-extra"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, storage.Init(driver.NewSecrets(p.Client.CoreV1().Secrets("default"))).Create(&release.Release{
		Name: "r", Namespace: "default", Version: 1, Info: &release.Info{Status: common.StatusDeployed},
	}))
	_, err = deploy(t, c, "vnf-1", owner, releaseOf("r", aChart(nil), nil))
	failed, ok := err.(*lcm.Error) //nolint:errorlint // the error itself
	require.True(t, ok, "%v", err)
	require.Len(t, failed.Problems, 2)
	require.Equal(t, "Release default/r", failed.Problems[0].Path)
	require.Equal(t, "ConfigMap default/r-extra", failed.Problems[1].Path)
	require.True(t, lcm.Is(err, lcm.KindConflict))

	_, err = deploy(t, c, "vnf-1", owner, releaseOf("big", aChart(map[string]string{"files/big": random(t, 1<<20)}), nil))
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "record the release big")
	_, err = deploy(t, c, "vnf-1", owner, releaseOf("old", aChart(map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\nkubeVersion: '<1.20'\n",
	}), nil))
	require.ErrorContains(t, err, "it is for Kubernetes <1.20")
	requireNothingOf(t, p, owner)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	require.Len(t, history(t, p, "r"), 1, "it is somebody else's")
}

func TestChart_thatFails(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	began := time.Now()
	shown, err := deploy(t, c, "vnf-1", owner, releaseOf("r", aChart(nil), map[string]any{"image": "broken:1"}))
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.ErrorContains(t, err, "ImagePullBackOff")
	require.Less(t, time.Since(began), 25*time.Second)
	require.NotContains(t, err.Error()+strings.Join(shown, "\n"), "hunter3")
	all := history(t, p, "r")
	require.Equal(t, []common.Status{common.StatusFailed}, statuses(all))
	require.Contains(t, all[0].Info.Description, "ImagePullBackOff")

	// A retry with other values continues the same operation. A change of another operation begins a new one.
	_, err = deploy(t, c, "vnf-1", owner, releaseOf("r", aChart(nil), nil))
	require.NoError(t, err)
	require.Equal(t, []common.Status{common.StatusFailed, common.StatusDeployed}, statuses(history(t, p, "r")))
	_, err = change(t, c, "vnf-1", "op-2", releaseOf("r", aChart(nil), map[string]any{"image": "broken:1"}))
	require.ErrorContains(t, err, "ImagePullBackOff")
	_, err = change(t, c, "vnf-1", "op-2", releaseOf("r", aChart(nil), nil)) // as the rollback does
	require.NoError(t, err)
	all = history(t, p, "r")
	require.Equal(t, common.StatusDeployed, all[len(all)-1].Info.Status)
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)

	_, err = deploy(t, c, "vnf-2", owner, releaseOf("h", aChart(map[string]string{
		"templates/hooks.yaml": hook("first", "failed", "pre-install", ""),
	}), nil))
	require.True(t, lcm.Is(err, lcm.KindBroken), "%v", err)
	require.ErrorContains(t, err, "The pre-install hook first of the release h has failed: Job default/first has failed")
	_, err = p.Client.AppsV1().Deployments("default").Get(t.Context(), "h-web", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err))
	require.NoError(t, c.Remove(t.Context(), "vnf-2", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

func TestChart_usesTheKindsThatAreThere(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	chart := aChart(map[string]string{
		"crds/widget.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`,
		"templates/widget.yaml": "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: '{{ .Release.Name }}'}\n",
	})
	for _, name := range []string{"one", "two"} { // both charts bring the same kind
		_, err := c.Deploy(t.Context(), vim.Deployment{
			Name: "vnf-" + name, Owner: "windlass-" + name, Operation: "op", Definition: releaseOf(name, chart, nil), Timeout: time.Minute,
		}, func(string) {})
		require.NoError(t, err)
	}
	for _, name := range []string{"one", "two"} {
		require.NoError(t, c.Remove(t.Context(), "vnf-"+name, "windlass-"+name, func(string) {}))
		requireNothingOf(t, p, "windlass-"+name)
	}
}

func TestDeploy_usesANamespaceThatIsThere(t *testing.T) {
	p := start(t)
	_, err := p.Client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "curry"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	c := p.Connect(t, "default")
	d := kube.Definition{
		Objects:   manifests(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: curry}\n"+deployment("web", "httpd", 1)),
		Namespace: "curry", Override: true,
	}
	shown, err := deploy(t, c, "vnf-1", owner, d)
	require.NoError(t, err, strings.Join(shown, "\n"))
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	_, err = p.Client.CoreV1().Namespaces().Get(t.Context(), "curry", metav1.GetOptions{})
	require.NoError(t, err)
}

func TestChart_inANamespaceOfItsVNF(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	d := releaseOf("r", aChart(map[string]string{"templates/hooks.yaml": hook("first", "done", "pre-install,post-delete", "")}), nil)
	d.Charts[0].Namespace, d.Namespace, d.Override = "curry", "curry", true
	d.Objects = manifests(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: curry}\n")
	shown, err := deploy(t, c, "vnf-1", owner, d)
	require.NoError(t, err, strings.Join(shown, "\n"))
	require.NoError(t, c.Remove(context.WithoutCancel(t.Context()), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

// TestHalt_leavesWhatIsNotRunning: objects that hooks have made stay while the VNF is stopped. A Job that is complete
// does not run again.
func TestHalt_leavesWhatIsNotRunning(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	const key = `
apiVersion: v1
kind: Secret
metadata: {name: first-key, annotations: {helm.sh/hook: pre-install}}
stringData: {key: {{ randAlphaNum 20 }}}
---
`
	agent := strings.Replace(deployment("agent", "httpd", 1), "{name: agent}", "{name: agent, annotations: {helm.sh/hook: post-install}}", 1)
	chart := aChart(map[string]string{
		"templates/hooks.yaml": key + hook("before", "done", "pre-install", "") + "---" + agent,
		"templates/job.yaml":   strings.Replace(hook("once", "done", "none", ""), `, annotations: {helm.sh/hook: "none"}`, "", 1),
	})
	shown, err := deploy(t, c, "vnf-1", owner, releaseOf("r", chart, nil))
	require.NoError(t, err, strings.Join(shown, "\n"))
	uids := func() (out []string) {
		secret, err := p.Client.CoreV1().Secrets("default").Get(t.Context(), "first-key", metav1.GetOptions{})
		require.NoError(t, err)
		out = append(out, string(secret.UID))
		for _, name := range []string{"before", "once"} {
			job, err := p.Client.BatchV1().Jobs("default").Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			out = append(out, string(job.UID))
		}
		return out
	}
	replicas := func() []int32 {
		var out []int32
		for _, name := range []string{"r-web", "agent"} {
			d, err := p.Client.AppsV1().Deployments("default").Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			out = append(out, *d.Spec.Replicas)
		}
		return out
	}
	require.Eventually(t, func() bool { // a Job counts as ready already while it runs
		job, err := p.Client.BatchV1().Jobs("default").Get(t.Context(), "once", metav1.GetOptions{})
		return err == nil && job.Status.CompletionTime != nil
	}, 20*time.Second, 50*time.Millisecond)
	had := uids()
	stop := vim.Change{Name: "vnf-1", Owner: owner, Operation: "operate", Timeout: time.Minute}
	for range 2 {
		require.NoError(t, c.Halt(t.Context(), stop, time.Minute, func(string) {}))
		require.Equal(t, had, uids())
		require.Equal(t, []int32{0, 0}, replicas())
	}
	for range 2 {
		require.NoError(t, c.Resume(t.Context(), stop, func(string) {}))
		require.Equal(t, had, uids())
	}
	require.Equal(t, []int32{1, 1}, replicas())
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	requireNothingOf(t, p, owner)
}

// random returns a text that cannot be compressed.
func random(t *testing.T, size int) string {
	t.Helper()
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	out, x := make([]byte, size), uint64(88172645463325252)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = letters[x%uint64(len(letters))]
	}
	return string(out)
}

// TestChart_goesBackToTheSamePasswords: a rollback restores the former objects, including the random values that
// templates have generated.
func TestChart_goesBackToTheSamePasswords(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	random := func() string {
		secret, err := p.Client.CoreV1().Secrets("default").Get(t.Context(), "r-key", metav1.GetOptions{})
		require.NoError(t, err)
		return string(secret.Data["random"])
	}
	before := releaseOf("r", aChart(nil), map[string]any{"replicas": 1})
	shown, err := deploy(t, c, "vnf-1", owner, before)
	require.NoError(t, err, strings.Join(shown, "\n"))
	had := random()
	_, err = change(t, c, "vnf-1", "upgrade", releaseOf("r", aChart(nil), map[string]any{"replicas": 1, "image": "broken:2"}))
	require.ErrorContains(t, err, "ImagePullBackOff")
	require.NotEqual(t, had, random(), "as with Helm")
	for range 2 {
		_, err = takeBack(t, c, "vnf-1", "upgrade", before)
		require.NoError(t, err)
		require.Equal(t, had, random())
	}
	require.Equal(t, []common.Status{common.StatusSuperseded, common.StatusFailed, common.StatusDeployed},
		statuses(history(t, p, "r")))
	_, err = change(t, c, "vnf-1", "later", releaseOf("r", aChart(nil), map[string]any{"replicas": 2}))
	require.NoError(t, err)
	require.NotEqual(t, had, random())
	_, err = change(t, c, "vnf-1", "and back", before)
	require.NoError(t, err)
	require.Equal(t, had, random())
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
}

// TestChart_keepsThePasswordThatItLooksUp: with `lookup` charts keep the passwords that their templates have generated.
// Only operations look up: everybody who may read may ask for a plan.
func TestChart_keepsThePasswordThatItLooksUp(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	chart := aChart(map[string]string{"templates/db.yaml": `
{{- $old := lookup "v1" "Secret" .Release.Namespace "db" }}
{{- if and .Release.IsUpgrade (not $old) }}{{ fail "existing credentials are needed for an upgrade" }}{{ end }}
{{- if eq (toString .Values.tell) "yes" }}{{ fail (printf "it was <%s>" ($old.data).password) }}{{ end }}
apiVersion: v1
kind: Secret
metadata: {name: db}
data: {password: {{ ($old.data).password | default (randAlphaNum 20 | b64enc) }}}
`})
	password := func() string {
		secret, err := p.Client.CoreV1().Secrets("default").Get(t.Context(), "db", metav1.GetOptions{})
		require.NoError(t, err)
		return string(secret.Data["password"])
	}
	shown, err := deploy(t, c, "vnf-1", owner, releaseOf("r", chart, map[string]any{"replicas": 1}))
	require.NoError(t, err, strings.Join(shown, "\n"))
	had := password()
	require.Len(t, had, 20)
	for replicas := 2; replicas < 4; replicas++ {
		_, err = change(t, c, "vnf-1", "scale", releaseOf("r", chart, map[string]any{"replicas": replicas}))
		require.NoError(t, err)
		require.Equal(t, had, password())
	}

	telling := releaseOf("r", chart, map[string]any{"replicas": 1, "tell": "yes"})
	_, err = change(t, c, "vnf-1", "tells", telling)
	require.ErrorContains(t, err, "it was <***>")
	problems, err := c.Survey(t.Context(), vim.Deployment{Name: "vnf-1", Owner: owner, Definition: telling}, vim.Room{})
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "existing credentials", "a plan finds nothing")
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
}

// TestChart_runsHooksWithGeneratedNames: each revision has a Job of its own, and nothing is left of any.
func TestChart_runsHooksWithGeneratedNames(t *testing.T) {
	p := start(t)
	c := p.Connect(t, "default")
	chart := aChart(map[string]string{"templates/migrate.yaml": strings.Replace(
		hook("migrate", "done", "pre-install,pre-upgrade", ""), "{name: migrate,", "{generateName: migrate-,", 1)})
	jobs := func() (names []string) {
		list, err := p.Client.BatchV1().Jobs("default").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, job := range list.Items {
			names = append(names, job.Name)
		}
		return names
	}
	shown, err := deploy(t, c, "vnf-1", owner, releaseOf("r", chart, map[string]any{"replicas": 1}))
	require.NoError(t, err, strings.Join(shown, "\n"))
	first := jobs()
	require.Len(t, first, 1)
	require.Regexp(t, "^migrate-[0-9a-f]{8}$", first[0])
	_, err = change(t, c, "vnf-1", "scale", releaseOf("r", chart, map[string]any{"replicas": 2}))
	require.NoError(t, err)
	require.Len(t, jobs(), 2, "as with Helm")
	require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	require.Empty(t, jobs())
}
