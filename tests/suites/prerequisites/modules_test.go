package prerequisites

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// versions returns what a module requires.
func versions(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = filepath.Join(root, dir)
	out, err := cmd.Output()
	require.NoError(t, err)
	var mod struct {
		Require []struct{ Path, Version string }
	}
	require.NoError(t, json.Unmarshal(out, &mod))
	found := map[string]string{}
	for _, r := range mod.Require {
		found[r.Path] = r.Version
	}
	return found
}

// Go compiles a package once for all programs that use the same version of it. The first demo builds the programs of these
// modules; each version that differs costs it seconds, and some cost it a minute.
func TestModules_requireTheSameVersions(t *testing.T) {
	product := versions(t, ".")
	for dir, differs := range map[string]string{
		"deployments/lab":                "",
		"tests":                          "",
		"tools/helm":                     "",
		"deployments/lab/image/programs": "",
		"deployments/dev/temporal":       "go.opentelemetry.io/", // the server does not compile with the newest release
	} {
		common := 0
		for path, version := range versions(t, dir) {
			if product[path] == "" || differs != "" && strings.HasPrefix(path, differs) {
				continue
			}
			common++
			assert.Equal(t, product[path], version, "%s in %s; take the higher version in both", path, dir)
		}
		assert.Greater(t, common, 10, dir)
	}
}
