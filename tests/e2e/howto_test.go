package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/kubetest"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// howTo are the pages whose commands one reader runs in one shell, one page after the other. The command before runs
// before a page: the page assumes it.
var howTo = []struct{ page, before string }{
	{"how-to/vims.md", "windlass-lab vim > north.yaml; cp north.yaml new-password.yaml"},
	{"how-to/packages.md", ""},
	{"how-to/subscriptions.md", ""},
	{"how-to/instantiate.md", ""},
	{"how-to/follow-progress.md", ""},
	{"reference/lists.md", ""},
	{"reference/client.md", ""},
	{"how-to/drift.md", ""},
	{"how-to/start-and-stop.md", ""},
	{"how-to/modify.md", `echo '{"metadata": {"rack": "7"}}' > modification.json`},
	{"how-to/registries.md", planOfRegistries},
	{"how-to/scale-and-heal.md", ""},
	{"api-extensions.md", ""},
	{"how-to/failed-operations.md", ""},
	{comingFromTacker, ""},
	{"how-to/terminate.md", ""},
	{"how-to/registry-vnf.md", ""},
	{"how-to/external-connectivity.md", ""},
	{"how-to/persistent-volumes.md", "finish"},
	{"lab.md", ""},
}

const comingFromTacker = "coming-from-tacker.md"

// carriedOutBefore says whether the page about VIMs has the command, too: a VIM is registered once.
func carriedOutBefore(c pasted) bool { return strings.HasPrefix(c.text, "windlass vim register ") }

// TestHowTo runs every command of these pages.
func TestHowTo(t *testing.T) {
	b := newBed(t, "fake")
	for _, args := range [][]string{{"package", "delete", b.samplePackage(t)}, {"vim", "delete", b.Vim}} {
		out, err := b.Windlass(t.Context(), args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	r, o := newReader(t, b), newOthers(t, b)
	r.haveKubernetes(t)
	r.haveRegistries(t, o)
	r.haveProfiles(t)
	archive := anotherServer(t, b)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "server.zip"), archive.Bytes(), 0o600))
	script := r.preamble(t)
	for _, p := range howTo {
		text, err := os.ReadFile(filepath.Join(b.Root, "docs", p.page))
		require.NoError(t, err)
		r.haveRequest(t, string(text))
		commands := append(indented(string(text)), commandsOf(string(text))...)
		require.NotEmpty(t, commands, p.page)
		script += fmt.Sprintf("echo %s\n%s\n", quote("== "+p.page), p.before)
		for _, c := range commands {
			if c.carriedOutElsewhere() || p.page == comingFromTacker && carriedOutBefore(c) {
				continue
			}
			script += pasting(c.text, o.addresses.Replace(stood(c.text)), arrangementOf(c.text))
		}
	}
	r.run(t, script)
	o.requireTold(t)
}

var (
	looksUp    = regexp.MustCompile(`\$(VNF|OP|PKG|VIM|WORKER|CP|VNFC)\b`)
	mayOperate = regexp.MustCompile(`\bwindlass |\$WINDLASS_API`)
)

// pasting returns the script for a command of a page. A look at the screen before it, and a wait for operations after
// it, need half a second. So the script has them only for commands that need them.
func pasting(shown, command string, a arrangement) (script string) {
	if looksUp.MatchString(command) {
		script = "look\n"
	}
	script += fmt.Sprintf("%s\necho %s\n%s\n[ $? -eq 0 ] || exit 1\n", a.before, quote("$ "+shown), command)
	if mayOperate.MatchString(command) && !strings.HasPrefix(command, "windlass profile ") {
		script += "finish\n"
	}
	return script + a.after + "\n"
}

func (c pasted) carriedOutElsewhere() bool {
	for begin := range doneElsewhere {
		if strings.HasPrefix(c.text, begin) {
			return true
		}
	}
	return false
}

var indentedBlocks = regexp.MustCompile(`(?m)(?:^ {4}.*\n)+`)

// shellLine is the beginning of a command.
var shellLine = regexp.MustCompile(
	`^(\$ )?((?:windlass|windlass-lab|curl|kubectl|helm|sed|source|openstack|temporal|tctl) [^:]|cat > |eval |[A-Z_]+=)`)

// indented returns the commands in a page's blocks with four spaces. A block begins with a command or has none.
func indented(page string) (out []pasted) {
	for _, block := range indentedBlocks.FindAllString(page, -1) {
		lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "    ")
		}
		if !shellLine.MatchString(lines[0]) {
			continue
		}
		prompt := strings.HasPrefix(lines[0], "$ ")
		for i := 0; i < len(lines); i++ {
			if !shellLine.MatchString(lines[i]) || prompt != strings.HasPrefix(lines[i], "$ ") {
				continue // the output of a command
			}
			end := i + 1
			for end < len(lines) && incomplete(strings.Join(lines[i:end], "\n")) {
				end++
			}
			out = append(out, pasted{text: strings.TrimPrefix(strings.Join(lines[i:end], "\n"), "$ ")})
			i = end - 1
		}
	}
	return out
}

