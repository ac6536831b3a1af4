package cnf

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func sentences(problems []lcm.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Path+" "+p.Detail)
	}
	return out
}

// pkg maps the paths of a package's files to their content.
type pkg map[string]string

func (p pkg) read(path string) ([]byte, error) {
	if text, ok := p[path]; ok {
		return []byte(text), nil
	}
	return nil, lcm.Errorf(lcm.KindNotFound, "no %s", path)
}

func (p pkg) files() Files {
	return Files{One: p.read, Fetched: p.read, Below: func(folder string) (map[string][]byte, error) {
		out := map[string][]byte{}
		for path, text := range p {
			if below, ok := strings.CutPrefix(path, folder+"/"); ok {
				out[below] = []byte(text)
			}
		}
		if len(out) == 0 {
			return nil, lcm.Errorf(lcm.KindNotFound, "no %s", folder)
		}
		return out, nil
	}}
}

func manifest(kind, name, namespace string) string {
	version := map[string]string{
		"Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1",
	}[kind]
	if version == "" {
		version = "v1"
	}
	if namespace != "" {
		namespace = ", namespace: " + namespace
	}
	return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: { name: " + name + namespace + " }\n"
}

// of reads manifests from one file.
func of(t *testing.T, texts ...string) Manifests {
	t.Helper()
	m, err := Read(Params{Files: []string{"all.yaml"}}, pkg{"all.yaml": strings.Join(texts, "")}.files())
	require.NoError(t, err)
	return m
}

func TestReadParams(t *testing.T) {
	const files = `"lcm-kubernetes-def-files":["Files/kubernetes/a.yaml"]`
	p, problems := ReadParams(json.RawMessage(`{` + files + `,"namespace":"curry","upgrade_type":"RollingUpdate",
		"vdu_mapping":{"VDU1":{"kind":"Deployment","name":"web","helmreleasename":"r"}}}`))
	require.Empty(t, problems)
	require.Equal(t, Params{
		Files: []string{"Files/kubernetes/a.yaml"}, Namespace: "curry",
		VduMapping: map[string]VduMapping{"VDU1": {Kind: "Deployment", Name: "web", HelmReleaseName: "r"}},
	}, p)

	for text, want := range map[string][]string{
		``:                                nil,
		`{}`:                              nil,
		`{"lcm-kubernetes-def-files":[]}`: nil,
		`{"lcm-kubernetes-def-files":"a.yaml"}`: {
			"$.additionalParams.lcm-kubernetes-def-files must be a list of strings, not a string.",
		},
		`{"lcm-kubernetes-def-files":["ftp://example.com/a.yaml","../a.yaml","/a.yaml"],"namespace":"No_Name",
		  "vdu_mapping":{"VDU1":{"kind":"Job","nam":"x"}}}`: {
			`$.additionalParams.lcm-kubernetes-def-files[0] "ftp://example.com/a.yaml" is no URL of https, http.`,
			`$.additionalParams.lcm-kubernetes-def-files[1] "../a.yaml" is no path in the VNF package, such as ` +
				"Files/kubernetes/deployment.yaml.",
			`$.additionalParams.lcm-kubernetes-def-files[2] "/a.yaml" is no path in the VNF package, such as ` +
				"Files/kubernetes/deployment.yaml.",
			`$.additionalParams.namespace must be the name of a namespace (at most 63 small letters, digits and dashes), ` +
				`not "No_Name".`,
			`$.additionalParams.vdu_mapping.VDU1.kind must be "Pod" or "Deployment" or "ReplicaSet" or "StatefulSet" or ` +
				`"DaemonSet", not "Job".`,
			"$.additionalParams.vdu_mapping.VDU1.name is missing: it is the name of the VDU's workload.",
			"$.additionalParams.vdu_mapping.VDU1.nam is not a parameter that Windlass knows; did you mean name?",
		},
	} {
		_, problems := ReadParams(json.RawMessage(text))
		require.Equal(t, want, sentences(problems), text)
	}
}

func TestRead_takesEveryDocumentInTheOrderOfTheRequest(t *testing.T) {
	m, err := Read(Params{Files: []string{"./b.yaml", "a.json", "flow.yaml", "b.yaml"}}, pkg{
		"b.yaml": "# nothing\n---\n" + manifest("Pod", "one", "") + manifest("Service", "two", "") + "---\n" + `
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: three } }
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: four } }
---
apiVersion: authorization.k8s.io/v1
kind: SelfSubjectAccessReview
spec: {}
`,
		"flow.yaml": "{ apiVersion: v1, kind: ConfigMap, metadata: { name: six } }", // without a newline at the end
		"a.json":    `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"five"},"spec":{"replicas":3}}`,
	}.files())
	require.NoError(t, err)
	require.Empty(t, m.Problems())
	var names []string
	for _, o := range m.Objects {
		names = append(names, o.GetKind()+" "+o.GetName())
	}
	require.Equal(t, []string{
		"Pod one", "Service two", "ConfigMap three", "ConfigMap four", "SelfSubjectAccessReview ", "Deployment five",
		"ConfigMap six",
	}, names)
	require.Equal(t, int64(3), m.Objects[5].Object["spec"].(map[string]any)["replicas"])
}

