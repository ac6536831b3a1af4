package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func markedObject(kind, name, mark string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": kind, "metadata": map[string]any{"name": name, "labels": map[string]any{"mark": mark}},
	}}
}

func TestKeeping_addsWhatOnlyTheFormerDefinitionHas(t *testing.T) {
	now := Definition{
		Objects:   []unstructured.Unstructured{markedObject("Deployment", "web", "now")},
		Charts:    []charts.Release{{Name: "proxy", Namespace: "a"}},
		Workloads: map[string]Workload{"web": {Kind: "Deployment", Name: "web"}}, Replicas: map[string]int{"web": 3},
		Attachments: []Attachment{}, Namespace: "curry",
	}
	was := Definition{
		Objects: []unstructured.Unstructured{markedObject("Deployment", "web", "was"), markedObject("Deployment", "db", "was")},
		Charts:  []charts.Release{{Name: "proxy", Namespace: "a"}, {Name: "proxy", Namespace: "b"}},
		Workloads: map[string]Workload{
			"web": {Kind: "Deployment", Name: "web"}, "db": {Kind: "Deployment", Name: "db"}, "agent": {Kind: "DaemonSet", Name: "agent"},
		},
		Replicas:    map[string]int{"web": 1, "db": 2},
		Attachments: []Attachment{{Vdu: "web", Cpd: "CP1"}, {Vdu: "db", Cpd: "CP2"}}, Namespace: "curry",
		Choices: []Choice{{Vdu: "web", Zone: "z"}, {Vdu: "db", Zone: "z"}},
	}
	got, err := now.Keeping(was)
	require.NoError(t, err)
	require.Len(t, got.Objects, 2)
	assert.Equal(t, "now", got.Objects[0].GetLabels()["mark"])
	assert.Equal(t, "db", got.Objects[1].GetName())
	assert.Equal(t, was.Charts, got.Charts)
	assert.Equal(t, was.Workloads, got.Workloads)
	assert.Equal(t, map[string]int{"web": 3, "db": 2}, got.Replicas)
	assert.Equal(t, []Attachment{{Vdu: "db", Cpd: "CP2"}}, got.Attachments)
	assert.Equal(t, []Choice{{Vdu: "db", Zone: "z"}}, got.Choices)
	assert.Len(t, now.Workloads, 1, "the definition itself stays as it is")

	was.Namespace = "other"
	_, err = now.Keeping(was)
	assert.True(t, lcm.Is(err, lcm.KindConflict))
}
