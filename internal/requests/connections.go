package requests

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// connection is VimConnectionInfo (SOL003 clause 4.4.1.6) without its type and id.
type connection struct {
	params.Noted
	VimID         string         `json:"vimId"`
	InterfaceInfo map[string]any `json:"interfaceInfo"`
	AccessInfo    map[string]any `json:"accessInfo"`
	Extra         map[string]any `json:"extra"`
}

// connectionV1 is an item of v2.6.1's list.
type connectionV1 struct {
	ID string `json:"id" param:"required"`
	connection
	VimType string `json:"vimType"`
}

// typedConnection is an entry of v3.3.1's map, where it is whole.
type typedConnection struct {
	connection
	VimType string `json:"vimType" param:"required"`
}

// patchedConnection is an entry of v3.3.1's map in a merge patch.
type patchedConnection struct {
	connection
	VimType string `json:"vimType"`
}

func (c connection) named(id, vimType string) lcm.VimConnectionInfo {
	return lcm.VimConnectionInfo{
		ID: id, VimID: lcm.VimID(c.VimID), VimType: vimType, InterfaceInfo: c.InterfaceInfo, AccessInfo: c.AccessInfo,
		Extra: c.Extra,
	}
}

// patchesOfList are the merge patches for the connections of a list, in its order.
func patchesOfList(list []connectionV1) (out []lcm.VimConnectionPatch) {
	for _, c := range list {
		out = append(out, lcm.VimConnectionPatch{ID: c.ID, Patch: c.Document()})
	}
	return out
}

// patchesOfMap are the merge patches for the connections of a map, in the order of their keys.
func patchesOfMap(m map[string]*patchedConnection) (out []lcm.VimConnectionPatch) {
	for id, c := range inOrder(m) {
		patch := json.RawMessage("null")
		if c != nil {
			patch = c.Document()
		}
		out = append(out, lcm.VimConnectionPatch{ID: id, Patch: patch})
	}
	return out
}