func TestRead_tellsEveryMistakeWithItsFileAndDocument(t *testing.T) {
	m, err := Read(Params{Files: []string{"a.yaml", "none.yaml", "empty.yaml", "oci://example.com/x", "b.yaml"}}, pkg{
		"a.yaml": manifest("Pod", "good", "") + "---\nkind: Pod\nmetadata: { name: x }\n---\napiVersion: v1\n---\n" +
			"apiVersion: v1\nkind: Pod\n---\n- 1\n---\na: [\n---\napiVersion: v1\nkind: List\nitems: [ { kind: Pod } ]\n" +
			manifest("Pod", "x", "y"),
		"empty.yaml": "# nothing\n",
		"b.yaml":     manifest("Pod", "good", "") + "--- !!what\n",
	}.files())
	require.NoError(t, err)
	require.Equal(t, []string{
		`$.additionalParams.lcm-kubernetes-def-files[1] the VNF package has no file "none.yaml"`,
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 2 has no apiVersion",
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 3 has no kind",
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 4 is a Pod without a name (metadata.name)",
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 5 is no manifest: it is no mapping",
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 6 cannot be read: error converting YAML to JSON: yaml: line 1: " +
			"did not find expected node content",
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 7 is a list whose item 1 has no apiVersion",
		"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 8 has a metadata.namespace that is no text: put " +
			"quotation marks around it",
		"$.additionalParams.lcm-kubernetes-def-files[2] empty.yaml has no manifest in it",
		"$.additionalParams.lcm-kubernetes-def-files[4] b.yaml, document 1 cannot be read: invalid Yaml document separator: !!what",
	}, sentences(m.Problems()))

	_, err = Read(Params{Files: []string{"a.yaml"}},
		Files{One: func(string) ([]byte, error) { return nil, errors.New("no database") }})
	require.EqualError(t, err, "no database")
}

func TestRead_endsWhereAVnfHasTooMany(t *testing.T) {
	for _, text := range []string{
		strings.Repeat(manifest("Pod", "a", ""), 1200), strings.Repeat("---\n{}\n", 1200), strings.Repeat("---\n#\n", 2400),
		strings.Repeat("---\na: 1\n", 2400),
	} {
		m, err := Read(Params{Files: []string{"a.yaml", "b.yaml"}}, pkg{"a.yaml": text, "b.yaml": text}.files())
		require.NoError(t, err)
		require.Contains(t, strings.Join(sentences(m.Broken), "\n"), "is too many: a VNF may have 2000 manifests")
	}
	long := strings.Repeat("x", 1<<20) // longer than the reader's buffer
	m, err := Read(Params{Files: []string{"a.yaml"}}, pkg{"a.yaml": long}.files())
	require.NoError(t, err)
	require.Equal(t, []string{"$.additionalParams.lcm-kubernetes-def-files[0] a.yaml, document 1 is no manifest: it is no mapping"},
		sentences(m.Broken))
}

func flavour(names ...string) *descriptor.Flavour {
	f := &descriptor.Flavour{ID: "simple", Containers: true}
	for i, name := range names {
		f.Vdus = append(f.Vdus, descriptor.Vdu{ID: "VDU" + string(rune('1'+i)), Name: name})
	}
	return f
}

func TestWorkloads_areCalledAsTheVdusAre(t *testing.T) {
	m := of(t, manifest("Deployment", "a", ""), manifest("StatefulSet", "a-b", ""), manifest("Service", "a", ""),
		manifest("Pod", "p", ""), manifest("DaemonSet", "d", ""), manifest("Deployment", "of-nobody", ""),
		"---\napiVersion: example.com/v1\nkind: Deployment\nmetadata: { name: custom }\n")
	workloads, problems := Workloads(flavour("a", "a-b", "p", "d", "elsewhere", "custom"), Params{}, m.Objects)
	require.Empty(t, problems)
	require.Equal(t, map[string]Workload{
		"VDU1": {"Deployment", "a"}, "VDU2": {"StatefulSet", "a-b"}, "VDU3": {"Pod", "p"}, "VDU4": {"DaemonSet", "d"},
	}, workloads)
	var scalable []string
	for _, vdu := range []string{"VDU1", "VDU2", "VDU3", "VDU4", "VDU5"} {
		if workloads[vdu].Scalable() {
			scalable = append(scalable, vdu)
		}
	}
	require.Equal(t, []string{"VDU1", "VDU2"}, scalable)
}

