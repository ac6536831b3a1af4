package vnfpkg_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
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

func TestSampleCnfs(t *testing.T) {
	for _, name := range []string{"cnf-manifests", "cnf-helm", "cnf-tosca", "cnf-networks"} {
		t.Run(name, func(t *testing.T) { sampleCnf(t, name) })
	}
}

func sampleCnf(t *testing.T, name string) {
	t.Helper()
	p := vnfpkgtest.Sample(t, name)
	require.Empty(t, p.Warnings)
	req, additional := vnfpkgtest.SampleRequest(t, "instantiate-"+name+".json")
	f, err := p.Vnfd.Flavour(req.FlavourID)
	require.NoError(t, err)
	require.True(t, f.Containers)
	for _, level := range f.Levels {
		capacity, err := f.CapacityAt(level.ScaleLevels)
		require.NoError(t, err)
		require.Equal(t, level.Instances, capacity)
	}
	_, err = f.Level(req.InstantiationLevelID)
	require.NoError(t, err)
	files, _ := additional["lcm-kubernetes-def-files"].([]any)
	if chart, ok := additional["helm_chart_path"].(string); ok {
		files = []any{chart + "/Chart.yaml"}
	}
	require.Equal(t, len(files) == 0, len(f.Described()) > 0)
	for _, file := range files {
		_, err := vnfpkgtest.FilesOf(p).Read(file.(string))
		require.NoError(t, err)
	}
	var scale struct{ AspectID string }
	text, err := os.ReadFile("samples/requests/scale-cnf-manifests.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &scale))
	require.True(
		t, slices.ContainsFunc(f.Aspects, func(a descriptor.ScalingAspect) bool { return a.ID == scale.AspectID }),
	)
}

// containerised returns a package with a VDU that does not describe a VM.
func containerised(t testing.TB) vnfpkgtest.Files {
	t.Helper()
	return vnfpkgtest.Minimal().WithoutHOT().
		ReplaceVnfd(t, "        sw_image_data: { name: image-1 }\n", "        name: web\n").
		ReplaceVnfd(t, `      capabilities:
        virtual_compute:
          properties:
            requested_additional_capabilities:
              any: { requested_additional_capability_name: m1.small }
`, "").
		ReplaceVnfd(t, "          instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n", "")
}

func TestFlavour_isOfContainersWhenItsVdusSayNothingOfVMs(t *testing.T) {
	f := containerised(t)
	flavour := f.Open(t).Vnfd.Flavours[0]
	require.True(t, flavour.Containers)
	_, err := hot.StackTemplate(&flavour, f.Read)
	require.Equal(t, []string{
		"the VDUs of the flavour small are containers: it has no Heat template, and cannot run on OpenStack",
	}, vnfpkgtest.Problems(t, err))

	scripted := f.ReplaceVnfd(t, "          instantiate: []\n",
		"          instantiate: []\n          instantiate_start:\n            implementation: ../Scripts/s.py\n").
		With("Scripts/s.py", "pass\n").Open(t).Vnfd.Flavours[0]
	require.True(t, scripted.RunsScripts())
	require.True(t, scripted.Containers, "a script of the package needs no servers")
	for name, other := range map[string]vnfpkgtest.Files{
		"an image": f.ReplaceVnfd(t, "        name: web\n", "        sw_image_data: { name: image-1 }\n"),
		"a size": f.ReplaceVnfd(t, "        name: web\n",
			"        name: web\n      capabilities:\n        virtual_compute:\n"+
				"          properties: { virtual_cpu: { num_virtual_cpu: 1 } }\n"),
		"a driver of servers": f.ReplaceVnfd(t, "          instantiate: []\n",
			"          instantiate: []\n          instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n"),
		"a Base HOT": f.With(vnfpkgtest.SmallHOT, vnfpkgtest.MinimalHOT).With(vnfpkgtest.NestedHOT, vnfpkgtest.MinimalNested),
	} {
		t.Run(name, func(t *testing.T) { require.False(t, other.Open(t).Vnfd.Flavours[0].Containers) })
	}
}

func TestFlavour_ofASampleForVMsIsNoneOfContainers(t *testing.T) {
	for _, p := range []*vnfpkg.Package{vnfpkgtest.Sample(t, "k8s-ha"), vnfpkgtest.Sample(t, "tosca-only")} {
		for _, f := range p.Vnfd.Flavours {
			require.False(t, f.Containers)
		}
	}
}

func TestFlavour_withWorkloads(t *testing.T) {
	two := map[string]int{"d": 1}
	f := &descriptor.Flavour{
		ID: "simple", Containers: true, Vdus: []descriptor.Vdu{{ID: "a"}, {ID: "b"}, {ID: "c"}},
		Cps: []descriptor.VduCp{{ID: "a_CP", VduID: "a"}, {ID: "c_CP", VduID: "c"}, {ID: "free"}},
		Aspects: []descriptor.ScalingAspect{
			{ID: "x", MaxScaleLevel: 2, StepDeltas: []string{"d"}, Deltas: map[string]map[string]int{"a": two, "c": two}},
			{ID: "y", MaxScaleLevel: 2, StepDeltas: []string{"d"}, Deltas: map[string]map[string]int{"b": two}},
		},
		Levels: []descriptor.Level{{
			ID: "low", ScaleLevels: map[string]int{"x": 1, "y": 0}, Instances: map[string]int{"a": 2, "b": 1, "c": 2},
		}},
		DefaultLevel:  "low",
		AffinityRules: []descriptor.AffinityRule{{ID: "apart", Vdus: []string{"a", "c"}}},
	}
	before, err := json.Marshal(f)
	require.NoError(t, err)

	as := f.WithWorkloads(map[string]bool{"a": true, "b": false})

	require.Equal(t, []descriptor.Vdu{{ID: "a"}, {ID: "b", Unsized: true}}, as.Vdus)
	require.Equal(t, []descriptor.VduCp{{ID: "a_CP", VduID: "a"}, {ID: "free"}}, as.Cps)
	require.Equal(t, []string{"a"}, as.AffinityRules[0].Vdus)
	capacity, err := as.Capacity("")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 2, "b": 1}, capacity)
	capacity, err = as.CapacityAt(map[string]int{"x": 2, "y": 2})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 3, "b": 1}, capacity)
	require.True(t, as.Scales("x"))
	require.False(t, as.Scales("y"), "a DaemonSet")
	require.True(t, f.Scales("y"))
	require.False(t, f.Scales("none"))
	after, err := json.Marshal(f)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after), "the VNFD is shared")
}
