package k8s

import (
	"encoding/json"
	"reflect"
	"slices"
)

// withoutRepeated removes the parameters that a heal only repeats from the instantiation. Tacker's clients of v2 send all
// of them with every healing, where only credentials can change. A secret never counts as a repetition.
func withoutRepeated(asked, had json.RawMessage) json.RawMessage {
	members := objectOf(asked)
	is, _ := members[ParamsKey].(map[string]any)
	was, _ := objectOf(had)[ParamsKey].(map[string]any)
	if is == nil || was == nil {
		return asked
	}
	withoutSame(is, was)
	for _, role := range []string{"master_node", "worker_node", "storage_server", "ansible", "external_lb_param"} {
		askedRole, _ := is[role].(map[string]any)
		hadRole, _ := was[role].(map[string]any)
		withoutSame(askedRole, hadRole, "username", "password", "private_key", "ssh_username", "ssh_password", "ssh_private_key")
	}
	out, err := json.Marshal(members)
	if err != nil { // it was made of JSON
		return asked
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
