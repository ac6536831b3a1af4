package memory

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is a kind of objects that the server stores, or of requests that it only answers.
type kind struct {
	schema.GroupVersionKind
	plural     string
	namespaced bool
	question   bool // the server answers it and stores nothing
	custom     bool // it comes from a CustomResourceDefinition
}

func (k *kind) resource() schema.GroupVersionResource { return k.GroupVersion().WithResource(k.plural) }

func (k *kind) verbs() metav1.Verbs {
	if k.question {
		return metav1.Verbs{"create"}
	}
	return metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}

// builtIn are the kinds of a new server. In each line, the kinds before the "/" are in namespaces.
const builtIn = `
v1 Pod Service ConfigMap Secret ServiceAccount PersistentVolumeClaim Event Endpoints /
v1 LimitRange ResourceQuota PodTemplate Binding / Namespace Node PersistentVolume
apps/v1 Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision /
batch/v1 Job CronJob /
autoscaling/v2 HorizontalPodAutoscaler /
policy/v1 PodDisruptionBudget /
networking.k8s.io/v1 Ingress NetworkPolicy / IngressClass
rbac.authorization.k8s.io/v1 Role RoleBinding / ClusterRole ClusterRoleBinding
storage.k8s.io/v1 / StorageClass VolumeAttachment
coordination.k8s.io/v1 Lease /
scheduling.k8s.io/v1 / PriorityClass
apiregistration.k8s.io/v1 / APIService
apiextensions.k8s.io/v1 / CustomResourceDefinition
authorization.k8s.io/v1 LocalSubjectAccessReview / SubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
authentication.k8s.io/v1 / TokenReview`

func builtInKinds() (out []*kind) {
	for line := range strings.Lines(strings.TrimSpace(builtIn)) {
		words := strings.Fields(line)
		group, _ := schema.ParseGroupVersion(words[0])
		namespaced := true
		for _, word := range words[1:] {
			if word == "/" {
				namespaced = false
				continue
			}
			k := &kind{GroupVersionKind: group.WithKind(word), namespaced: namespaced}
			plural, _ := meta.UnsafeGuessKindToResource(k.GroupVersionKind)
			k.plural, k.question = plural.Resource, word == "Binding" || strings.HasSuffix(word, "Review")
			out = append(out, k)
		}
	}
	return out
}

// kindOf finds a kind by its resource, and returns nil if there is none.
func (s *store) kindOf(r schema.GroupVersionResource) *kind {
	at := slices.IndexFunc(s.kinds, func(k *kind) bool { return k.resource() == r })
	if at < 0 {
		return nil
	}
	return s.kinds[at]
}

// define adds the kind of a definition, or removes it.
func (s *store) define(definition *unstructured.Unstructured, served bool) {
	text := func(at ...string) string {
		value, _, _ := unstructured.NestedString(definition.Object, append([]string{"spec"}, at...)...)
		return value
	}
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, v := range versions {
		v, _ := v.(map[string]any)
		version, _ := v["name"].(string)
		k := &kind{
			GroupVersionKind: schema.GroupVersionKind{Group: text("group"), Version: version, Kind: text("names", "kind")},
			plural:           text("names", "plural"), namespaced: text("scope") == "Namespaced", custom: true,
		}
		there := s.kindOf(k.resource()) != nil
		switch {
		case served && !there:
			s.kinds = append(s.kinds, k)
		case !served && there:
			s.kinds = slices.DeleteFunc(s.kinds, func(o *kind) bool { return o.resource() == k.resource() })
		}
	}
}

// discover answers requests for discovery, and returns nil for other paths.
func (s *store) discover(path string) any {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case path == "/apis":
		return s.groups()
	case len(parts) == 2 && parts[0] == "api":
		return s.resources(schema.GroupVersion{Version: parts[1]})
	case len(parts) == 3 && parts[0] == "apis":
		return s.resources(schema.GroupVersion{Group: parts[1], Version: parts[2]})
	}
	return nil
}

func (s *store) groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, k := range s.kinds {
		version := metav1.GroupVersionForDiscovery{GroupVersion: k.GroupVersion().String(), Version: k.Version}
		known := slices.ContainsFunc(list.Groups, func(g metav1.APIGroup) bool { return g.Name == k.Group })
		if k.Group != "" && !known { // one version of each group is enough
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: k.Group, PreferredVersion: version, Versions: []metav1.GroupVersionForDiscovery{version},
			})
		}
	}
	return list
}

// resources returns the resources of a group. For an unknown group the answer is the same as for an unknown path.
func (s *store) resources(group schema.GroupVersion) any {
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: group.String(),
	}
	for _, k := range s.kinds {
		if k.GroupVersion() == group {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: k.plural, SingularName: strings.ToLower(k.Kind), Kind: k.Kind, Namespaced: k.namespaced, Verbs: k.verbs(),
			})
		}
	}
	if len(list.APIResources) == 0 {
		return nil
	}
	return list
}