// stands are the texts that readers put in the place of the pages' examples.
var stands = strings.NewReplacer(
	`"url":"http://127.0.0.1:9890"`, `"url":"'$WINDLASS_API'"`,
	"worker-3f2a91c0", "$WORKER", "worker-5e6f7a8b", "'$WORKER'", "cp-34b246cd", "$CP",
	"--vnfc VNFC", "--vnfc $VNFC",
	"http://127.0.0.1:9890", "$WINDLASS_API", "http://controller:9890", "$WINDLASS_API",
	"a698c760-64e0-400d-b4c2-c62f2802d9dc", "$OP", "433960ee-e66c-433b-96d1-4b35733a19dd", "$OP",
	"1f9d3a52-0c1e-4f60-8a3f-6f1f2f9d9c11", "$VNF", "934e2022-9924-4052-af54-b845db3455b2", "$VNF",
	"411822e2-837b-4eb0-9a55-79930ebfa6d0", "$VIM",
	`"3f2a91c0-0d1e-4e0f-8a3f-6f1f2f9d9c11"`, `"'$WORKER'"`, `"masterNode-34b246cd-1c0e-4b0f-9d1c-0a8e5b1d2f11"`, `"'$CP'"`,
	"NODES=10.78.0.0/24", "NODES=127.78.0.0/16", // every network of labs with fake machines
)

var (
	placeholder = regexp.MustCompile(`([ /])ID\b`)
	quotedURL   = regexp.MustCompile(`'(http://[^']*)'`) // in double quotes, the shell expands the variables for ids
)

func stood(command string) string {
	variable := "$VNF"
	switch {
	case strings.HasPrefix(command, "windlass op "):
		variable = "$OP"
	case strings.Contains(command, "windlass package "):
		variable = "$PKG"
	}
	command = quotedURL.ReplaceAllString(command, `"$1"`)
	return placeholder.ReplaceAllString(stands.Replace(command), "${1}"+strings.ReplaceAll(variable, "$", "$$"))
}

// preamble returns shell functions for what a reader sees on the screen: the ids of the current VNF, operation and
// package, the names of nodes, and the end of an operation.
func (r *reader) preamble(t *testing.T) string {
	t.Helper()
	return `export PATH=$PWD/bin:$PATH HOME=$PWD
PASSWORD=` + testbed.NodePassword + `
eval "$(windlass-lab openrc)"
unset OS_AUTH_URL
curl() {
  case "$*" in
  */v1/events) command curl --fail-with-body --max-time 1 "$@" || [ $? -eq 28 ] ;; # it has no end
  *) command curl --fail-with-body "$@" ;;
  esac
}
look() {
  for name in edge-1 edge-2 registry storage-1; do
    id=$(windlass vnf list | awk "/ $name / {print \$1}" | head -n 1)
    [ -z "$id" ] || VNF=$id
  done
  OP=$(windlass op list --vnf "$VNF" 2>/dev/null | awk 'NR > 1 {print $1}' | head -n 1)
  PKG=$(windlass package list | awk 'NR > 1 {print $1}' | head -n 1)
  VIM=$(windlass vim list | awk '/ north / {print $1}')
  nodes=$(command curl -s $LAB/lab/clusters | grep -o '"node":"[^"]*"' | cut -d '"' -f 4)
  WORKER=$(echo "$nodes" | grep worker | tail -n 1)
  CP=$(echo "$nodes" | grep cp | tail -n 1)
  VNFC=$(windlass vnf show "$VNF" -o json 2>/dev/null | tr -d ' \n' |
    grep -o '"id":"[^"]*","vduId":"storage_server"' | cut -d '"' -f 4)
  [ -n "$VNFC" ] || VNFC=$WORKER
}
finish() {
  for state in STARTING PROCESSING; do
    for op in $(windlass op list --state $state | awk 'NR > 1 {print $1}'); do windlass op watch $op || exit 1; done
  done
}
`
}

var jsonRequest = regexp.MustCompile("(?s)```json\n(\\{\\s*\"flavourId\".*?)```")

// haveRequest writes the request of a page to request.json, with a password of the test, and for the default VIM.
func (r *reader) haveRequest(t *testing.T, page string) {
	t.Helper()
	if request := r.requestOf(t, page); request != nil {
		r.keep(t, "request.json", request)
	}
}

// requestOf returns the request to instantiate that a page shows, or nil.
func (r *reader) requestOf(t *testing.T, page string) (request map[string]any) {
	t.Helper()
	m := jsonRequest.FindStringSubmatch(page)
	if m == nil {
		return nil
	}
	require.NoError(t, json.Unmarshal([]byte(m[1]), &request))
	delete(request, "vimConnectionInfo") // without it, Windlass uses the default VIM
	return request
}

// keep writes a request with a password of the test.
func (r *reader) keep(t *testing.T, name string, request map[string]any) {
	t.Helper()
	text, err := json.Marshal(request)
	require.NoError(t, err)
	text = []byte(strings.ReplaceAll(string(text), `"..."`, `"`+testbed.NodePassword+`"`))
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), text, 0o600))
}

// haveKubernetes writes the files with which the page about VIMs registers clusters.
func (r *reader) haveKubernetes(t *testing.T) {
	t.Helper()
	cluster := kubetest.Start(t)
	indentedCA := "  " + strings.ReplaceAll(strings.TrimSpace(cluster.CA), "\n", "\n  ")
	file := fmt.Sprintf("type: kubernetes\nauth_url: %s\nbearer_token: %q\nssl_ca_cert: |\n%s\nproject_name: default\n",
		cluster.URL, kubetest.Token, indentedCA)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "edge.yaml"), []byte(file), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(r.dir, ".kube"), 0o700))
	config := map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c", "user": "u"}}},
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{
			"server": cluster.URL, "certificate-authority-data": []byte(cluster.CA),
		}}},
		"users": []any{map[string]any{"name": "u", "user": map[string]any{"token": kubetest.Token}}},
	}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".kube/config"), text, 0o600))
}
