package cnf

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// chartFiles returns a chart in the folder with these Deployments. Their numbers of replicas are values of the chart.
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

var twoVdus = &descriptor.Flavour{
	ID: "simple", Vdus: []descriptor.Vdu{{ID: "VDU1", Name: "web"}, {ID: "VDU2", Name: "db"}},
	Aspects: []descriptor.ScalingAspect{
		{ID: "all", Deltas: map[string]map[string]int{"VDU1": {"one": 1}, "VDU2": {"one": 1}}},
	},
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
			`$.additionalParams.helm_value_names.VDU1.replica is missing: it is the key of the value with the VDU's number of Pods.`,
			`$.additionalParams.using_helm_install_param[0].helmreleasename must be the name of a release (at most 53 small ` +
				`letters, digits, dashes and dots), not "Web".`,
			"$.additionalParams.using_helm_install_param[0].exthelmrepo_url is missing: it is the URL of the repository that has " +
				"the chart.",
			"$.additionalParams.using_helm_install_param[1].helmchartfile_path is missing: it names the chart in the VNF package.",
			`$.additionalParams.using_helm_install_param[1].helmparameter[0] must have the form of helm --set, key=value: ` +
				`"x" has no key and no value.`,
			`$.additionalParams.using_helm_install_param[2].helmchartfile_path "../x" is no path in the VNF package, such as ` +
				"Files/kubernetes/chart-0.1.0.tgz.",
			`$.additionalParams.using_helm_install_param[2].helmreleasename is the name of two releases, "r".`,
			"$.additionalParams.helm_value_names.VDU1.replicas is not a parameter that Windlass knows; did you mean replica?",
			"$.additionalParams.using_helm_install_param[2].more is not a parameter that Windlass knows: correct its name, or leave it out.",
		},
	} {
		_, problems := ReadParams(json.RawMessage(text))
		require.ElementsMatch(t, want, sentences(problems), text)
	}
}

func TestReadParams_refusesKeysThatHaveNoEffect(t *testing.T) {
	_, problems := ReadParams(json.RawMessage(`{"helm_parameters":{"":1," ":"x","a[":2,"b[":"x","c[0].d":3,"e":null}}`))
	var at []string
	for _, p := range problems {
		at = append(at, p.Path)
	}
	require.ElementsMatch(t, []string{
		`$.additionalParams.helm_parameters['']`, `$.additionalParams.helm_parameters[' ']`,
		`$.additionalParams.helm_parameters['a[']`, `$.additionalParams.helm_parameters['b[']`,
	}, at, "%v", problems)
}

func TestReadParams_takesHelmsNamesOfReleases(t *testing.T) {
	for name, ok := range map[string]bool{
		"a.b": true, "a-1.b": true, "a..b": false, ".a": false, "a.": false, "a.-b": false,
		strings.Repeat("a", 53): true, strings.Repeat("a.", 26) + "ab": false,
	} {
		_, problems := ReadParams(json.RawMessage(`{"using_helm_install_param":[{"helmchartfile_path":"x.tgz","helmreleasename":"` + name + `"}]}`))
		require.Equal(t, ok, len(problems) == 0, "%s: %v", name, problems)
	}
}

func TestSources(t *testing.T) {
	p, problems := ReadParams(json.RawMessage(`{"lcm-kubernetes-def-files":["a.yaml","https://files.example/b.yaml",
	"https://files.example/b.yaml"],"use_helm":"true","using_helm_install_param":[
	{"exthelmchart":"true","helmreleasename":"r1","helmrepositoryname":"stable","helmchartname":"web",
	 "exthelmrepo_url":"https://charts.example/stable"},
	{"exthelmchart":"true","helmreleasename":"r2","helmchartname":"db","helmchartversion":"1.0.0",
	 "exthelmrepo_url":"oci://registry.example/charts/"},
	{"helmreleasename":"r3","helmchartfile_path":"https://charts.example/db-1.0.0.tgz"},
	{"helmreleasename":"r4","helmchartfile_path":"Files/chart.tgz"}]}`))
	require.Empty(t, problems)
	const install = "$.additionalParams.using_helm_install_param"
	require.Equal(t, []Source{
		{URL: "https://files.example/b.yaml", At: "$.additionalParams.lcm-kubernetes-def-files[1]"},
		{URL: "https://charts.example/stable", Chart: "web", At: install + "[0].exthelmrepo_url"},
		{URL: "oci://registry.example/charts/db:1.0.0", At: install + "[1].exthelmrepo_url"},
		{URL: "https://charts.example/db-1.0.0.tgz", At: install + "[2].helmchartfile_path"},
	}, p.Sources())

	p, problems = ReadParams(json.RawMessage(`{"helm_chart_path":"oci://registry.example/charts/web:0.1.0"}`))
	require.Empty(t, problems)
	require.Equal(t, []Source{{URL: "oci://registry.example/charts/web:0.1.0", At: "$.additionalParams.helm_chart_path"}}, p.Sources())

	for text, want := range map[string]string{
		`{"helm_chart_path":"https://user:secret@charts.example/web.tgz"}`: "has a user or a password in its URL",
		`{"helm_chart_path":"https://charts.example/a/../web.tgz"}`:        "a path with .. in it",
		`{"helm_chart_path":"file:///etc/passwd"}`:                         "is no URL of https, http, oci",
		`{"lcm-kubernetes-def-files":["oci://registry.example/a:1"]}`:      "is no URL of https, http",
		`{"using_helm_install_param":[{"exthelmchart":true,"helmreleasename":"r","exthelmrepo_url":"https://charts.example",
		  "helmchartname":"../web"}]}`: "is no name of a chart, such as web",
	} {
		p, problems := ReadParams(json.RawMessage(text))
		require.Len(t, problems, 1, text)
		require.Contains(t, problems[0].Detail, want)
		require.NotContains(t, problems[0].Detail, "secret")
		require.Empty(t, p.Sources())
	}
}

