package cnf

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// partly returns a flavour with one VDU that the VNFD describes, and one that a chart makes.
func partly() *descriptor.Flavour {
	return &descriptor.Flavour{
		ID: "simple", Containers: true,
		Vdus: []descriptor.Vdu{
			{ID: "VDU1", Name: "web", Pod: &descriptor.Pod{
				Kind: descriptor.KindDeployment, Namespace: "curry",
				Containers: []descriptor.Container{{Name: "server", Image: descriptor.Word{Text: "a"}}},
			}},
			{ID: "VDU2", Name: "db", Pod: &descriptor.Pod{
				Kind:       descriptor.KindDeployment,
				Containers: []descriptor.Container{{Name: "db", Image: descriptor.Word{Text: "b"}}},
			}},
		},
		Charts: []descriptor.Chart{{ID: "chart", File: "chart", Vdus: []string{"VDU2"}}},
	}
}

func TestUnasked_saysWhyNothingMakesContainers(t *testing.T) {
	given := json.RawMessage(`{"lcm-kubernetes-def-files":["a.yaml"]}`)
	require.Equal(t, "makes containers, but the flavour simple has no VDU. Add the VDUs of the containers to the VNFD",
		Unasked(given, &descriptor.Flavour{ID: "simple"})[0].Detail)
	require.Contains(t, Unasked(given, &descriptor.Flavour{ID: "simple", Vdus: []descriptor.Vdu{{ID: "VDU1"}}})[0].Detail,
		"but all VDUs of the flavour simple are VMs")
}

func resolved(t *testing.T, f *descriptor.Flavour, p pkg, params string) *VNF {
	t.Helper()
	v, err := Resolve(t.Context(), f, json.RawMessage(params), p.files(), instance)
	require.NoError(t, err)
	return v
}

func TestResolve_takesWhatTheVnfdSaysWhereTheRequestNamesNothing(t *testing.T) {
	v := resolved(t, partly(), chartFiles("chart", "db"),
		`{"helm_parameters":{"db.image":"x"},"helm_value_names":{"VDU2":{"replica":"db.replicas"}}}`)
	require.Empty(t, v.Problems())
	require.Equal(t, map[string]Workload{"VDU1": {"Deployment", "vdu1-2c9f3d1e"}, "VDU2": {"Deployment", "db"}}, v.Workloads)
	require.Len(t, v.Manifests.Objects, 1)
	require.Equal(t, Place{Namespace: "curry"}, PlaceOf(v.Params, v.Manifests.Objects))
	require.False(t, v.OfChart("VDU1"))
	require.True(t, v.OfChart("VDU2"))
	for _, vdu := range []string{"VDU1", "VDU2"} {
		_, sized := v.Sized(vdu)
		require.True(t, sized)
	}
	releases, err := v.Releases(t.Context(), map[string]int{"VDU1": 2, "VDU2": 3})
	require.NoError(t, err)
	require.Len(t, releases, 1)
	require.Equal(t, ReleaseName(instance), releases[0].Name)
	require.Equal(t, map[string]any{"db": map[string]any{"image": "x", "replicas": 3.0}}, releases[0].Values)
}

func TestResolve_takesWhatTheRequestNamesBeforeWhatTheVnfdSays(t *testing.T) {
	v := resolved(t, partly(), pkg{"a.yaml": manifest("StatefulSet", "web", "")}, `{"lcm-kubernetes-def-files":["a.yaml"]}`)
	require.Empty(t, v.Problems())
	require.Equal(t, map[string]Workload{"VDU1": {"StatefulSet", "web"}}, v.Workloads)
	require.Len(t, v.Objects, 1)
}

func TestResolve_tellsWhenNobodySaysWhatTheVnfIs(t *testing.T) {
	const missing = "$.additionalParams.lcm-kubernetes-def-files is missing: it names the files of manifests in the VNF package. " +
		"Windlass cannot make manifests itself, because the VNFD describes no containers in the flavour simple."
	for params, want := range map[string][]string{
		``:                                {missing},
		`{}`:                              {missing},
		`{"lcm-kubernetes-def-files":[]}`: {missing},
		`{"lcm-kubernetes-def-files":"a.yaml"}`: {
			"$.additionalParams.lcm-kubernetes-def-files must be a list of strings, not a string.",
		},
	} {
		require.Equal(t, want, sentences(resolved(t, flavour("web"), nil, params).Problems()), params)
	}
	two := partly()
	two.Charts = append(two.Charts, descriptor.Chart{ID: "other", File: "none"})
	v := resolved(t, two, chartFiles("chart", "db"), `{"helm_parameters":{"a":1}}`)
	require.Equal(t, []string{
		`$.additionalParams the VNF package has no chart "none"`,
		"$.additionalParams.helm_parameters are values of a chart, and the flavour simple has 2 of them: name charts in " +
			"using_helm_install_param.",
	}, sentences(v.Problems()))
	v = resolved(t, partly(), chartFiles("chart", "db"), `{"vdu_mapping":{"VDU1":{"kind":"Pod","name":"x"}}}`)
	require.Equal(t, []string{
		"$.additionalParams.vdu_mapping is about manifests and charts, but the request names none: the VNFD " +
			"describes the VDUs.",
	}, sentences(v.Problems()))
}

func TestDiffering_chartsOfTheVnfd(t *testing.T) {
	before, after := chartFiles("chart", "db"), maps.Clone(chartFiles("chart", "db"))
	differing, err := Differing(partly(), Params{}, before.files(), after.files())
	require.NoError(t, err)
	require.Empty(t, differing)
	after["chart/values.yaml"] = "db: { replicas: 2 }\n"
	differing, err = Differing(partly(), Params{}, before.files(), after.files())
	require.NoError(t, err)
	require.Equal(t, []string{"chart"}, differing)
}
