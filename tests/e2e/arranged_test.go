package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// arrangement is what the shell runs before and after a command of a page. The page assumes that before has run; after
// removes what would disturb the next commands.
type arrangement struct{ before, after string }

// arranged are the commands with an arrangement. The keys are the beginnings of the commands.
var arranged = map[string]arrangement{
	"windlass package create --uri": {after: "windlass package delete Server:1.0"},
	"WINDLASS_PACKAGE_PASSWORD=...": {
		before: `PKG=$(curl -s -H 'Content-Type: application/json' -d '{}' $WINDLASS_API/vnfpkgm/v1/vnf_packages |
  grep -o '"id": *"[^"]*"' | head -n 1 | cut -d '"' -f 4)`,
		after: "windlass package delete Server:1.0",
	},
	"windlass package create package.zip": {before: "cp server.zip package.zip", after: "windlass package delete Server:1.0"},
	"windlass vnf instantiate ID request.yaml": {before: `windlass vnf terminate $VNF --watch
sed -i -e 's/REPLACE-WITH-THE-NETWORK/net0/' -e 's/REPLACE-WITH-THE-NAME-OR-ID-OF-AN-OPENSTACK/north/' \
  -e 's/REPLACE-WITH-THE-PORT-OF-THE-VIRTUAL-IP/vip_CP/' -e 's/REPLACE-WITH-THE-USERNAME/debian/' -e "s/REPLACE-WITH-THE-PASSWORD/$PASSWORD/" request.yaml`},
	"windlass vnf instantiate edge-1 request.json --vim": {before: `windlass vnf terminate $VNF --watch
printf %s http://proxy.example:3128 > proxy.url`},
	"windlass vnf terminate ID --leftovers": {
		before: `VNF=$(windlass vnf create ee1f8f34-7c92-4023-840d-6f3b6885d92e --name given-up -o name | cut -d / -f 2)
curl $LAB/lab/faults -d '{"resource":"masterNode","action":"CREATE"}'
windlass vnf instantiate $VNF instantiate-ha.json --watch
windlass op fail given-up`,
		after: "windlass vnf delete $VNF",
	},
	"WINDLASS_AUTH=keystone windlass": {before: `eval "$(windlass-lab openrc)"`, after: "unset OS_AUTH_URL"},
}

// claimOfAClass is the beginning of a command that needs a cluster with storage classes.
const claimOfAClass = "curl -X POST $LAB/lab/clusters/$VNF/classes/"

// doneElsewhere are commands that need something which is not here. The keys are the beginnings of the commands, the
// values say which test runs them.
var doneElsewhere = map[string]string{
	"temporal ":       "temporalTools: failed-operations.md shows nothing that operations.md does not",
	"tctl ":           "the same",
	"kubectl ":        "TestPages of tests/contract/kubernetes carries out every one of them",
	"helm ":           "the same, where there is Helm's program",
	"openstack ":      "tests/tackerclient carries out those of its own commands",
	claimOfAClass:     "storageClasses",
	"sed 's#10\\.244": "tests/podnetworks edits flannel's manifest with it",
	`curl -s -X POST -H 'Content-Type: application/json' -d '{"expirationSeconds"`: "tests/contract/kubernetes has a cluster " +
		"that gives credentials",
	"windlass subscription delete ":    "notificationsArrive",
	"windlass subscription redeliver ": "TestDeadLetters_areListedAndDeliveredAgain of the client",
	"windlass-lab up  ":                "real machines need root: tests/environment brings them up so",
}

// planOfRegistries makes a plan of the request whose registries a page shows.
const planOfRegistries = `windlass vnf create ee1f8f34-7c92-4023-840d-6f3b6885d92e --name planned
windlass vnf instantiate planned registries-request.json --plan || exit 1
windlass vnf delete planned`

// haveRegistries writes the request of the page about clusters, with the addition from the page about registries. It
// also puts the file that this request names into the package.
func (r *reader) haveRegistries(t *testing.T, o others) {
	t.Helper()
	r.copyPackages(t)
	file := filepath.Join(r.dir, "vnfpkg/samples/k8s-ha/Files/registries/ca.crt")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	certificate, err := os.ReadFile(o.authorities)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, certificate, 0o600))
	body := jsonBlock.FindStringSubmatch(r.page(t, "registries.md"))
	require.NotNil(t, body)
	request := r.requestOf(t, r.page(t, "instantiate.md"))
	cluster := request["additionalParams"].(map[string]any)["k8s_cluster_installation_param"].(map[string]any)
	require.NoError(t, json.Unmarshal([]byte(body[1]), &cluster))
	cluster["vim_name"] = "planned"
	r.keep(t, "registries-request.json", request)
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

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

// arrangementOf returns the arrangement of a command. Most commands have none.
func arrangementOf(command string) arrangement {
	for begin, a := range arranged {
		if strings.HasPrefix(command, begin) {
			return a
		}
	}
	return arrangement{}
}
