package memory

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
)

// remove answers a request to delete one object, or all selected objects.
func (s *Server) remove(q *request) (any, error) {
	var o metav1.DeleteOptions
	values := q.URL.Query()
	err := metav1.Convert_url_Values_To_v1_DeleteOptions(&values, &o, nil)
	if err == nil && len(q.body) > 0 {
		kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(q.body, &kind, &o)
	}
	if err != nil {
		return nil, errors.NewBadRequest(err.Error())
	}
	if q.name != "" {
		live, err := s.find(q)
		if err != nil {
			return nil, err
		}
		return s.delete(q.kind, live, o)
	}
	_, selected, err := q.selection()
	if err != nil {
		return nil, err
	}
	for _, live := range s.list(q.kind, q.namespace) {
		if selected(live) {
			if _, err := s.delete(q.kind, live, o); err != nil {
				return nil, err
			}
		}
	}
	return metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess}, nil
}

// delete begins the deletion of an object. The object goes at once, or when its finalizers and its grace period allow
// it.
func (s *store) delete(
	k *kind, o *unstructured.Unstructured, how metav1.DeleteOptions,
) (*unstructured.Unstructured, error) {
	if p := how.Preconditions; p != nil && (p.UID != nil && *p.UID != o.GetUID() ||
		p.ResourceVersion != nil && *p.ResourceVersion != o.GetResourceVersion()) {
		return nil, errors.NewConflict(k.resource().GroupResource(), o.GetName(), fmt.Errorf("it is another one"))
	}
	if len(how.DryRun) > 0 {
		return o, nil
	}
	if how.PropagationPolicy != nil {
		finalizer := map[metav1.DeletionPropagation]string{
			metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents,
			metav1.DeletePropagationOrphan:     metav1.FinalizerOrphanDependents,
		}[*how.PropagationPolicy]
		if finalizer != "" && !slices.Contains(o.GetFinalizers(), finalizer) {
			o.SetFinalizers(append(o.GetFinalizers(), finalizer))
		}
	}
	grace := int64(0)
	if k.Kind == "Pod" {
		grace = graceOf(o, how.GracePeriodSeconds)
	}
	if had := o.GetDeletionGracePeriodSeconds(); o.GetDeletionTimestamp() == nil || had != nil && grace < *had {
		until := metav1.NewTime(time.Now().Add(time.Duration(grace) * time.Second))
		o.SetDeletionTimestamp(&until)
		o.SetDeletionGracePeriodSeconds(&grace)
	}
	if k.Kind == "Namespace" {
		_ = unstructured.SetNestedField(o.Object, "Terminating", "status", "phase")
	}
	return s.put(k, o), nil
}

// graceOf returns the number of seconds that a Pod has to end; 0 for a Pod that is on no node or has ended.
func graceOf(pod *unstructured.Unstructured, asked *int64) int64 {
	node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	if node == "" || phase == "Succeeded" || phase == "Failed" {
		return 0
	}
	if asked != nil {
		return *asked
	}
	if own, is, _ := unstructured.NestedInt64(pod.Object, "spec", "terminationGracePeriodSeconds"); is {
		return own
	}
	return 30
}

// collect is the garbage collector. It deletes objects whose owners are gone, ends foreground deletions when no
// dependent object is left, and orphans dependents where the deletion requires this.
func (s *store) collect() {
	there := map[string]*unstructured.Unstructured{}
	dependents := map[string]int{} // the number of objects that block the deletion of their owner, by its UID
	for _, o := range s.objects {
		there[string(o.GetUID())] = o
	}
	for _, o := range s.objects {
		for _, of := range o.GetOwnerReferences() {
			if of.BlockOwnerDeletion != nil && *of.BlockOwnerDeletion {
				dependents[string(of.UID)]++
			}
		}
	}
	for at, o := range s.objects {
		k := s.kindOf(at.resource)
		waits := slices.Contains(o.GetFinalizers(), metav1.FinalizerDeleteDependents)
		switch {
		case waits && o.GetDeletionTimestamp() != nil && dependents[string(o.GetUID())] == 0:
			s.release(k, o, metav1.FinalizerDeleteDependents)
		case o.GetDeletionTimestamp() == nil && len(o.GetOwnerReferences()) > 0 && abandoned(o, there):
			how := metav1.DeletePropagationBackground
			if dependents[string(o.GetUID())] > 0 {
				how = metav1.DeletePropagationForeground
			}
			_, _ = s.delete(k, o.DeepCopy(), metav1.DeleteOptions{PropagationPolicy: &how})
		case o.GetDeletionTimestamp() != nil && slices.Contains(o.GetFinalizers(), metav1.FinalizerOrphanDependents):
			s.orphan(o)
			s.release(k, o, metav1.FinalizerOrphanDependents)
		}
	}
}

// abandoned reports whether each owner of an object is gone, or waits in a foreground deletion.
func abandoned(o *unstructured.Unstructured, there map[string]*unstructured.Unstructured) bool {
	return !slices.ContainsFunc(o.GetOwnerReferences(), func(of metav1.OwnerReference) bool {
		owner := there[string(of.UID)]
		return owner != nil && (owner.GetDeletionTimestamp() == nil ||
			!slices.Contains(owner.GetFinalizers(), metav1.FinalizerDeleteDependents))
	})
}

func (s *store) release(k *kind, o *unstructured.Unstructured, finalizer string) {
	o = o.DeepCopy()
	o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return f == finalizer }))
	s.put(k, o)
}

// orphan removes the references to an owner from all objects.
func (s *store) orphan(owner *unstructured.Unstructured) {
	for at, o := range s.objects {
		left := slices.DeleteFunc(o.GetOwnerReferences(), func(of metav1.OwnerReference) bool {
			return of.UID == owner.GetUID()
		})
		if len(left) < len(o.GetOwnerReferences()) {
			o = o.DeepCopy()
			o.SetOwnerReferences(left)
			s.put(s.kindOf(at.resource), o)
		}
	}
}
