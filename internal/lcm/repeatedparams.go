package lcm

import (
	"encoding/json"
	"reflect"
	"slices"
)

// WithoutRepeated removes the cluster's parameters that a request only repeats from the instantiation. Tacker's clients
// of v2 send all of them with every scaling and healing, where only credentials can change. A secret never counts as a
// repetition.
func WithoutRepeated(body, stored json.RawMessage) json.RawMessage {
	request, params := objectOf(body), map[string]any(nil)
	if request != nil {
		params, _ = request["additionalParams"].(map[string]any)
	}
	asked, _ := params[ClusterParamsKey].(map[string]any)
	had, _ := objectOf(stored)[ClusterParamsKey].(map[string]any)
	if asked == nil || had == nil {
		return body
	}
	withoutSame(asked, had)
	for _, role := range []string{"master_node", "worker_node", "storage_server", "ansible", "external_lb_param"} {
		askedRole, _ := asked[role].(map[string]any)
		hadRole, _ := had[role].(map[string]any)
		withoutSame(askedRole, hadRole, "username", "password", "private_key", "ssh_username", "ssh_password", "ssh_private_key")
	}
	out, err := json.Marshal(request)
	if err != nil { // it was made of JSON
		return body
	}
	return out
}

func withoutSame(asked, had map[string]any, but ...string) {
	for key, value := range had {
		if given, ok := asked[key]; ok && !slices.Contains(but, key) && reflect.DeepEqual(given, value) {
			delete(asked, key)
		}
	}
}

func objectOf(doc json.RawMessage) (out map[string]any) {
	_ = json.Unmarshal(doc, &out) // other checks report invalid JSON
	return out
}
