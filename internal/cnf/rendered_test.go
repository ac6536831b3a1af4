package cnf

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func pod(text string) []unstructured.Unstructured {
	return []unstructured.Unstructured{{Object: map[string]any{"kind": "Pod", "text": text}}}
}

func TestMemory(t *testing.T) {
	var m memory
	_, ok := m.get("0")
	require.False(t, ok)
	m.keep("0", pod("x"))
	have, ok := m.get("0")
	require.True(t, ok)
	have[0].SetKind("Secret")
	again, _ := m.get("0")
	require.Equal(t, "Pod", again[0].GetKind(), "nobody writes to what is remembered")
}

func TestMemory_isBoundedInBytes(t *testing.T) {
	var m memory
	large := strings.Repeat("x", 5<<20)
	for i := range 20 {
		m.keep(strconv.Itoa(i), pod(large))
	}
	assert.LessOrEqual(t, m.size, mostRendered)
	assert.Len(t, m.of, 12)
	_, ok := m.get("7")
	assert.False(t, ok, "the oldest are forgotten")
	_, ok = m.get("19")
	assert.True(t, ok)
	m.keep("huge", pod(strings.Repeat("x", largestRendered)))
	_, ok = m.get("huge")
	assert.False(t, ok, "it is rendered each time")
}
