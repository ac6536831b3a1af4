package vim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A VIM's words for its resources come from the VIM. Packages that serve all VIMs write none.
func TestWordsOfOneVim_areBehindTheSeam(t *testing.T) {
	folders := []string{
		"activities", "apiserver", "worker", "workflows", "internal/drift", "internal/driver", "internal/lcm",
		"internal/lifecycle", "internal/operations", "internal/store", "internal/vim",
	}
	for _, folder := range folders {
		root := filepath.Join("..", "..", filepath.FromSlash(folder))
		require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "openstack" || d.Name() == "apitest"):
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			require.NotContains(t, string(text), `"OS::`, path)
			return err
		}))
	}
}
