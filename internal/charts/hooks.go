package charts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// hook completes the manifest of a hook. Its objects get names, and pull images with the Secret of the release.
func (r Release) hook(h *release.Hook, revision, number int) error {
	objects, err := objectsOf(h.Manifest)
	if err != nil {
		return err
	}
	changed := false
	for i, o := range objects {
		of := fmt.Sprintf("%s/%s/%d/%s/%d/%d", r.Namespace, r.Name, revision, h.Path, number, i)
		named, err := name(o, of)
		if err != nil {
			return err
		}
		changed = r.holds(o) && Pull(o, r.PullSecret) || changed || named
		if named && h.Name == "" {
			h.Name = (&unstructured.Unstructured{Object: o}).GetName()
		}
	}
	if !changed {
		return nil
	}
	var out strings.Builder
	for _, o := range objects {
		doc, err := yaml.Marshal(o)
		if err != nil {
			return err
		}
		out.WriteString("---\n")
		out.Write(doc)
	}
	h.Manifest = out.String()
	return nil
}

// name gives an object with metadata.generateName its name beforehand, in the form that an API server would choose, so
// that a repeated attempt finds the object. of distinguishes the object from all others of its release.
func name(o map[string]any, of string) (changed bool, err error) {
	// longest is that of Jobs: the names of their Pods are longer.
	const longest, digits = 63, 8
	u := unstructured.Unstructured{Object: o}
	if _, is := o["metadata"].(map[string]any); o["metadata"] != nil && !is {
		return false, errors.New("it has a metadata that is no object")
	}
	switch prefix := u.GetGenerateName(); {
	case u.GetName() != "" || onlyAsks(o):
		return false, nil
	case prefix == "":
		return false, fmt.Errorf("it is a %s without a name (metadata.name)", u.GetKind())
	default:
		sum := sha256.Sum256([]byte(of))
		u.SetName(prefix[:min(len(prefix), longest-digits)] + hex.EncodeToString(sum[:])[:digits])
		unstructured.RemoveNestedField(o, "metadata", "generateName")
		return true, nil
	}
}

// onlyAsks tells whether an API server only answers the object, and does not store it.
func onlyAsks(o map[string]any) bool {
	group, _, _ := strings.Cut((&unstructured.Unstructured{Object: o}).GetAPIVersion(), "/")
	return group == "authorization.k8s.io" || group == "authentication.k8s.io"
}
