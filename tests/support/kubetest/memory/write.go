package memory

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/scheme"
)

func (s *Server) create(q *request) (any, error) {
	o, err := q.object()
	switch {
	case err != nil:
		return nil, err
	case q.kind.Kind == "Binding":
		return s.bind(q, o)
	case q.kind.question:
		return review(o), nil
	case q.sub != "":
		return nil, errors.NewMethodNotSupported(q.kind.resource().GroupResource(), q.sub)
	case o.GetName() == "" && o.GetGenerateName() != "":
		o.SetName(o.GetGenerateName() + rand.String(5))
	}
	o.SetManagedFields(nil)
	return s.write(q, nil, o)
}

func (s *Server) update(q *request) (any, error) {
	live, err := s.find(q)
	if err != nil {
		return nil, err
	}
	next, err := q.object()
	if err != nil {
		return nil, err
	}
	return s.write(q, live, next)
}

func (s *Server) patch(q *request) (any, error) {
	live := s.get(q.kind, q.namespace, q.name)
	how := types.PatchType(strings.TrimSpace(strings.Split(q.Header.Get("Content-Type"), ";")[0]))
	if how == types.ApplyPatchType {
		return s.apply(q, live)
	}
	if live == nil {
		return nil, q.notFound()
	}
	doc, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	switch how {
	case types.MergePatchType:
		doc, err = jsonpatch.MergePatch(doc, q.body)
	case types.JSONPatchType:
		var p jsonpatch.Patch
		if p, err = jsonpatch.DecodePatch(q.body); err == nil {
			doc, err = p.Apply(doc)
		}
	case types.StrategicMergePatchType:
		var typed any
		if typed, err = scheme.Scheme.New(q.kind.GroupVersionKind); err == nil {
			doc, err = strategicpatch.StrategicMergePatch(doc, q.body, typed)
		}
	default:
		return nil, errors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch",
			q.kind.resource().GroupResource(), q.name, string(how), 0, true)
	}
	next := &unstructured.Unstructured{}
	if err == nil {
		err = next.UnmarshalJSON(doc)
	}
	if err != nil {
		return nil, errors.NewBadRequest(err.Error())
	}
	return s.write(q, live, next)
}

func (s *Server) apply(q *request, live *unstructured.Unstructured) (any, error) {
	applied, err := q.object()
	if err != nil {
		return nil, err
	}
	var o metav1.PatchOptions
	values := q.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&values, &o, nil); err != nil {
		return nil, errors.NewBadRequest(err.Error())
	}
	applied.SetName(q.name)
	next, err := s.merge(q.kind, live, applied, &o)
	if err != nil {
		return nil, err
	}
	return s.complete(q, live, next)
}

