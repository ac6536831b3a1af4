package lcm

// Grant is SOL003 clause 9.5.2.3, as Windlass gives it to its own operations: decided from the plan before anything is
// touched, and never changed afterwards.
type Grant struct {
	ID            string        `json:"id"`
	VnfInstanceID VnfInstanceID `json:"vnfInstanceId"`
	OpOccID       OpOccID       `json:"vnfLcmOpOccId"`
	// VimConnections name the VIMs, without interfaceInfo and accessInfo.
	VimConnections []VimConnectionInfo `json:"vimConnections,omitempty"`
	// Zones are the availability zones in which resources are, or are to be.
	Zones           []GrantZone     `json:"zones,omitempty"`
	AddResources    []GrantResource `json:"addResources,omitempty"`
	RemoveResources []GrantResource `json:"removeResources,omitempty"`
	UpdateResources []GrantResource `json:"updateResources,omitempty"`
}

// GrantZone is SOL003 clause 9.5.3.6.
type GrantZone struct {
	// ID is what GrantResource.ZoneID refers to, ZoneID the VIM's name of the zone.
	ID              string `json:"id"`
	ZoneID          string `json:"zoneId"`
	VimConnectionID string `json:"vimConnectionId,omitempty"`
}

// GrantResource is SOL003 clause 9.5.3.3 together with the definition (clause 9.5.3.2) that an NFVO would know from the
// grant request: the built-in granting has none, and a grant should say which servers it is about.
type GrantResource struct {
	ResourceDefinitionID string `json:"resourceDefinitionId"`
	VimConnectionID      string `json:"vimConnectionId,omitempty"`
	ZoneID               string `json:"zoneId,omitempty"`

	Type  string `json:"type"` // COMPUTE
	VduID string `json:"vduId"`
	// VnfcInstanceID and Resource are a server that exists; one to be made has neither.
	VnfcInstanceID string          `json:"vnfcInstanceId,omitempty"`
	Resource       *ResourceHandle `json:"resource,omitempty"`
	// Node is its name in the cluster, Why it was chosen, as a clause.
	Node string `json:"node,omitempty"`
	Why  string `json:"why,omitempty"`
	// Replaces is the VNFC in whose place the server is made, when the operation heals.
	Replaces string `json:"replaces,omitempty"`
}

// GrantCompute is the type of a VM in a grant.
const GrantCompute = "COMPUTE"
