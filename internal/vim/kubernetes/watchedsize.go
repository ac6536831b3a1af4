package kubernetes

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// mostFollowed limits the objects that Windlass follows for one step, in bytes of their values. A VNF of 2,000 Pods has a
// fifth of it.
const mostFollowed = outbound.MaxListing

// followed counts the objects of one place that informers keep: a watch can bring more and more of them, and each of its
// answers may be as small as it likes.
type followed struct {
	all *sizes

	mu   sync.Mutex
	each map[string]int
}

// sizes is the sum over all places of a waiting.
type sizes struct {
	mu    sync.Mutex
	total int
}

func (s *sizes) add(n int) (total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += n
	return s.total
}

// keep notes the newest version of an object. The error says that there are too many.
func (f *followed) keep(o any) error {
	name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o)
	if err != nil {
		return nil //nolint:nilerr // nothing that is kept
	}
	size := 0
	if u, ok := o.(*unstructured.Unstructured); ok {
		size = sizeOf(u.Object)
	}
	if f.all.add(f.note(name, size)) <= mostFollowed {
		return nil
	}
	return lcm.Errorf(lcm.KindInvalid, "The cluster tells of objects with this VNF's label that are together larger than the "+
		"limit of %d MiB. Remove those that are not the VNF's.", mostFollowed>>20)
}

// forget notes that an object is gone.
func (f *followed) forget(o any) {
	if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o); err == nil {
		f.all.add(f.note(name, 0))
	}
}

// note returns by how much the place has grown.
func (f *followed) note(name string, size int) (more int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	more = size - f.each[name]
	if f.each[name] = size; size == 0 {
		delete(f.each, name)
	}
	return more
}

// sizeOf is about the number of bytes that a value takes.
func sizeOf(value any) (n int) {
	const word = 16
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			n += word + len(name) + sizeOf(member)
		}
	case []any:
		for _, member := range v {
			n += sizeOf(member)
		}
	case string:
		n += len(v)
	}
	return n + word
}
