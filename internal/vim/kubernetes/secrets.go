package kubernetes

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// shortestSecret is the minimum length of a text that Windlass masks in messages: shorter texts are in too many words.
const shortestSecret = 4

// SecretsOf returns the values of the Secrets among the objects, as written and, if in base64, also decoded.
func SecretsOf(objects []unstructured.Unstructured) (out []string) {
	add := func(text string) {
		if len(text) >= shortestSecret && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, o := range objects {
		if o.GetKind() != "Secret" || o.GetAPIVersion() != "v1" {
			continue
		}
		plain, _, _ := unstructured.NestedMap(o.Object, "stringData")
		for _, key := range slices.Sorted(maps.Keys(plain)) {
			if text, ok := plain[key].(string); ok {
				add(text)
			}
		}
		encoded, _, _ := unstructured.NestedMap(o.Object, "data")
		for _, key := range slices.Sorted(maps.Keys(encoded)) {
			text, _ := encoded[key].(string)
			add(text)
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
				add(string(decoded))
			}
		}
	}
	return out
}
