package lcm

import "encoding/json"

// VnfInfoModifications is SOL003 clause 5.5.2.12a: the result of a modification. Its secrets are masked.
type VnfInfoModifications struct {
	VnfInstanceName        *string `json:"vnfInstanceName,omitempty"` // "" when it was removed
	VnfInstanceDescription *string `json:"vnfInstanceDescription,omitempty"`
	// Of the next three, an empty object says that all members were removed.
	ConfigurableProperties map[string]any      `json:"vnfConfigurableProperties,omitzero"`
	Metadata               map[string]any      `json:"metadata,omitzero"`
	Extensions             map[string]any      `json:"extensions,omitzero"`
	VimConnections         []VimConnectionInfo `json:"vimConnectionInfo,omitempty"` // in their final form
	DeletedVimConnections  []string            `json:"vimConnectionInfoDeleteIds,omitempty"`
	VnfPkgID               VnfPkgID            `json:"vnfPkgId,omitempty"`
	VnfdID                 VnfdID              `json:"vnfdId,omitempty"`
	Provider               string              `json:"vnfProvider,omitempty"`
	ProductName            string              `json:"vnfProductName,omitempty"`
	SoftwareVersion        string              `json:"vnfSoftwareVersion,omitempty"`
	VnfdVersion            string              `json:"vnfdVersion,omitempty"`

	Vnfcs []VnfcInfoModifications `json:"vnfcInfoModifications,omitempty"` // v2 only
}

// Shown returns the modifications in the form of a version of the API: vimConnectionInfo is a list in v1 and a map by
// id in v2.
func (m *VnfInfoModifications) Shown(apiVersion int) map[string]any {
	if m == nil {
		return nil
	}
	var out map[string]any
	doc, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(doc, &out)
	}
	if err != nil || out == nil { // it was made of JSON
		return map[string]any{}
	}
	if apiVersion == 1 {
		delete(out, "vnfcInfoModifications")
		return out
	}
	delete(out, "vimConnectionInfoDeleteIds")
	delete(out, "vnfPkgId")
	if list, ok := out["vimConnectionInfo"].([]any); ok {
		byID := map[string]any{}
		for _, item := range list {
			if c, ok := item.(map[string]any); ok {
				id, _ := c["id"].(string)
				delete(c, "id")
				byID[id] = c
			}
		}
		out["vimConnectionInfo"] = byID
	}
	return out
}
