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

// howTo are the pages whose commands are carried out one after the other, by one reader in one shell, and what he does
// between them: what a page takes for granted, and what the next one does not want to find.
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
	{"how-to/registries.md", ""},
	{"how-to/scale-and-heal.md", ""},
	{"how-to/failed-operations.md", ""},
	{"coming-from-tacker.md", ""},
	{"how-to/terminate.md", ""},
	{"how-to/registry-vnf.md", ""},
	{"how-to/external-connectivity.md", ""},
	{"how-to/persistent-volumes.md", "finish"},
	{"lab.md", ""},
}

// doneElsewhere are commands that need what is not here, by how they begin, and who carries them out.
var doneElsewhere = map[string]string{
	"windlass package create --uri":                      "packages_test.go has a server for archives",
	"WINDLASS_PACKAGE_PASSWORD=":                         "cmd/windlass gives the password in its tests",
	"windlass vnf instantiate edge-1 request.json --vim": "cmd/windlass sets members of requests in its tests",
	"windlass vnf instantiate ID request.yaml":           "cmd/windlass fills in what package request prints",
	"windlass vnf terminate ID --leftovers":              "fake_test.go has an INSTANTIATE that has left something",
	"temporal ":                                          "temporal_test.go and access do what operations.md has of them",
	"tctl ":                                              "the same",
	"openstack ":                                         "tests/tackerclient drives Tacker's client",
	"WINDLASS_AUTH=keystone windlass ":                   "cmd/windlass logs in so in its tests",
	"curl -X POST $LAB/lab/clusters/$VNF/classes/":       "storageclass_test.go claims volumes of a class",
	"windlass-lab up":                                    "tests/environment brings labs up, and takes them down",
	"windlass-lab down":                                  "the same",
}

// TestHowTo carries out every command of the pages.
func TestHowTo(t *testing.T) {
	b := newBed(t, "fake")
	for _, args := range [][]string{{"package", "delete", b.samplePackage(t)}, {"vim", "delete", b.Vim}} {
		out, err := b.Windlass(t.Context(), args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	r, o := newReader(t, b), newOthers(t, b)
	r.haveKubernetes(t)
	script := r.preamble(t)
	for _, p := range howTo {
		text, err := os.ReadFile(filepath.Join(b.Root, "docs", p.page))
		require.NoError(t, err)
		r.haveRequest(t, string(text))
		commands := append(indented(string(text)), commandsOf(string(text))...)
		require.NotEmpty(t, commands, p.page)
		script += fmt.Sprintf("echo %s\n%s\n", quote("== "+p.page), p.before)
		for _, c := range commands {
			// What a move does with VIMs and packages the pages about these have done.
			if c.carriedOutElsewhere() || p.page == "coming-from-tacker.md" && !strings.Contains(c.text, "migrate-check") {
				continue
			}
			script += pasting(c.text, o.addresses.Replace(stood(c.text)))
		}
	}
	r.run(t, script)
	o.requireTold(t)
}

var (
	looksUp    = regexp.MustCompile(`\$(VNF|OP|PKG|VIM|WORKER|CP|VNFC)\b`)
	mayOperate = regexp.MustCompile(`\bwindlass |\$WINDLASS_API`)
)

// pasting carries out a command that a page shows. To look at the screen before, and to wait for operations after it,
// takes half a second: it is done for commands that need it.
func pasting(shown, command string) (script string) {
	if looksUp.MatchString(command) {
		script = "look\n"
	}
	script += fmt.Sprintf("echo %s\n%s\n[ $? -eq 0 ] || exit 1\n", quote("$ "+shown), command)
	if mayOperate.MatchString(command) {
		script += "finish\n"
	}
	return script
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

// shellLine is how a command begins.
var shellLine = regexp.MustCompile(
	`^(\$ )?((?:windlass|windlass-lab|curl|sed|openstack|temporal|tctl) [^:]|cat > |eval |[A-Z_]+=)`)

// indented are the commands in blocks that a page sets off by four spaces. Blocks begin with a command or have none.
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
				continue // what a command has printed
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

// stands are what readers put in the place of what the pages show.
var stands = strings.NewReplacer(
	`"url":"http://127.0.0.1:9890"`, `"url":"'$WINDLASS_API'"`,
	"worker-3f2a91c0", "$WORKER", "worker-5e6f7a8b", "'$WORKER'", "cp-34b246cd", "$CP",
	"--vnfc VNFC", "--vnfc $VNFC",
	"http://127.0.0.1:9890", "$WINDLASS_API", "http://controller:9890", "$WINDLASS_API",
	"a698c760-64e0-400d-b4c2-c62f2802d9dc", "$OP",
	`"3f2a91c0-0d1e-4e0f-8a3f-6f1f2f9d9c11"`, `"'$WORKER'"`, `"masterNode-34b246cd-1c0e-4b0f-9d1c-0a8e5b1d2f11"`, `"'$CP'"`,
	"NODES=10.78.0.0/24", "NODES="+fakeNetworks,
)

var placeholder = regexp.MustCompile(`([ /])ID\b`)

func stood(command string) string {
	variable := "$VNF"
	switch {
	case strings.HasPrefix(command, "windlass op "):
		variable = "$OP"
	case strings.HasPrefix(command, "windlass package "):
		variable = "$PKG"
	}
	return placeholder.ReplaceAllString(stands.Replace(command), "${1}"+strings.ReplaceAll(variable, "$", "$$"))
}

// preamble teaches the shell what a reader sees on the screen: the ids of the present VNF, operation and package, the
// names of nodes, and when an operation has ended.
func (r *reader) preamble(t *testing.T) string {
	t.Helper()
	return `export PATH=$PWD/bin:$PATH HOME=$PWD
PASSWORD=` + testbed.NodePassword + `
eval "$(windlass-lab openrc)"
unset OS_AUTH_URL
curl() { command curl --fail-with-body "$@"; }
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

// haveRequest keeps the request that a page shows as request.json, with a VIM and a password that there are.
func (r *reader) haveRequest(t *testing.T, page string) {
	t.Helper()
	m := jsonRequest.FindStringSubmatch(page)
	if m == nil {
		return
	}
	var request map[string]any
	require.NoError(t, json.Unmarshal([]byte(m[1]), &request))
	delete(request, "vimConnectionInfo") // the default VIM is meant then
	text, err := json.Marshal(request)
	require.NoError(t, err)
	text = []byte(strings.ReplaceAll(string(text), `"..."`, `"`+testbed.NodePassword+`"`))
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "request.json"), text, 0o600))
}

// haveKubernetes writes the files by which the page about VIMs registers clusters.
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
