package docs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/script"
	"github.com/windlass-nfv/windlass/internal/params"
)

var update = flag.Bool("update", false, "write the generated pages")

// parametersPage is the page that TestReference_hasTheRulesOfEveryParameter compares with the code, and updates.
const parametersPage = "reference/parameters.md"

// TestReference_hasTheRulesOfEveryParameter generates a page from the tags with which requests are decoded
// (internal/params).
func TestReference_hasTheRulesOfEveryParameter(t *testing.T) {
	var text strings.Builder
	text.WriteString(`# Rules of parameters

The rules by which Windlass reads each parameter. This page is generated from the code (` + "`go tool task docs:generate`" + `).
These pages have their meanings: [Parameters of a cluster](cluster-parameters.md),
[Persistent volumes](../how-to/persistent-volumes.md), [Registries of images](../how-to/registries.md),
[Containerised VNFs](../how-to/containers.md), [Scripts of packages](../how-to/scripts.md) and [Playbooks of packages](../how-to/ansible.md).
`)
	for _, of := range []struct {
		heading string
		params  any
	}{
		{"Clusters: `additionalParams.k8s_cluster_installation_param`", k8s.Params{}},
		{"Containerised VNFs: `additionalParams`", cnf.Params{}},
		{"Scripts of packages: `additionalParams.scripts`", script.Params{}},
		{"Playbooks of packages: `additionalParams.ansible`", ansible.Params{}},
	} {
		fmt.Fprintf(&text, "\n## %s\n\n| Parameter | Type | Rules |\n|---|---|---|\n", of.heading)
		rules(&text, params.Describe(of.params), "")
	}
	if *update {
		require.NoError(t, os.WriteFile(parametersPage, []byte(text.String()), 0o644)) //nolint:gosec // for everybody
	}
	require.True(t, text.String() == page(t, parametersPage), "%s is not what the code reads. Run: go tool task docs:generate",
		parametersPage)
}

// rules writes a row for each member, also for members of objects and of items in lists.
func rules(w *strings.Builder, of []params.Member, prefix string) {
	for _, m := range of {
		path := prefix + m.Name
		if m.IsList() {
			path += "[]"
		}
		if m.IsMap() {
			path += ".<name>"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", path, m.Kind, m.Rules)
		rules(w, m.Members, path+".")
	}
}
