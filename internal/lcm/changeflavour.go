package lcm

import "encoding/json"

// ChangeFlavourRequest is ChangeVnfFlavourRequest (SOL003 clause 5.5.2.7), independent of the API's version. Links,
// networks, connections, parameters and attributes that it does not name stay as they are.
type ChangeFlavourRequest struct {
	NewFlavourID string `json:"newFlavourId"`
	// InstantiationLevelID is a level of the new flavour, "" for its default one.
	InstantiationLevelID string `json:"instantiationLevelId,omitempty"`
	// ExtVirtualLinks are stored in a form of their own: see package requests.
	ExtVirtualLinks        []ExtVirtualLink        `json:"-"`
	ExtManagedVirtualLinks []ExtManagedVirtualLink `json:"extManagedVirtualLinks,omitempty"`
	// VimConnections is a merge patch for those of the instance.
	VimConnections   []VimConnectionPatch `json:"vimConnectionInfo,omitempty"`
	AdditionalParams json.RawMessage      `json:"additionalParams,omitempty"`
	// Extensions and ConfigurableProperties are merge patches for those of the instance.
	Extensions             map[string]any `json:"extensions,omitempty"`
	ConfigurableProperties map[string]any `json:"vnfConfigurableProperties,omitempty"`
	Waits
}

// Redefined implements Redefining.
func (r ChangeFlavourRequest) Redefined(had InstantiateRequest) InstantiateRequest {
	had.FlavourID, had.InstantiationLevelID = r.NewFlavourID, r.InstantiationLevelID
	had.ExtVirtualLinks = Reconnected(had.ExtVirtualLinks, r.ExtVirtualLinks)
	had.ExtManagedVirtualLinks = ManagedAsGranted(had.ExtManagedVirtualLinks, r.ExtManagedVirtualLinks)
	had.Extensions, had.ConfigurableProperties = r.Extensions, r.ConfigurableProperties
	return had
}

// ParamsPatch implements Redefining.
func (r ChangeFlavourRequest) ParamsPatch() json.RawMessage { return r.AdditionalParams }

// VimPatches implements PatchingVims.
func (r ChangeFlavourRequest) VimPatches() []VimConnectionPatch { return r.VimConnections }
