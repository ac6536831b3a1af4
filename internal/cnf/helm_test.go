package cnf

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// chartFiles are a chart in the folder, with the Deployments that are named, whose numbers of Pods are values.
func chartFiles(folder string, deployments ...string) pkg {
	p := pkg{folder + "/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n"}
	var values, templates strings.Builder
	for _, d := range deployments {
		values.WriteString(d + ": { replicas: 1 }\n")
		templates.WriteString(strings.TrimSuffix(manifest("Deployment", d, ""), "\n") +
			"\nspec: { replicas: {{ ." + "Values." + d + ".replicas }} }\n")
	}
	p[folder+"/values.yaml"], p[folder+"/templates/all.yaml"] = values.String(), templates.String()
	return p
}

var twoVdus = &vnfpkg.Flavour{
	ID: "simple", Vdus: []vnfpkg.Vdu{{ID: "VDU1", Name: "web"}, {ID: "VDU2", Name: "db"}},
	Aspects: []vnfpkg.ScalingAspect{{ID: "all", Deltas: map[string]map[string]int{"VDU1": {"one": 1}, "VDU2": {"one": 1}}}},
}

func resolve(t *testing.T, p pkg, params string) *VNF {
	t.Helper()
	v, err := Resolve(t.Context(), twoVdus, json.RawMessage(params), p.files(), "aaaa-bbbb")
	require.NoError(t, err)
	return v
}

func TestReadParams_ofCharts(t *testing.T) {
	p, problems := ReadParams(json.RawMessage(`{"use_helm":"true","using_helm_install_param":[{"exthelmchart":"false",
		"helmchartfile_path":"Files/web.tgz","helmreleasename":"web","helmparameter":["a.b=1","c=x"]}],
		"helm_replica_values":{"all":"web.replicas"},"helm_parameters":{"service.port":8081}}`))
	require.Empty(t, problems)
	require.True(t, p.UseHelm)
	require.Equal(t, []Install{{ChartFile: "Files/web.tgz", Release: "web", Parameters: []string{"a.b=1", "c=x"}}}, p.Install)

	for text, want := range map[string][]string{
		`{"use_helm":true}`: {
			"$.additionalParams.using_helm_install_param is missing: it names the charts in the VNF package.",
		},
		`{"using_helm_install_param":[{"exthelmchart":"true","helmreleasename":"Web"},{"helmreleasename":"r","helmparameter":["x"]},
		  {"helmchartfile_path":"../x","helmreleasename":"r","more":1}],"helm_value_names":{"VDU1":{"replicas":"x"}}}`: {
			`$.additionalParams.helm_value_names.VDU1.replica is missing: it is the key of the value that is the VDU's number of Pods.`,
			`$.additionalParams.using_helm_install_param[0].helmreleasename must be the name of a release (at most 53 small ` +
				`letters, digits and dashes), not "Web".`,
			"$.additionalParams.using_helm_install_param[0].exthelmchart asks for a chart from a repository, and charts are taken " +
				"from the VNF package only: put the chart into the package, and name it in helmchartfile_path.",
			"$.additionalParams.using_helm_install_param[1].helmchartfile_path is missing: it names the chart in the VNF package.",
			`$.additionalParams.using_helm_install_param[1].helmparameter[0] is not as helm --set takes it, key=value: "x" has no ` +
				"key and no value.",
			`$.additionalParams.using_helm_install_param[2].helmchartfile_path "../x" is no path in the VNF package, such as ` +
				"Files/kubernetes/chart-0.1.0.tgz.",
			`$.additionalParams.using_helm_install_param[2].helmreleasename is the name of two releases, "r".`,
			"$.additionalParams.helm_value_names.VDU1.replicas is not a parameter that Windlass knows: correct its name, or leave it out.",
			"$.additionalParams.using_helm_install_param[2].more is not a parameter that Windlass knows: correct its name, or leave it out.",
		},
	} {
		_, problems := ReadParams(json.RawMessage(text))
		require.ElementsMatch(t, want, sentences(problems), text)
	}
}