func TestResolve_givesPodsTheSecretsToPullTheirImages(t *testing.T) {
	v := resolve(t, pkg{"a.yaml": `---
{apiVersion: v1, kind: Pod, metadata: {name: one, namespace: x}, spec: {imagePullSecrets: [{name: own}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: vdu2}, spec: {template: {spec: {containers: []}}}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template: {spec: {containers: []}}}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: s, namespace: other}}
`}, `{"lcm-kubernetes-def-files":["a.yaml"],"vdu_mapping":{"VDU1":{"kind":"Pod","name":"one"},
		"VDU2":{"kind":"Deployment","name":"vdu2"}},
		"private_registry_connection_info":[{"connection_type":"0","server":"open.example:5000"},
		{"connection_type":"1","server":"registry.example","username":"user01","password":"s3cr3t"}]}`)
	require.Empty(t, v.Problems())
	var got []string
	for _, o := range v.Objects {
		got = append(got, o.GetKind()+" "+o.GetNamespace())
	}
	require.Equal(t, []string{"Pod x", "Deployment ", "CronJob ", "Service other", "Secret ", "Secret x"}, got)
	secret := v.Objects[4]
	require.Equal(t, "vnfaaaabbbb-registries", secret.GetName())
	text, _, _ := unstructured.NestedString(secret.Object, "data", ".dockerconfigjson")
	config, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	require.JSONEq(t, `{"auths":{"registry.example":{"username":"user01","password":"s3cr3t","auth":"dXNlcjAxOnMzY3IzdA=="}}}`,
		string(config))
	for i, path := range map[int][]string{
		0: {"spec"}, 1: {"spec", "template", "spec"}, 2: {"spec", "jobTemplate", "spec", "template", "spec"},
	} {
		secrets, _, _ := unstructured.NestedSlice(v.Objects[i].Object, append(path, "imagePullSecrets")...)
		require.Equal(t, []any{map[string]any{"name": "vnfaaaabbbb-registries"}}, secrets[len(secrets)-1:])
	}

	_, problems := ReadParams(json.RawMessage(`{"lcm-kubernetes-def-files":["a.yaml"],"private_registry_connection_info":[
		{"server":"a","username":"u"},{"server":"b","password":"s3cr3t"},{"username":"u","password":"s3cr3t"}]}`))
	require.ElementsMatch(t, []string{
		"$.additionalParams.private_registry_connection_info[0].password is missing: it is the user's password.",
		"$.additionalParams.private_registry_connection_info[1].username is missing: it is the user of the password.",
		"$.additionalParams.private_registry_connection_info[2].server is missing: names of images begin with it, such as " +
			"registry.example:5000.",
	}, sentences(problems))
}

func TestResolve_readsWhatWasFetched(t *testing.T) {
	content := chartFiles("x", "web", "db")
	content["https://files.example/b.yaml"] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}"
	files := content.files()
	v, err := Resolve(t.Context(), flavour("web", "db"), json.RawMessage(`{"lcm-kubernetes-def-files":
	["https://files.example/b.yaml","https://files.example/c.yaml"],"helm_chart_path":"https://charts.example/web.tgz"}`), files, "i")
	require.NoError(t, err)
	require.Len(t, v.Manifests.Objects, 1)
	require.Equal(t, "b", v.Manifests.Objects[0].GetName())
	require.ElementsMatch(t, []string{
		"$.additionalParams.lcm-kubernetes-def-files[1] https://files.example/c.yaml was not fetched",
		"$.additionalParams.helm_chart_path https://charts.example/web.tgz was not fetched",
	}, sentences(v.Manifests.Missing))
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

	// Both VDUs of an aspect use one value, so they cannot have different numbers.
	v = resolve(t, p, `{`+install+`,"helm_replica_values":{"all":"web.replicas"}}`)
	require.Empty(t, v.Problems())
	_, err = v.Releases(t.Context(), map[string]int{"VDU1": 2, "VDU2": 3})
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err,
		"the value web.replicas of the chart does not set the number of Pods of the VDU VDU2: with the value 3, "+
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
		differing, err := Differing(flavour(), p, before.files(), chartFiles("chart", after).files())
		require.NoError(t, err)
		require.Equal(t, want, differing)
	}
	differing, err := Differing(flavour(), p, before.files(), pkg{}.files())
	require.NoError(t, err)
	require.Equal(t, []string{"chart"}, differing)
}
