package kubernetes

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/charts"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// bash is the shell of a reader of the pages. The reader has kubectl and Helm's own program.
type bash struct {
	p   *kubetest.ControlPlane
	dir string
}

// run runs a command, and returns its output.
func (b bash) run(t *testing.T, command string) string {
	t.Helper()
	bin, err := filepath.Abs("../../../../bin")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "KUBECONFIG="+b.p.Kubeconfig, "PATH="+b.p.Programs+":"+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", command, out)
	return string(out)
}

// ofPages are the commands of kubectl that pages show. Each function runs one with the objects that it needs.
var ofPages = map[string]func(t *testing.T, b bash, command string){
	"kubectl --kubeconfig edge-1.kubeconfig get nodes":                  getNodes,
	"kubectl config view --flatten --minify --raw":                      viewConfig,
	"kubectl get deployments,services,configmaps -l windlass.nfv/owner": getOwned,
	"kubectl apply --server-side":                                       applyByScript,
	"kubectl wait":                                                      inTheSameScript,
	"kubectl -n windlass-storage logs deployment/nfs-NAME":              readLogs,
	"kubectl edit pv":                                                   editVolume,
}

// ofHelm are the commands of Helm's program, in the order in which useHelm runs them.
var ofHelm = []string{
	"helm install --wait", "helm list", "helm history", "helm get", "helm rollback --force-conflicts", "helm upgrade",
	"helm upgrade --reuse-values --force-conflicts", "helm --set", "helm uninstall --no-hooks",
}

// TestPages_commandsDoWhatThePagesSay runs every command of kubectl and of Helm that a page shows.
func TestPages_commandsDoWhatThePagesSay(t *testing.T) {
	shown := shownByPages(t)
	require.ElementsMatch(t, append(slices.Collect(maps.Keys(ofPages)), ofHelm...), shown)
	b := bash{p: start(t), dir: t.TempDir()}
	for command, carryOut := range ofPages {
		t.Run(command, func(t *testing.T) { carryOut(t, b, command) })
	}
	t.Run("helm", func(t *testing.T) {
		require.FileExists(t, "../../../../bin/helm", "build it with: go tool task helm")
		useHelm(t, b)
	})
}

var (
	inText  = regexp.MustCompile("`((?:kubectl|helm) -?[^`]+)`")
	inBlock = regexp.MustCompile(`(?m)^(?: {4}(?:\$ )?|.*; |)((?:kubectl|helm) .*)$`)
	fenced  = regexp.MustCompile("(?sm)^```sh\n.*?^```|^(?: {4}.*\n)+")
)

// shownByPages returns the commands of these programs in the README and all pages, each once.
func shownByPages(t *testing.T) (out []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("../../../..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range inText.FindAllSubmatch(text, -1) {
				out = append(out, strings.Join(strings.Fields(string(m[1])), " "))
			}
			for _, block := range fenced.FindAll(text, -1) {
				for _, m := range inBlock.FindAllSubmatch(block, -1) {
					out = append(out, string(m[1]))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func getNodes(t *testing.T, b bash, command string) {
	text := administrators(t, b.p)
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "edge-1.kubeconfig"), []byte(text), 0o600))
	require.Regexp(t, kubetest.Node+` +Ready`, b.run(t, "unset KUBECONFIG; "+command))
}

func viewConfig(t *testing.T, b bash, command string) {
	_, cred, err := kube.ReadKubeconfig(vimOf(b.p), map[string]any{"kubeconfig": b.run(t, command)}, "$")
	require.NoError(t, err)
	require.Equal(t, kubetest.Token, cred["bearer_token"])
}

