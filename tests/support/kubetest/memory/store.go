package memory

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// place identifies an object.
type place struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// change is a change of an object, for watches. before or after is nil for a created or a deleted object.
type change struct {
	revision      int64
	resource      schema.GroupVersionResource
	before, after *unstructured.Unstructured
}

// store stores objects and all changes of them. A stored object is never changed in place.
type store struct {
	kinds    []*kind
	objects  map[place]*unstructured.Unstructured
	revision int64
	changes  []change
	changed  chan struct{} // closed at the next change
	managers map[schema.GroupVersionKind]fieldManager
}

func newStore() store {
	return store{
		kinds: builtInKinds(), objects: map[place]*unstructured.Unstructured{}, changed: make(chan struct{}),
		managers: map[schema.GroupVersionKind]fieldManager{},
	}
}

func (k *kind) at(namespace, name string) place {
	if !k.namespaced {
		namespace = ""
	}
	return place{k.resource(), namespace, name}
}

func (s *store) get(k *kind, namespace, name string) *unstructured.Unstructured {
	if o := s.objects[k.at(namespace, name)]; o != nil {
		return o.DeepCopy()
	}
	return nil
}

// list returns the objects of a kind in a namespace, or in all namespaces for "", in the order of their names.
func (s *store) list(k *kind, namespace string) (out []*unstructured.Unstructured) {
	for at, o := range s.objects {
		if at.resource == k.resource() && (namespace == "" || at.namespace == namespace) {
			out = append(out, o.DeepCopy())
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return out
}

// put writes an object, unless it is unchanged. An object that is being deleted goes when nothing delays that any more.
func (s *store) put(k *kind, o *unstructured.Unstructured) *unstructured.Unstructured {
	at := k.at(o.GetNamespace(), o.GetName())
	before := s.objects[at]
	if before != nil && same(before, o) {
		return before.DeepCopy()
	}
	s.revision++
	o = o.DeepCopy()
	o.SetResourceVersion(strconv.FormatInt(s.revision, 10))
	ends := o.GetDeletionTimestamp() != nil && !held(o)
	c := change{revision: s.revision, resource: at.resource, before: before, after: o}
	if ends {
		delete(s.objects, at)
		c.before, c.after = o, nil
	} else {
		s.objects[at] = o
	}
	s.changes = append(s.changes, c)
	close(s.changed)
	s.changed = make(chan struct{})
	return o.DeepCopy()
}

// held reports whether something delays the deletion of an object: its finalizers, its grace period or its content.
func held(o *unstructured.Unstructured) bool {
	grace, _, _ := unstructured.NestedInt64(o.Object, "metadata", "deletionGracePeriodSeconds")
	content, _, _ := unstructured.NestedSlice(o.Object, "spec", "finalizers")
	return len(o.GetFinalizers()) > 0 || grace > 0 || o.GetKind() == "Namespace" && len(content) > 0
}

// same reports whether two objects differ only in the times when they were written.
func same(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(timeless(a), timeless(b))
}

func timeless(o *unstructured.Unstructured) map[string]any {
	out := maps.Clone(o.Object)
	of, _ := out["metadata"].(map[string]any)
	of = maps.Clone(of)
	delete(of, "resourceVersion")
	managed, _ := of["managedFields"].([]any)
	managed = slices.Clone(managed)
	for i, entry := range managed {
		noted, _ := entry.(map[string]any)
		noted = maps.Clone(noted)
		delete(noted, "time")
		managed[i] = noted
	}
	of["managedFields"] = managed
	out["metadata"] = of
	return out
}

// seen returns the event that a change causes in a watch for selected objects, "" for none.
func (c change) seen(selected func(*unstructured.Unstructured) bool) (watch.EventType, *unstructured.Unstructured) {
	was := c.before != nil && selected(c.before)
	is := c.after != nil && selected(c.after)
	switch {
	case is && was:
		return watch.Modified, c.after
	case is:
		return watch.Added, c.after
	case was && c.after != nil: // it is no longer selected
		gone := c.before.DeepCopy()
		gone.SetResourceVersion(c.after.GetResourceVersion())
		return watch.Deleted, gone
	case was:
		return watch.Deleted, c.before
	}
	return "", nil
}

// named returns a built-in kind.
func (s *store) named(kindName string) *kind {
	at := slices.IndexFunc(s.kinds, func(k *kind) bool { return k.Kind == kindName && !k.custom })
	return s.kinds[at]
}
