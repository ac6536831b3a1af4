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

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// claimOfAClass is the beginning of a command that needs a cluster with storage classes.
const claimOfAClass = "curl -X POST $LAB/lab/clusters/$STORAGE/classes/"

// doneElsewhere are commands that need something which is not here. The keys are the beginnings of the commands, the
// values say which test runs them.
var doneElsewhere = map[string]string{
	"temporal ":   "temporalTools: failed-operations.md shows nothing that operations.md does not",
	"tctl ":       "the same",
	"kubectl ":    "TestPages of tests/suites/contract/kubernetes carries out every one of them",
	"helm ":       "the same, where there is Helm's program",
	"openstack ":  "tests/suites/tackerclient carries out those of its own commands",
	claimOfAClass: "storageClasses",
	`curl -s -X POST -H 'Content-Type: application/json' -d '{"expirationSeconds"`: "tests/suites/contract/kubernetes has a cluster " +
		"that gives credentials",
}

var (
	jsonBlock   = regexp.MustCompile("(?s)```json\n(.*?)```")
	yamlBlock   = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	jsonRequest = regexp.MustCompile("(?s)```json\n(\\{\\s*\"flavourId\".*?)```")
)

// shownRequest returns the request to instantiate that the page instantiate.md shows, with a password, and for the
// default VIM.
func (r *reader) shownRequest(t *testing.T) (request map[string]any) {
	t.Helper()
	m := jsonRequest.FindStringSubmatch(r.page(t, "instantiate.md"))
	require.NotNil(t, m)
	text := strings.ReplaceAll(m[1], `"..."`, `"`+testbed.NodePassword+`"`)
	require.NoError(t, json.Unmarshal([]byte(text), &request))
	delete(request, "vimConnectionInfo")
	cluster := request["additionalParams"].(map[string]any)["k8s_cluster_installation_param"].(map[string]any)
	cluster["vim_name"] = "planned"
	return request
}

// planShownRequest makes a plan of the request that the page shows.
func (r *reader) planShownRequest(t *testing.T) {
	t.Helper()
	r.plan(t, r.shownRequest(t))
}

// planShownRegistries makes a plan of that request with the registries that this page shows.
func (r *reader) planShownRegistries(t *testing.T) {
	t.Helper()
	request := r.shownRequest(t)
	cluster := request["additionalParams"].(map[string]any)["k8s_cluster_installation_param"].(map[string]any)
	body := jsonBlock.FindStringSubmatch(r.page(t, "registries.md"))
	require.NotNil(t, body)
	require.NoError(t, json.Unmarshal([]byte(body[1]), &cluster))
	r.plan(t, request)
}

func (r *reader) plan(t *testing.T, request map[string]any) {
	t.Helper()
	text, err := json.Marshal(request)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "planned.json"), text, 0o600))
	r.run(t, sessionStart+`set -e
windlass vnf create "Kubernetes cluster" --name planned
windlass vnf instantiate planned planned.json --plan
windlass vnf delete planned
`)
}

// haveCertificate gives the reader a copy of the packages, with the file that the page about registries names.
func (r *reader) haveCertificate(t *testing.T, o *others) {
	t.Helper()
	r.copyPackages(t)
	file := filepath.Join(r.dir, "vnfpkg/samples/k8s-ha/Files/registries/ca.crt")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	certificate, err := os.ReadFile(o.own["AUTHORITIES"])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, certificate, 0o600))
}

// haveProfiles writes the profiles that the page about clients shows.
func (r *reader) haveProfiles(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(r.Root, "docs/reference/client.md"))
	require.NoError(t, err)
	profiles := yamlBlock.FindSubmatch(page)
	require.NotNil(t, profiles)
	file := filepath.Join(r.dir, ".config/windlass/profiles.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, profiles[1], 0o600))
}

// haveTackersFiles writes the files that the page takes from Tacker.
func (r *reader) haveTackersFiles(t *testing.T) {
	t.Helper()
	archive := anotherServer(t, r.bed)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "package.zip"), archive.Bytes(), 0o600))
	r.run(t, sessionStart+"windlass-lab vim > north.yaml")
}

// leaveTacker makes the cloud of the tutorial the default again.
func (r *reader) leaveTacker(t *testing.T) {
	t.Helper()
	r.run(t, sessionStart+"set -e\nwindlass vim delete north\nwindlass vim update lab --default\n"+
		"windlass package delete Server:1.0\n")
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