func TestResolve_charts(t *testing.T) {
	v := resolve(t, chartFiles("Files/chart", "web", "db"), `{"helm_chart_path":"Files/chart","namespace":"curry",
		"helm_parameters":{"web.image":"httpd","web.port":"80","list[0].a":"x,y"},"helm_value_names":{"VDU1":{"replica":"web.replicas"}}}`)
	require.Empty(t, v.Problems())
	require.Equal(t, map[string]Workload{"VDU1": {"Deployment", "web"}, "VDU2": {"Deployment", "db"}}, v.Workloads)
	require.True(t, v.OfChart("VDU2"))
	_, sized := v.Sized("VDU1")
	require.True(t, sized)
	why, sized := v.Sized("VDU2")
	require.False(t, sized)
	require.Contains(t, why, "helm_value_names")

	releases, err := v.Releases(t.Context(), map[string]int{"VDU1": 3, "VDU2": 5})
	require.NoError(t, err)
	require.Len(t, releases, 1)
	require.Equal(t, "vnfaaaabbbb", releases[0].Name)
	require.Equal(t, "curry", releases[0].Namespace)
	require.Equal(t, map[string]any{
		"web": map[string]any{"image": "httpd", "port": int64(80), "replicas": float64(3)}, "list": []any{map[string]any{"a": "x,y"}},
	}, releases[0].Values)
	again, err := v.Releases(t.Context(), nil)
	require.NoError(t, err)
	require.NotContains(t, again[0].Values["web"], "replicas", "what was made before has not changed")
}

func TestResolve_severalCharts(t *testing.T) {
	p := chartFiles("a", "web")
	maps.Copy(p, chartFiles("b", "db"))
	p["m.yaml"] = manifest("ConfigMap", "c", "")
	const install = `"use_helm":"true","using_helm_install_param":[
		{"helmchartfile_path":"a","helmreleasename":"one"},{"helmchartfile_path":"b","helmreleasename":"two","helmparameter":["db.x=1"]}]`
	v := resolve(t, p, `{`+install+`,"lcm-kubernetes-def-files":["m.yaml"],"vdu_mapping":{
		"VDU1":{"kind":"Deployment","name":"web","helmreleasename":"one"},"VDU2":{"kind":"Deployment","name":"db"}}}`)
	require.Empty(t, v.Problems())
	require.Len(t, v.Objects, 3)
	releases, err := v.Releases(t.Context(), map[string]int{"VDU1": 1})
	require.NoError(t, err)
	require.Equal(t, "one", releases[0].Name)
	require.Equal(t, map[string]any{"db": map[string]any{"x": int64(1)}}, releases[1].Values)

	v = resolve(t, p, `{`+install+`,"vdu_mapping":{
		"VDU1":{"kind":"Deployment","name":"web","helmreleasename":"two"},"VDU2":{"kind":"Deployment","name":"db"}}}`)
	require.Equal(t, []string{`$.additionalParams.vdu_mapping.VDU1.helmreleasename the release "two" has no Deployment web`},
		sentences(v.Problems()))

	// An aspect has one value: it cannot be two numbers.
	v = resolve(t, p, `{`+install+`,"helm_replica_values":{"all":"web.replicas"}}`)
	require.Empty(t, v.Problems())
	_, err = v.Releases(t.Context(), map[string]int{"VDU1": 2, "VDU2": 3})
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "the value web.replicas of the chart does not set the number of Pods of the VDU VDU2: with 3 there, "+
		"the Deployment db has 1")
}

func TestResolve_tellsWhatIsWrongWithCharts(t *testing.T) {
	p := chartFiles("broken", "web")
	p["broken/templates/all.yaml"] = "{{ .Values.none.none }}"
	p["nameless/Chart.yaml"], p["nameless/templates/x.yaml"] = p["broken/Chart.yaml"], "apiVersion: v1\nkind: ConfigMap\n"
	for params, want := range map[string]string{
		`{"helm_chart_path":"none"}`:                                             `$.additionalParams.helm_chart_path the VNF package has no chart "none"`,
		`{"helm_chart_path":"broken"}`:                                           "The chart of the release vnfaaaabbbb cannot be used: ",
		`{"helm_chart_path":"nameless"}`:                                         "nameless, object 1 is a ConfigMap without a name",
		`{"helm_chart_path":"none","helm_value_names":{"VDU9":{"replica":"x"}}}`: `helm_value_names.VDU9 the flavour simple has no VDU "VDU9"`,
		`{"helm_chart_path":"none","helm_replica_values":{"x":"y"}}`:             `has no scaling aspect "x"`,
	} {
		require.Contains(t, strings.Join(sentences(resolve(t, p, params).Problems()), "\n"), want)
	}
	unfit := chartFiles("chart", "other")
	require.Contains(t, sentences(resolve(t, unfit, `{"helm_chart_path":"chart"}`).Problems())[0],
		"$.additionalParams.helm_chart_path the manifests have no Pod")
}

func TestDiffering_charts(t *testing.T) {
	p, _ := ReadParams(json.RawMessage(`{"helm_chart_path":"chart"}`))
	before := chartFiles("chart", "web")
	for after, want := range map[string][]string{"web": nil, "db": {"chart"}} {
		differing, err := Differing(p, before.files(), chartFiles("chart", after).files())
		require.NoError(t, err)
		require.Equal(t, want, differing)
	}
	differing, err := Differing(p, before.files(), pkg{}.files())
	require.NoError(t, err)
	require.Equal(t, []string{"chart"}, differing)
}
