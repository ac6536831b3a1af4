package cnf

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

var update = flag.Bool("update", false, "write golden files")

const instance = "2c9f3d1e-0000-4000-8000-000000000000"

// packaged builds a package from a directory and returns its flavour after a round trip through JSON, as the store
// keeps it.
func packaged(t *testing.T, dir string) (f *descriptor.Flavour, warnings []lcm.Problem) {
	t.Helper()
	var csar bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &csar))
	p, err := vnfpkg.Open(bytes.NewReader(csar.Bytes()), int64(csar.Len()), vnfpkg.Options{Templates: templates.Make})
	require.NoError(t, err)
	text, err := json.Marshal(p.Vnfd)
	require.NoError(t, err)
	var kept descriptor.Vnfd
	require.NoError(t, json.Unmarshal(text, &kept))
	again, err := json.Marshal(kept)
	require.NoError(t, err)
	require.JSONEq(t, string(text), string(again))
	require.True(t, kept.Flavours[0].Containers)
	return &kept.Flavours[0], p.Warnings
}

// goldenObjects compares manifests with a golden file.
func goldenObjects(t *testing.T, file string, objects []unstructured.Unstructured) {
	t.Helper()
	var b strings.Builder
	for _, o := range objects {
		text, err := yaml.Marshal(o.Object)
		require.NoError(t, err)
		b.WriteString("---\n" + string(text))
		require.NoError(t, complete(o))
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestDescribe(t *testing.T) {
	for dir, c := range map[string]struct {
		params string
		want   map[string]Workload
	}{
		"testdata/described": {`{"level":7}`, map[string]Workload{
			"Front_End": {"Deployment", "front-end-2c9f3d1e"}, "database": {"StatefulSet", "kept"},
		}},
		"testdata/tacker":                {``, map[string]Workload{"VDU1": {"Deployment", "vdu1-2c9f3d1e"}}},
		"../../vnfpkg/samples/cnf-tosca": {`{"page":"a page"}`, map[string]Workload{"web": {"Deployment", "web-2c9f3d1e"}}},
	} {
		f, warnings := packaged(t, dir)
		require.Empty(t, warnings)
		objects, workloads, wrong := Describe(f, instance, json.RawMessage(c.params))
		require.Empty(t, wrong)
		require.Equal(t, c.want, workloads)
		goldenObjects(t, "testdata/"+dir[strings.LastIndex(dir, "/")+1:]+".objects.yaml", objects)
	}
}

func TestDescribe_namesAreOfOneVNF(t *testing.T) {
	f, _ := packaged(t, "testdata/tacker")
	names := map[string]bool{}
	for _, id := range []lcm.VnfInstanceID{instance, "7e000000-0000-4000-8000-000000000000"} {
		objects, _, _ := Describe(f, id, nil)
		for _, o := range objects {
			key := o.GetKind() + " " + o.GetName()
			require.False(t, names[key], key)
			names[key] = true
		}
	}
}

func TestDescribe_makesPodsAnewWhenTheirConfigChanges(t *testing.T) {
	f, _ := packaged(t, "../../vnfpkg/samples/cnf-tosca")
	marks := map[string]bool{}
	for _, page := range []string{"one", "two", "one"} {
		objects, _, _ := Describe(f, instance, json.RawMessage(`{"page":"`+page+`"}`))
		for _, o := range objects {
			mark, _, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "annotations", configMark)
			if o.GetKind() == "Deployment" {
				require.NotEmpty(t, mark)
				marks[mark] = true
			}
		}
	}
	require.Len(t, marks, 2)
}

func TestDescribe_tellsWhichInputsAreWrong(t *testing.T) {
	f, _ := packaged(t, "testdata/described")
	_, _, wrong := Describe(f, instance, json.RawMessage(`{"greeting":["a"]}`))
	require.Equal(t, []string{
		"$.additionalParams.level is missing: a container of the VNFD needs it",
		"$.additionalParams.greeting must be a text, a number or a boolean: a container of the VNFD needs it",
	}, sentences(wrong))
}

func FuzzDescribe(f *testing.F) {
	for _, dir := range []string{"described", "tacker"} {
		text, err := os.ReadFile("testdata/" + dir + "/Definitions/top.yaml")
		require.NoError(f, err)
		f.Add(string(text))
	}
	meta, err := os.ReadFile("testdata/tacker/TOSCA-Metadata/TOSCA.meta")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, vnfd string) {
		var csar bytes.Buffer
		if vnfpkg.BuildFS(fstest.MapFS{
			"TOSCA-Metadata/TOSCA.meta": {Data: meta}, "Definitions/top.yaml": {Data: []byte(vnfd)},
		}, &csar) != nil {
			return
		}
		p, err := vnfpkg.Open(
			bytes.NewReader(csar.Bytes()), int64(csar.Len()), vnfpkg.Options{Templates: templates.Make},
		)
		require.NoError(t, err)
		for i := range p.Vnfd.Flavours {
			objects, _, _ := Describe(&p.Vnfd.Flavours[i], instance, nil)
			names := map[string]bool{}
			for _, o := range objects {
				require.NoError(t, complete(o))
				key := o.GetKind() + "/" + o.GetName()
				require.False(t, names[key], key)
				names[key] = true
			}
		}
	})
}
