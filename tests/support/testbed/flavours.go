package testbed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TwoFlavoursVnfdID is the VNFD of the package of TwoFlavours.
const TwoFlavoursVnfdID = "5b6a7a40-7f0e-4b77-8f86-8c8b1d0e7c55"

// TwoFlavours makes a package of manifests with the flavours simple, which has Pods of web, and wide, which has more
// of them, and a cache.
func (b *Bed) TwoFlavours(t testing.TB) (dir string) {
	t.Helper()
	dir = b.ChangedPackage(t, "vnfpkg/samples/cnf-manifests", strings.NewReplacer("b7a3f6de-2c0b-4d43-9a5e-0c1f6d8e7b24", TwoFlavoursVnfdID,
		"valid_values: [ simple ]", "valid_values: [ simple, wide ]",
		"  - cnf_manifests_df_simple.yaml", "  - cnf_manifests_df_simple.yaml\n  - cnf_manifests_df_wide.yaml"))
	copied := func(from, to string, change ...string) {
		text, err := os.ReadFile(filepath.Join(dir, from))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), []byte(strings.NewReplacer(change...).Replace(string(text))), 0o600))
	}
	copied("Definitions/cnf_manifests_df_simple.yaml", "Definitions/cnf_manifests_df_wide.yaml",
		"flavour_id: simple", "flavour_id: wide", "small: { number_of_instances: 1 }", "small: { number_of_instances: 2 }",
		"initial_delta: { number_of_instances: 1 }", "initial_delta: { number_of_instances: 2 }",
		"\n  policies:\n", "\n    cache:\n      type: tosca.nodes.nfv.Vdu.Compute\n      properties:\n        name: cache\n"+
			"        vdu_profile: { min_number_of_instances: 1, max_number_of_instances: 1 }\n\n  policies:\n"+
			"    - cache_initial_delta:\n        type: tosca.policies.nfv.VduInitialDelta\n        properties:\n"+
			"          initial_delta: { number_of_instances: 1 }\n        targets: [ cache ]\n\n"+
			"    - cache_levels:\n        type: tosca.policies.nfv.VduInstantiationLevels\n        properties:\n          levels:\n"+
			"            small: { number_of_instances: 1 }\n            large: { number_of_instances: 1 }\n"+
			"        targets: [ cache ]\n\n")
	copied("Files/kubernetes/web.yaml", "Files/kubernetes/cache.yaml", "name: web\n", "name: cache\n", "app: web", "app: cache")
	copied("Files/kubernetes/cache.yaml", "Files/kubernetes/broken/cache.yaml", "lab.local/web:v1", "broken.local/web:v1")
	return dir
}
