package vnflcm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// dialectV1 is SOL003 v2.6.1, vnflcm API 1.3.0.
var dialectV1 = dialect{
	Root: rest.LcmV1,
	vimConnections: func(list []lcm.VimConnectionInfo) any {
		if len(list) == 0 {
			return nil
		}
		return list
	},
	operationParams: func(params json.RawMessage) (json.RawMessage, error) {
		return editParams(params, listOf)
	},
	vnfPkgID: true,
	// v2.6.1 requires operationParams in every VnfLcmOpOcc; TST 010 checks lists for it.
	excludedOperationParts: []string{"error", "resourceChanges", "changedInfo", "changedExtConnectivity"},
}

// editParams rewrites the members of an operation's parameters that differ between the versions.
func editParams(params json.RawMessage, edit func(member any, idKey string) any) (json.RawMessage, error) {
	var doc map[string]any
	if len(params) == 0 {
		return nil, nil
	}
	if !bytes.Contains(params, []byte(`"vimConnectionInfo"`)) && !bytes.Contains(params, []byte(`"extVirtualLinks"`)) {
		return params, nil // the same in both, as most are: a list has a thousand
	}
	if err := json.Unmarshal(params, &doc); err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The stored parameters are not JSON.")
	}
	if v, ok := doc["vimConnectionInfo"]; ok {
		doc["vimConnectionInfo"] = edit(v, "id")
	}
	links, _ := doc["extVirtualLinks"].([]any)
	for _, l := range links {
		link, _ := l.(map[string]any)
		cps, _ := link["extCps"].([]any)
		for _, p := range cps {
			if cp, ok := p.(map[string]any); ok && cp["cpConfig"] != nil {
				cp["cpConfig"] = edit(cp["cpConfig"], cpInstanceID)
			}
		}
	}
	return json.Marshal(doc)
}

const cpInstanceID = "cpInstanceId"

// listOf turns v3.3.1's map into v2.6.1's list; the key becomes the member idKey.
func listOf(member any, idKey string) any {
	m, ok := member.(map[string]any)
	if !ok {
		return member
	}
	list := make([]any, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		item, ok := m[key].(map[string]any)
		if m[key] == nil && idKey == cpInstanceID { // nothing but the id takes it away in v2.6.1
			item, ok = map[string]any{}, true
		}
		if !ok {
			return member
		}
		item[idKey] = key
		list = append(list, item)
	}
	return list
}
