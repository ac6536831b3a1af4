package memory

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
)

// control runs the controllers after every change, until the server ends.
func (s *Server) control() {
	for {
		s.mu.Lock()
		for before := int64(-1); before != s.revision; {
			before = s.revision
			s.pass()
		}
		more := s.changed
		s.mu.Unlock()
		select {
		case <-more:
		case <-s.ended:
			return
		}
	}
}

// pass runs each controller once. The controllers keep no state of their own: they use only the objects.
func (s *store) pass() {
	s.welcome()
	s.establish()
	s.vacate()
	s.collect()
	s.autoscale()
	s.each("Deployment", s.deploy)
	s.each("ReplicaSet", s.replicate)
	s.each("StatefulSet", s.order)
	s.each("DaemonSet", s.spread)
	s.each("Job", s.run)
	s.each("PersistentVolumeClaim", s.claim)
	s.each("Node", s.watchNode)
	s.each("Pod", s.schedule)
}

// each calls a controller for all objects of a kind that are not being deleted.
func (s *store) each(kindName string, look func(*unstructured.Unstructured)) {
	for _, o := range s.list(s.named(kindName), "") {
		if o.GetDeletionTimestamp() == nil {
			look(o)
		}
	}
}

// read converts an object into the Go type of its kind. It ignores errors, because admit refuses objects that do not
// fit the type.
func read[T any](o *unstructured.Unstructured, into *T) *T {
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into)
	return into
}

func plain(typed any) map[string]any {
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		panic(err) // all types of Kubernetes can be converted
	}
	return out
}

// say writes the status of an object, as a controller does.
func (s *store) say(o *unstructured.Unstructured, status any) {
	o = o.DeepCopy()
	o.Object["status"] = plain(status)
	s.put(s.named(o.GetKind()), o)
}

// set writes a field of an object, as a controller does.
func (s *store) set(o *unstructured.Unstructured, value any, at ...string) {
	o = o.DeepCopy()
	if have, is, _ := unstructured.NestedFieldNoCopy(o.Object, at...); is && have == value {
		return
	}
	_ = unstructured.SetNestedField(o.Object, value, at...)
	o.SetGeneration(o.GetGeneration() + 1)
	s.put(s.named(o.GetKind()), o)
}

// make creates an object, unless there is one with the same name.
func (s *store) make(kindName string, typed any) {
	k, o := s.named(kindName), &unstructured.Unstructured{Object: plain(typed)}
	if s.get(k, o.GetNamespace(), o.GetName()) == nil {
		s.begin(k, o)
		s.put(k, o)
	}
}

func ownerOf(o *unstructured.Unstructured) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(o, o.GroupVersionKind())}
}

// makePod creates a Pod of a workload.
func (s *store) makePod(
	of *unstructured.Unstructured, template corev1.PodTemplateSpec, name string, more map[string]string,
	change func(*corev1.Pod),
) {
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Namespace, pod.Name, pod.OwnerReferences = of.GetNamespace(), name, ownerOf(of)
	for key, value := range more {
		pod.Labels = with(pod.Labels, key, value)
	}
	if change != nil {
		change(pod)
	}
	s.make("Pod", pod)
}

func anyName(of *unstructured.Unstructured) string { return of.GetName() + "-" + rand.String(5) }

// belonging returns the objects of a kind that a workload controls.
func (s *store) belonging(kindName string, to *unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(s.list(s.named(kindName), to.GetNamespace()), func(o *unstructured.Unstructured) bool {
		owner := metav1.GetControllerOf(o)
		return owner == nil || owner.UID != to.GetUID()
	})
}

// pods returns the Pods of a workload.
func (s *store) pods(of *unstructured.Unstructured) (out []*corev1.Pod) {
	for _, o := range s.belonging("Pod", of) {
		out = append(out, read(o, &corev1.Pod{}))
	}
	return out
}

func (s *store) end(pod *corev1.Pod) {
	k := s.named("Pod")
	if live := s.get(k, pod.Namespace, pod.Name); live != nil {
		_, _ = s.delete(k, live, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	}
}

// active reports whether a Pod neither has ended nor is being deleted.
func active(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

func ready(pod *corev1.Pod) bool {
	return active(pod) && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func count(pods []*corev1.Pod, is func(*corev1.Pod) bool) (n int32) {
	for _, pod := range pods {
		if is(pod) {
			n++
		}
	}
	return n
}
