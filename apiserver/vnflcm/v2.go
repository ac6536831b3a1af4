package vnflcm

import (
	"encoding/json"
	"strconv"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// dialectV2 is SOL003 v3.3.1, vnflcm API 2.0.0.
var dialectV2 = dialect{
	Root: rest.LcmV2,
	vimConnections: func(list []lcm.VimConnectionInfo) any {
		if len(list) == 0 {
			return nil
		}
		m := make(map[string]vimConnectionV2, len(list))
		for _, v := range list {
			m[v.ID] = vimConnectionV2{v.VimID, v.VimType, v.InterfaceInfo, v.AccessInfo, v.Extra}
		}
		return m
	},
	operationParams: func(params json.RawMessage) (json.RawMessage, error) {
		return editParams(params, mapOf)
	},
	vnfcInfo:             true,
	packageChanges:       true,
	unusedOperationParts: []string{"vnfSnapshotInfoId"},
	excludedOperationParts: []string{
		"operationParams", "error", "resourceChanges", "changedInfo",
		"changedExtConnectivity", "modificationsTriggeredByVnfPkgChange",
	},
}

// vimConnectionV2 is a value of v3.3.1's map; its id is the key.
type vimConnectionV2 struct {
	VimID         lcm.VimID      `json:"vimId,omitempty"`
	VimType       string         `json:"vimType"`
	InterfaceInfo map[string]any `json:"interfaceInfo,omitempty"`
	AccessInfo    map[string]any `json:"accessInfo,omitempty"`
	Extra         map[string]any `json:"extra,omitempty"`
}

// mapOf turns v2.6.1's list into v3.3.1's map; an item without the member idKey gets its position as key.
func mapOf(member any, idKey string) any {
	list, ok := member.([]any)
	if !ok {
		return member
	}
	m := make(map[string]any, len(list))
	for i, e := range list {
		item, ok := e.(map[string]any)
		if !ok {
			return member
		}
		key, _ := item[idKey].(string)
		if key == "" {
			key = strconv.Itoa(i)
		}
		delete(item, idKey)
		m[key] = item
	}
	return m
}