// write carries out a create or an update that is not an apply.
func (s *Server) write(q *request, live, next *unstructured.Unstructured) (any, error) {
	if live == nil && s.get(q.kind, next.GetNamespace(), next.GetName()) != nil {
		return nil, errors.NewAlreadyExists(q.kind.resource().GroupResource(), next.GetName())
	}
	if live != nil {
		based := next.GetResourceVersion()
		if based != "" && based != live.GetResourceVersion() || next.GetUID() != "" && next.GetUID() != live.GetUID() {
			return nil, errors.NewConflict(q.kind.resource().GroupResource(), live.GetName(),
				fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
		}
	}
	next.SetGroupVersionKind(q.kind.GroupVersionKind)
	noted, err := s.note(q.kind, live, next, q.URL.Query().Get("fieldManager"))
	if err != nil {
		return nil, errors.NewBadRequest(err.Error())
	}
	return s.complete(q, live, noted)
}

// complete sets the fields that clients do not decide, and stores the object unless the request is a dry run.
func (s *Server) complete(q *request, live, next *unstructured.Unstructured) (any, error) {
	if live == nil {
		if err := s.admit(q, next); err != nil {
			return nil, err
		}
		s.begin(q.kind, next)
	} else {
		goOn(q, live, next)
	}
	if q.URL.Query().Get("dryRun") != "" {
		return next, nil
	}
	return s.put(q.kind, next), nil
}

// admit refuses objects that cannot be stored.
func (s *Server) admit(q *request, o *unstructured.Unstructured) error {
	resource := q.kind.resource().GroupResource()
	if o.GetName() == "" {
		return errors.NewInvalid(q.kind.GroupKind(), "", nil)
	}
	if !q.kind.namespaced {
		return nil
	}
	in := s.get(s.named("Namespace"), "", o.GetNamespace())
	switch {
	case in == nil:
		return errors.NewNotFound(s.named("Namespace").resource().GroupResource(), o.GetNamespace())
	case in.GetDeletionTimestamp() != nil:
		return errors.NewForbidden(resource, o.GetName(), fmt.Errorf("its namespace is being terminated"))
	}
	return nil
}

// begin sets the metadata of a new object.
func (s *store) begin(k *kind, o *unstructured.Unstructured) {
	o.SetGroupVersionKind(k.GroupVersionKind)
	o.SetUID(uuid.NewUUID())
	o.SetCreationTimestamp(metav1.Now())
	o.SetGeneration(1)
	if !k.custom {
		unstructured.RemoveNestedField(o.Object, "status")
	}
	switch k.Kind {
	case "Namespace":
		o.SetLabels(with(o.GetLabels(), "kubernetes.io/metadata.name", o.GetName()))
		_ = unstructured.SetNestedStringSlice(o.Object, []string{"kubernetes"}, "spec", "finalizers")
		_ = unstructured.SetNestedField(o.Object, "Active", "status", "phase")
	case "Node":
		o.Object["spec"] = plain(&corev1.NodeSpec{Taints: taints(o)})
	case "Pod", "PersistentVolumeClaim":
		_ = unstructured.SetNestedField(o.Object, "Pending", "status", "phase")
	}
	fill(k, o)
}

// fill sets defaults that controllers need.
func fill(k *kind, o *unstructured.Unstructured) {
	if k.Kind == "Deployment" || k.Kind == "ReplicaSet" || k.Kind == "StatefulSet" {
		if _, is, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "replicas"); !is {
			_ = unstructured.SetNestedField(o.Object, int64(1), "spec", "replicas")
		}
	}
	text, _, _ := unstructured.NestedStringMap(o.Object, "stringData")
	for key, value := range text {
		_ = unstructured.SetNestedField(o.Object, base64.StdEncoding.EncodeToString([]byte(value)), "data", key)
	}
	if k.Kind == "Secret" {
		delete(o.Object, "stringData")
	}
}

func with(labels map[string]string, key, value string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	return labels
}

// goOn takes from the live object what the request must not change: a request for the object does not change its
// status, and a request for the status changes nothing else.
func goOn(q *request, live, next *unstructured.Unstructured) {
	status := next.Object["status"]
	managed := next.GetManagedFields()
	switch {
	case q.sub == "status":
		next.Object = live.DeepCopy().Object
		next.SetManagedFields(managed)
		next.Object["status"] = status
	case !q.kind.custom && live.Object["status"] != nil:
		next.Object["status"] = live.Object["status"]
	case !q.kind.custom:
		delete(next.Object, "status")
	}
	next.SetNamespace(live.GetNamespace())
	next.SetName(live.GetName())
	next.SetUID(live.GetUID())
	next.SetCreationTimestamp(live.GetCreationTimestamp())
	next.SetDeletionTimestamp(live.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(live.GetDeletionGracePeriodSeconds())
	next.SetResourceVersion(live.GetResourceVersion())
	next.SetGeneration(live.GetGeneration())
	fill(q.kind, next)
	if !equality.Semantic.DeepEqual(wanted(live), wanted(next)) {
		next.SetGeneration(live.GetGeneration() + 1)
	}
}

// wanted returns an object without its metadata and its status.
func wanted(o *unstructured.Unstructured) map[string]any {
	out := maps.Clone(o.Object)
	delete(out, "metadata")
	delete(out, "status")
	return out
}
