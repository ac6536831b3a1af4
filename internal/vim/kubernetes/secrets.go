package kubernetes

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// shortestSecret is the least length of a text that is kept out of messages: shorter ones are in too many words.
const shortestSecret = 4

// SecretsOf are the values of the Secrets among the objects, as they are written there and as they are.
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