func TestWorkloads_ofChartsMayHaveTheNameOfTheirReleaseBehind(t *testing.T) {
	m := of(t, manifest("Deployment", "a-my-release", ""), manifest("Deployment", "b-1", ""), manifest("Pod", "c-x", ""),
		manifest("Pod", "d-x-y", ""), manifest("Pod", "e-x", ""))
	for i := range m.Objects[:4] {
		m.Objects[i].SetAnnotations(map[string]string{"meta.helm.sh/release-name": "my-release"})
	}
	workloads, problems := Workloads(flavour("a", "b", "c", "c-x", "d", "e"), Params{}, m.Objects)
	require.Empty(t, problems)
	require.Equal(t, map[string]Workload{
		"VDU1": {"Deployment", "a-my-release"}, "VDU2": {"Deployment", "b-1"}, "VDU4": {"Pod", "c-x"},
	}, workloads, "another VDU has the name c-x, d has an end of two parts, and e is of no chart")
}

func TestWorkloads_areWhatARequestMapsVdusTo(t *testing.T) {
	m := of(t, manifest("Deployment", "x", ""), manifest("Pod", "x", ""), manifest("Pod", "a", ""))
	p := Params{VduMapping: map[string]VduMapping{"VDU1": {Kind: "Deployment", Name: "x"}, "VDU2": {Kind: "Pod", Name: "x"}}}
	workloads, problems := Workloads(flavour("a", "b"), p, m.Objects)
	require.Empty(t, problems)
	require.Equal(t, map[string]Workload{"VDU1": {"Deployment", "x"}, "VDU2": {"Pod", "x"}}, workloads)
}

func TestWorkloads_thatAreNotClear(t *testing.T) {
	const files, mapping = "$.additionalParams.lcm-kubernetes-def-files ", "$.additionalParams.vdu_mapping."
	for name, c := range map[string]struct {
		names     []string
		params    Params
		manifests []string
		want      []string
	}{
		"no VDU has one": {
			[]string{"a", "b"},
			Params{},
			[]string{manifest("Deployment", "c", ""), manifest("Service", "a", "")},
			[]string{
				files + `the manifests have no Pod, Deployment, ReplicaSet, StatefulSet or DaemonSet with the name ` +
					`of a VDU: "a" (VDU1), "b" (VDU2). Use these names, or name the workloads of the VDUs in ` +
					`vdu_mapping`,
			},
		},
		"two of one name": {
			[]string{"a"},
			Params{},
			[]string{manifest("StatefulSet", "a", ""), manifest("Deployment", "a", "")},
			[]string{files + "the VDU VDU1 may be the Deployment a or the StatefulSet a: choose one in vdu_mapping"},
		},
		"two VDUs of one name": {
			[]string{"a", "a"},
			Params{},
			[]string{manifest("Pod", "a", "")},
			[]string{files + "the VDUs VDU1 and VDU2 are both the Pod a"},
		},
		"one in two namespaces": {
			[]string{"a"},
			Params{},
			[]string{manifest("Pod", "a", "x"), manifest("Pod", "a", "z")},
			[]string{files + `the VDU VDU1 may be the Pod a of the namespace "x" or of "z": give them different names`},
		},
		"a mapping to nothing": {
			[]string{"a", "b", "c"},
			Params{VduMapping: map[string]VduMapping{
				"VDU1": {Kind: "Deployment", Name: "none"}, "VDU2": {Kind: "Pod", Name: "p"}, "VDU9": {Kind: "Pod", Name: "p"},
			}},
			[]string{manifest("Pod", "p", "")},
			[]string{
				mapping + "VDU1 the manifests have no Deployment none", mapping + `VDU9 the flavour simple has no VDU "VDU9"`,
				mapping + "VDU3 is missing: a mapping must have all VDUs of the flavour",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Workloads(flavour(c.names...), c.params, of(t, c.manifests...).Objects)
			require.Equal(t, c.want, sentences(problems))
		})
	}
}

