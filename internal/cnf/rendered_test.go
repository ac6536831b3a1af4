package cnf

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMemory(t *testing.T) {
	var m memory
	_, ok := m.of("0")
	require.False(t, ok)
	for i := range mostRendered + 1 {
		m.keep(strconv.Itoa(i), []unstructured.Unstructured{{Object: map[string]any{"kind": "Pod"}}})
	}
	_, ok = m.of("0")
	require.False(t, ok, "the oldest is forgotten")
	have, ok := m.of("1")
	require.True(t, ok)
	have[0].SetKind("Secret")
	again, _ := m.of("1")
	require.Equal(t, "Pod", again[0].GetKind(), "nobody writes to what is remembered")
}
