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

// foreignCnf returns one of Tacker's packages of containerised VNFs, which are beside the repository and not part of
// it.
func foreignCnf(t testing.TB, name string) vnfpkgtest.Files {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "packages", "cnf", name)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("Tacker's package is not at %s: its compatibility is NOT tested", root)
	}
	return vnfpkgtest.FilesIn(t, root)
}

func TestTackerCnf_scaledByVersion1(t *testing.T) {
	p := foreignCnf(t, "v1_scale").Open(t)

	require.Empty(t, p.Warnings)
	require.Len(t, p.Vnfd.Flavours, 2)
	for id, sizes := range map[string][]int{"simple": {1, 2, 3}, "scalingsteps": {1, 3, 5}} {
		f, err := p.Vnfd.Flavour(id)
		require.NoError(t, err)
		require.True(t, f.Containers)
		require.Empty(t, f.BaseHOT)
		require.Equal(t, "vdu1-scale", f.Vdus[0].Name)
		capacity, err := f.Capacity("")
		require.NoError(t, err)
		require.Equal(t, map[string]int{"VDU1": sizes[0]}, capacity)
		capacity, err = f.Capacity("instantiation_level_2")
		require.NoError(t, err)
		require.Equal(t, map[string]int{"VDU1": sizes[2]}, capacity)
		for level, size := range sizes {
			capacity, err = f.CapacityAt(map[string]int{"vdu1_aspect": level})
			require.NoError(t, err)
			require.Equal(t, map[string]int{"VDU1": size}, capacity)
		}
	}
}

func TestTackerCnf_changedByVersion2(t *testing.T) {
	p := foreignCnf(t, "v2_change").Open(t)

	require.Len(t, p.Vnfd.Flavours, 1)
	f := p.Vnfd.Flavours[0]
	require.True(t, f.Containers)
	names := map[string]string{}
	for _, v := range f.Vdus {
		names[v.ID] = v.Name
	}
	require.Equal(t, map[string]string{
		"VDU1": "vdu1", "VDU2": "vdu2", "VDU3": "vdu3", "VDU5": "vdu5", "VDU6": "vdu6",
	}, names)
	capacity, err := f.Capacity("")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"VDU1": 1, "VDU2": 2, "VDU3": 1, "VDU5": 1, "VDU6": 1}, capacity)
	require.Contains(t, vnfpkgtest.Sentences(p.Warnings)[0],
		`no driver of its own for "sample-script", whose file the archive lacks`)
}

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

// TestOpen_takesPackagesThatCarryTheTypesOfTheStandard uses the types of the standard, which are beside the repository
// and not part of it.
func TestOpen_takesPackagesThatCarryTheTypesOfTheStandard(t *testing.T) {
	for _, version := range []string{"2.6.1", "3.3.1", "4.4.1"} {
		t.Run(version, func(t *testing.T) {
			f, imports := vnfpkgtest.Minimal(), "imports:\n"
			for _, name := range []string{"etsi_nfv_sol001_common_types.yaml", "etsi_nfv_sol001_vnfd_types.yaml"} {
				text, err := os.ReadFile(filepath.Join("..", "..", "shared", "sol001-types", version, name))
				if err != nil {
					t.Skip("The types of SOL001 are not at hand: packages with them are NOT tested.")
				}
				f, imports = f.With("Definitions/"+name, string(text)), imports+"  - "+name+"\n"
			}
			p := f.With(vnfpkgtest.TopVnfd, imports+f[vnfpkgtest.TopVnfd]).Open(t)
			require.Empty(t, p.Warnings)
			require.Equal(t, vnfpkgtest.Minimal().Open(t).Vnfd, p.Vnfd)
		})
	}
}
