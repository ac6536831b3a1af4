package cnf

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Limits of the memory for rendered releases, in bytes as sizeOf counts them. A release has some hundred KiB.
const (
	mostRendered    = 64 << 20
	largestRendered = 8 << 20
)

// rendered caches releases that are rendered for an unknown cluster. Each rendering starts a process, and every
// activity of an operation needs the same result. A release for a known cluster is rendered again.
var rendered memory

type memory struct {
	mu     sync.Mutex
	of     map[string]kept
	oldest []string
	size   int
}

type kept struct {
	objects []unstructured.Unstructured
	size    int
}

// get returns copies, because callers modify them.
func (m *memory) get(digest string) ([]unstructured.Unstructured, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have, ok := m.of[digest]
	return copies(have.objects), ok
}

// keep forgets the oldest releases to make room. It does not keep a release that is too large.
func (m *memory) keep(digest string, objects []unstructured.Unstructured) {
	size := 0
	for _, o := range objects {
		size += sizeOf(o.Object)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.of[digest]; known || size > largestRendered {
		return
	}
	for m.size+size > mostRendered {
		m.size -= m.of[m.oldest[0]].size
		delete(m.of, m.oldest[0])
		m.oldest = m.oldest[1:]
	}
	if m.of == nil {
		m.of = map[string]kept{}
	}
	m.of[digest], m.oldest = kept{copies(objects), size}, append(m.oldest, digest)
	m.size += size
}

// sizeOf estimates the memory of a value.
func sizeOf(value any) int {
	const one = 32
	size := one
	switch v := value.(type) {
	case string:
		size += len(v)
	case []any:
		for _, item := range v {
			size += sizeOf(item)
		}
	case map[string]any:
		for key, item := range v {
			size += one + len(key) + sizeOf(item)
		}
	}
	return size
}

func copies(of []unstructured.Unstructured) []unstructured.Unstructured {
	out := make([]unstructured.Unstructured, 0, len(of))
	for _, o := range of {
		out = append(out, *o.DeepCopy())
	}
	return out
}
