package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// large is the time for an operation on hundreds of servers.
const large = 25 * time.Minute

// TestLimits uses VNFs whose size Temporal must bear: it takes messages up to 4 MiB and histories up to 50 MB.
func TestLimits(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_LIMITS") == "" {
		t.Skip("not run: it takes minutes (go tool task test:limits)")
	}
	t.Run("on 500 servers", func(t *testing.T) {
		canRelay(t)
		python := cmp.Or(pathOf("/usr/bin/python3"), pathOf("python3"))
		canConfine(t, python)
		t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
		t.Setenv("WINDLASS_USER_DATA_PYTHON", python)
		t.Setenv("WINDLASS_SCRIPTS_ANSIBLE", "true")
		b := newBed(t, "fake")
		t.Run("a script", func(t *testing.T) { scriptOnHundredsOfServers(t, b) })
		t.Run("a playbook", func(t *testing.T) { playbookForHundredsOfServers(t, b) })
	})
	t.Run("2,000 objects that the cluster refuses", thousandsOfRefusedObjects)
}

const manyServers = 500

// withMany makes the largest level of a sample one with 500 servers.
var withMany = strings.NewReplacer(
	"max_number_of_instances: 3", "max_number_of_instances: 500", "max_scale_level: 2", "max_scale_level: 1",
	"one: { number_of_instances: 1 }", "one: { number_of_instances: 499 }",
	"large: { number_of_instances: 2 }", "large: { number_of_instances: 500 }",
)

// playbookForHundredsOfServers has a playbook run once for each server. It does nothing, and where Ansible runs: fake
// machines have no Python.
func playbookForHundredsOfServers(t *testing.T, b *bed) {
	dir := b.ChangedPackage(t, "vnfpkg/samples/ansible", withMany)
	for file, content := range map[string]string{
		"Scripts/web.yaml": `- hosts: 127.0.0.1
  connection: local
  gather_facts: false
  tasks: [{ansible.builtin.debug: {msg: "{{ host }} of many"}}]
`,
		"ScriptANSIBLE/config.yaml": `configurable_properties: {_VAR_greeting: hello}
vdus:
  web:
    config:
      order: 0
      vm_app_config:
        type: ansible
        instantiation:
          - path: _VAR_vnf_package_path/Scripts/web.yaml
            order: 0
            params: {greeting: _VAR_greeting, license: _VAR_license}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
	}
	b.Onboard(t, dir)
	vnf := b.CreateOf(t, playbooksVnfdID, "large")
	request := b.played(t)
	request["instantiationLevelId"] = "large"
	op := b.Begin(t, vnf, "instantiate", request)
	b.Await(t, op, large, "COMPLETED")
	requireDoneForAll(t, b.titled(t, op, playInstantiation))
	op = b.Terminate(t, vnf)
	b.Await(t, op, large, "COMPLETED")
	b.RequireNothingLeft(t)
}

// requireDoneForAll checks the rows of a step: first the entire step, then its servers.
func requireDoneForAll(t *testing.T, rows []testbed.Step) {
	t.Helper()
	require.Len(t, rows, 1+manyServers)
	for _, row := range rows {
		require.Equal(t, "DONE", row.State, "%v", row)
	}
}

func scriptOnHundredsOfServers(t *testing.T, b *bed) {
	b.Onboard(t, b.ChangedPackage(t, packageScripts, withMany))
	vnf := b.CreateOf(t, packageScriptsVnfdID, "large")
	request := b.withLicense(t)
	request["instantiationLevelId"] = "large"
	op := b.Begin(t, vnf, "instantiate", request)
	b.Await(t, op, large, "COMPLETED")
	requireDoneForAll(t, b.titled(t, op, configureAtEnd))
	op = b.Terminate(t, vnf)
	b.Await(t, op, large, "COMPLETED")
	b.RequireNothingLeft(t)
}

// thousandsOfRefusedObjects has the API server refuse objects with long reasons. All of them do not fit into a message.
func thousandsOfRefusedObjects(t *testing.T) {
	const objects = 1990 // a VNF may have 2,000 manifests
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	dir := b.ChangedPackage(t, "vnfpkg/samples/cnf-manifests", strings.NewReplacer())
	var many strings.Builder
	for n := range objects {
		fmt.Fprintf(&many, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-%d, labels: {bad: %q}}\n", n,
			strings.Repeat("not a label ", 100))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/kubernetes/many.yaml"), []byte(many.String()), 0o600))
	b.Onboard(t, dir)
	vnf := b.CreateOf(t, webVnfdID, "many")
	request := b.webRequest(t, b.registerCluster(t, cluster, "default"), "default")
	params := request["additionalParams"].(map[string]any)
	params["lcm-kubernetes-def-files"] = []string{"Files/kubernetes/web.yaml", "Files/kubernetes/many.yaml"}
	op := b.Begin(t, vnf, "instantiate", request)
	detail := b.Await(t, op, large, "FAILED_TEMP")["error"].(map[string]any)["detail"].(string)
	require.Contains(t, detail, "ConfigMap default/many-")
	require.Contains(t, detail, "1990 problems; the first 50 follow")
	require.Less(t, len(detail), 128<<10)
	t.Logf("%d bytes of reasons: %.300s ... %s", len(detail), detail, detail[max(0, len(detail)-200):])
	for _, row := range b.Steps(t, op) {
		require.LessOrEqual(t, row.Attempt, 1, "nothing can get better by itself: %v", row)
	}
	require.Equal(t, http.StatusOK, b.Act(t, op, "fail", nil).Status)
}