func getOwned(t *testing.T, b bash, command string) {
	c := b.p.Connect(t, "default")
	_, err := deploy(t, c, "owned", owner, kube.Definition{
		Objects: manifests(t, deployment("owned", "httpd", 1)+
			"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
		Workloads: map[string]kube.Workload{"VDU": {Kind: "Deployment", Name: "owned"}},
	})
	require.NoError(t, err)
	told := b.run(t, command)
	require.Regexp(t, `deployment.apps/owned +1/1`, told)
	require.Contains(t, told, "configmap/settings")
	require.NotContains(t, told, "kube-root-ca.crt", "the cluster's own")
	require.NoError(t, c.Remove(t.Context(), "owned", owner, func(string) {}))
}

// applyByScript runs the script with which the page about benchmarks compares Windlass.
func applyByScript(t *testing.T, b bash, command string) {
	inTheSameScript(t, b, command)
	b.bench(t, "apply")
	parts, err := b.p.Client.AppsV1().Deployments("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, parts.Items, 5)
	b.bench(t, "delete")
}

func inTheSameScript(t *testing.T, _ bash, command string) {
	script, err := os.ReadFile("../../../programs/bench/cnf.sh")
	require.NoError(t, err)
	require.Contains(t, string(script), strings.Replace(command, "kubectl", `"$KUBECTL"`, 1))
}

// bench runs the benchmarks' script.
func (b bash) bench(t *testing.T, word string) {
	t.Helper()
	folder, err := filepath.Abs("../../../programs/bench")
	require.NoError(t, err)
	b.run(t, "KUBECTL=kubectl HELM=helm NAMESPACE=default FILES="+folder+"/containers/Files/kubernetes "+folder+"/cnf.sh "+word)
}

func readLogs(t *testing.T, b bash, command string) {
	newNamespace(t, b.p, "windlass-storage")
	c := b.p.Connect(t, "windlass-storage")
	_, err := deploy(t, c, "provisioner", owner, kube.Definition{Objects: manifests(t, deployment("nfs-files", "httpd", 1))})
	require.NoError(t, err)
	require.Contains(t, b.run(t, strings.Replace(command, "NAME", "files", 1)), kubetest.LastWords)
	require.NoError(t, c.Remove(t.Context(), "provisioner", owner, func(string) {}))
}

// editVolume removes the finalizer that keeps a deleted volume.
func editVolume(t *testing.T, b bash, command string) {
	volumes := b.p.Client.CoreV1().PersistentVolumes()
	b.p.Volumes(t, 1)
	all, err := volumes.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, all.Items, 1)
	v := all.Items[0]
	_, err = volumes.Patch(t.Context(), v.Name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":["example.org/stay"]}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, volumes.Delete(t.Context(), v.Name, metav1.DeleteOptions{}))
	_, err = volumes.Get(t.Context(), v.Name, metav1.GetOptions{})
	require.NoError(t, err, "the finalizer keeps it")
	b.run(t, "export EDITOR='sed -i /finalizers:/,/name:/{/name:/!d}'; "+command+" "+v.Name)
	_, err = volumes.Get(t.Context(), v.Name, metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "%v", err)
}

// useHelm checks with Helm's own program what the page about charts says.
func useHelm(t *testing.T, b bash) {
	b.bench(t, "install")
	b.bench(t, "uninstall")
	chart := aChart(map[string]string{"templates/hooks.yaml": hook("last", "failed", "pre-delete", "")})
	c := b.p.Connect(t, "default")
	_, err := deploy(t, c, "vnf-1", owner, releaseOf("r", chart, nil))
	require.NoError(t, err)
	require.Regexp(t, `r\s+default\s+1\s.*\sdeployed\s+web-0\.1\.0`, b.run(t, "helm list"))
	require.Contains(t, b.run(t, "helm get values r --all"), "replicas: 1")
	_, err = change(t, c, "vnf-1", "op-2", releaseOf("r", chart, map[string]any{"replicas": 2}))
	require.NoError(t, err)
	b.run(t, "helm rollback --force-conflicts r 1")
	require.Regexp(t, `(?s)1\s.*superseded.*2\s.*superseded.*3\s.*deployed.*Rollback to 1`, b.run(t, "helm history r"))
	b.run(t, "helm upgrade --reuse-values --force-conflicts r "+write(t, chart)+" --set image=nginx")
	require.Contains(t, b.run(t, "helm get values r"), "image: nginx")
	_, err = change(t, c, "vnf-1", "op-3", releaseOf("r", chart, map[string]any{"replicas": 3}))
	require.NoError(t, err, "Windlass goes on with what somebody else has changed")
	require.Len(t, history(t, b.p, "r"), 5)

	err = c.Remove(t.Context(), "vnf-1", owner, func(string) {})
	require.ErrorContains(t, err, "last of the release r has failed")
	b.run(t, "helm uninstall --no-hooks r")
	for range 2 {
		require.NoError(t, c.Remove(t.Context(), "vnf-1", owner, func(string) {}))
	}
	requireNothingOf(t, b.p, owner)
}

// write writes a chart to a folder.
func write(t *testing.T, chart charts.Content) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range chart.Files {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
	return folder
}