func TestPlaceOf(t *testing.T) {
	none := manifest("Pod", "a", "")
	volume := "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: { name: v, namespace: ignored }\n"
	x, z := manifest("Pod", "x", "x"), manifest("Pod", "z", "z")
	curry := Params{Namespace: "curry"}
	for name, c := range map[string]struct {
		params    Params
		manifests []string
		want      Place
		agreed    bool
	}{
		"the request's before all":  {curry, []string{x, z}, Place{"curry", true}, true},
		"that of the manifests":     {Params{}, []string{none, x, volume}, Place{"x", false}, true},
		"that of the VIM":           {Params{}, []string{none, volume}, Place{}, true},
		"each where it says it is":  {Params{}, []string{none, x, z}, Place{}, false},
		"no namespace of a cluster": {Params{}, []string{volume}, Place{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := of(t, c.manifests...).Objects
			require.Equal(t, c.want, PlaceOf(c.params, m))
			require.Equal(t, c.agreed, len(Agreed(c.params, m)) == 0)
		})
	}
	require.Equal(t, []string{
		`$.additionalParams.namespace is missing, and the manifests name the namespaces "x" and "z": ` +
			"name one for all, or let the manifests agree",
	}, sentences(Agreed(Params{}, of(t, x, z).Objects)))
}

// TestTackerManifests reads the manifests of Tacker's packages, with requests of its users.
func TestTackerManifests(t *testing.T) {
	const root = "../../../shared/packages/cnf/"
	if _, err := os.Stat(root); err != nil {
		t.Skip("Tacker's packages of containerised VNFs are not at hand: their compatibility is NOT tested")
	}
	for _, c := range []struct {
		dir, params string
		flavour     *descriptor.Flavour
		want        map[string]Workload
		place       Place
	}{
		{
			"v1_scale", `{"lcm-kubernetes-def-files":["Files/kubernetes/deployment_scale.yaml"]}`, flavour("vdu1-scale"),
			map[string]Workload{"VDU1": {"Deployment", "vdu1-scale"}},
			Place{Namespace: "default"},
		},
		{
			"v1_scale", `{"lcm-kubernetes-def-files":["Files/kubernetes/statefulset_scale.yaml"]}`, flavour("vdu1-scale"),
			map[string]Workload{"VDU1": {"StatefulSet", "vdu1-scale"}},
			Place{Namespace: "default"},
		},
		{
			"v2_change", `{"lcm-kubernetes-def-files":["Files/kubernetes/namespace.yaml","Files/kubernetes/deployment.yaml"],
				"namespace":"curry"}`, flavour("vdu1", "vdu2", "vdu3"),
			map[string]Workload{"VDU2": {"Deployment", "vdu2"}},
			Place{Namespace: "curry", Override: true},
		},
	} {
		p, problems := ReadParams(json.RawMessage(c.params))
		require.Empty(t, problems)
		m, err := Read(p, Files{One: func(path string) ([]byte, error) { return os.ReadFile(root + c.dir + "/" + path) }})
		require.NoError(t, err)
		require.Empty(t, m.Problems())
		workloads, problems := Workloads(c.flavour, p, m.Objects)
		require.Empty(t, problems)
		require.Equal(t, c.want, workloads)
		require.Equal(t, c.place, PlaceOf(p, m.Objects))
		require.Empty(t, Agreed(p, m.Objects))
	}
}

func TestDiffering(t *testing.T) {
	before := pkg{"a.yaml": manifest("Pod", "a", "") + manifest("Pod", "b", ""), "b.yaml": manifest("Pod", "c", ""), "c.yaml": "x"}
	after := pkg{
		"a.yaml": "# another comment\n" + manifest("Pod", "a", "") + "---\n" + manifest("Pod", "b", ""),
		"b.yaml": manifest("Pod", "d", ""),
	}
	p := Params{Files: []string{"a.yaml", "b.yaml", "c.yaml"}}
	differing, err := Differing(flavour(), p, before.files(), after.files())
	require.NoError(t, err)
	require.Equal(t, []string{"b.yaml", "c.yaml"}, differing)
	differing, err = Differing(flavour(), p, before.files(), before.files())
	require.NoError(t, err)
	require.Empty(t, differing)
}

// FuzzRead requires that any package is read or refused, without a panic.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		manifest("Pod", "a", "x") + manifest("Deployment", "a", ""), "{}", "- 1", "a: &a [*a]", "kind: List\nitems: [1]",
		"apiVersion: v1\nkind: List\nitems: [ { apiVersion: v1, kind: List, items: [] } ]", "--- x\n", "metadata: 1",
		"apiVersion: v1\nkind: Pod\nmetadata: { name: 1, namespace: y }",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Params{Files: []string{"a.yaml"}}
		m, err := Read(p, pkg{"a.yaml": text}.files())
		require.NoError(t, err)
		for _, o := range m.Objects {
			if len(m.Broken) == 0 {
				require.NotEmpty(t, o.GetKind())
			}
		}
		workloads, problems := Workloads(flavour("a", "b"), p, m.Objects)
		require.False(t, len(workloads) == 0 && len(problems) == 0)
		PlaceOf(p, m.Objects)
	})
}
