package memory

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// fieldManager merges what several clients apply to an object, and records which client manages each field.
type fieldManager = *managedfields.FieldManager

// schemas are the schemas of the kinds that client-go knows. For other kinds, the types follow from the values.
var schemas = applyconfigurations.NewTypeConverter(scheme.Scheme)

func (s *store) managerOf(k *kind) (fieldManager, error) {
	if m := s.managers[k.GroupVersionKind]; m != nil {
		return m, nil
	}
	types := schemas
	if _, err := types.ObjectToTyped(k.nothing()); err != nil {
		types = managedfields.NewDeducedTypeConverter()
	}
	m, err := managedfields.NewDefaultCRDFieldManager(
		types, asIs{}, asIs{}, asIs{}, k.GroupVersionKind, k.GroupVersion(), "", nil)
	s.managers[k.GroupVersionKind] = m
	return m, err
}

// nothing returns an empty object of a kind.
func (k *kind) nothing() *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(k.GroupVersionKind)
	return o
}

// merge returns the object that results when a client applies an object to the live one, which may be nil.
func (s *store) merge(
	k *kind, live, applied *unstructured.Unstructured, o *metav1.PatchOptions,
) (*unstructured.Unstructured, error) {
	m, err := s.managerOf(k)
	if err != nil {
		return nil, err
	}
	if live == nil {
		live = k.nothing()
	}
	made, err := m.Apply(live, applied, o.FieldManager, o.Force != nil && *o.Force)
	if err != nil {
		return nil, err
	}
	return made.(*unstructured.Unstructured), nil //nolint:forcetypeassert // asIs makes no others
}

// note records which client manages the fields that were changed by another request than apply.
func (s *store) note(
	k *kind, live, next *unstructured.Unstructured, manager string,
) (*unstructured.Unstructured, error) {
	m, err := s.managerOf(k)
	if err != nil {
		return nil, err
	}
	if live == nil {
		live = k.nothing()
	}
	noted, err := m.Update(live, next, cmp.Or(manager, "unknown"))
	if err != nil {
		return nil, err
	}
	return noted.(*unstructured.Unstructured), nil //nolint:forcetypeassert // asIs makes no others
}

// asIs does not convert objects between versions, because each kind has one version.
type asIs struct{}

func (asIs) Convert(in, out, _ any) error { return scheme.Scheme.Convert(in, out, nil) }

func (asIs) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (asIs) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (asIs) Default(runtime.Object) {}

func (asIs) New(of schema.GroupVersionKind) (runtime.Object, error) {
	return (&kind{GroupVersionKind: of}).nothing(), nil
}
