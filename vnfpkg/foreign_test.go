package vnfpkg_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/hot"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

// foreignFiles returns Tacker's sample package, which is beside the repository and not part of it.
func foreignFiles(t testing.TB) vnfpkgtest.Files {
	t.Helper()
	root := os.Getenv("WINDLASS_FOREIGN_PACKAGE")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "packages", "kubernetes_vnf_package")
	}
	if _, err := os.Stat(root); err != nil {
		t.Skipf("Tacker's kubernetes_vnf_package is not at %s: its compatibility is NOT tested; set "+
			"WINDLASS_FOREIGN_PACKAGE to its directory", root)
	}
	return vnfpkgtest.FilesIn(t, root)
}

func TestTackerPackage_loadsWithItsThreeFlavours(t *testing.T) {
	p := foreignFiles(t).Open(t)

	require.EqualValues(t, "b1db0ce7-ebca-1fb7-95ed-4840d70a1163", p.Vnfd.ID)
	require.Equal(t, []string{"Company", "Sample VNF", "1.0", "1.0"},
		[]string{p.Vnfd.Provider, p.Vnfd.ProductName, p.Vnfd.SoftwareVersion, p.Vnfd.Version})
	for id, masters := range map[string]int{"simple": 1, "complex": 3, "podaffinity": 3} {
		f, err := p.Vnfd.Flavour(id)
		require.NoError(t, err)
		capacity, err := f.Capacity("")
		require.NoError(t, err)
		require.Equal(t, map[string]int{"masterNode": masters, "workerNode": 2}, capacity)
		for _, hook := range []string{
			"instantiate_end", "terminate_end", "scale_start", "scale_end", "heal_start",
			"heal_end",
		} {
			driver, ok := f.Driver(hook)
			require.True(t, ok)
			require.Equal(t, "mgmt-drivers-kubernetes", driver)
		}
		require.Equal(t, "BaseHOT/"+id+"/"+id+"_hot_top.yaml", f.BaseHOT)
		require.Len(t, f.Nested, 2)
	}
}

func TestTackerPackage_warnsOfFilesItLacks(t *testing.T) {
	warnings := strings.Join(vnfpkgtest.Sentences(foreignFiles(t).Open(t).Warnings), "\n")

	for _, name := range []string{
		"Scripts/install_k8s_cluster.sh", "Scripts/kubernetes_mgmt.py",
		"Files/images/ubuntu-20.04-server-cloudimg-amd64.img",
	} {
		require.Contains(t, warnings, name)
	}
}

func TestTackerPackage_makesTheParametersOfItsTemplates(t *testing.T) {
	tacker := foreignFiles(t)
	links := vnfpkgtest.Links("net0-id", "masterNode_CP1", "workerNode_CP2")

	for id, image := range map[string]string{"simple": "", "complex": "HA ", "podaffinity": "HA "} {
		_, params, err := tacker.Stack(t, id, hot.Request{ExtVirtualLinks: links, AdditionalParams: map[string]any{
			"k8s_master_node_group": "masters", "unknown": "ignored",
		}})
		require.NoError(t, err)
		require.Equal(t, map[string]any{
			"VDU": map[string]any{
				"masterNode": map[string]any{"flavor": "m1.medium", "image": "Image for masterNode " + image + "kubernetes"},
				"workerNode": map[string]any{"flavor": "m1.medium", "image": "Image for workerNode " + image + "kubernetes"},
			},
			"CP": map[string]any{
				"masterNode_CP1": map[string]any{"network": "net0-id"},
				"workerNode_CP2": map[string]any{"network": "net0-id"},
			},
		}, params["nfv"])
		require.Equal(t, 2, params["worker_instance_desired_capacity"])
		if id == "podaffinity" {
			require.Equal(t, "masters", params["k8s_master_node_group"])
		}
		require.NotContains(t, params, "unknown")
	}
}

func TestTackerPackage_followsTheLevelThoughItsTemplatesHaveNumbers(t *testing.T) {
	template, params, err := foreignFiles(t).Stack(t, "complex", hot.Request{
		LevelID: "instantiation_level_2", ExtVirtualLinks: vnfpkgtest.Links("n", "masterNode_CP1", "workerNode_CP2"),
	})

	require.NoError(t, err)
	require.Equal(t, 5, params["master_instance_desired_capacity"])
	require.Equal(t, 4, params["worker_instance_desired_capacity"])
	require.Contains(t, template.Top, "desired_capacity:\n        get_param: master_instance_desired_capacity\n")
	require.Contains(t, template.Top, "heat_template_version: 2013-05-23")
	require.Equal(t, foreignFiles(t)["BaseHOT/complex/nested/complex_nested_master.yaml"],
		template.Files["complex_nested_master.yaml"])
}
