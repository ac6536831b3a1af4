package cnf

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mostRendered is how many releases the memory holds, of some hundred KiB each.
const mostRendered = 32

// rendered caches releases that are rendered for an unknown cluster. Each rendering starts a process, and every
// activity of an operation needs the same result. A release for a known cluster is rendered again.
var rendered memory

type memory struct {
	mu      sync.Mutex
	objects map[string][]unstructured.Unstructured
	oldest  []string
}

// of returns copies, because callers modify them.
func (m *memory) of(digest string) ([]unstructured.Unstructured, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have, ok := m.objects[digest]
	return copies(have), ok
}

func (m *memory) keep(digest string, objects []unstructured.Unstructured) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.objects[digest]; known {
		return
	}
	if m.objects == nil {
		m.objects = map[string][]unstructured.Unstructured{}
	}
	if len(m.oldest) == mostRendered {
		delete(m.objects, m.oldest[0])
		m.oldest = m.oldest[1:]
	}
	m.objects[digest], m.oldest = copies(objects), append(m.oldest, digest)
}

func copies(of []unstructured.Unstructured) []unstructured.Unstructured {
	out := make([]unstructured.Unstructured, 0, len(of))
	for _, o := range of {
		out = append(out, *o.DeepCopy())
	}
	return out
}
