package lcm

import "encoding/json"

// UnhonouredGrant begins the errors about parts of a grant that Windlass cannot follow.
const UnhonouredGrant = "The NFVO's grant cannot be honoured"

// Grant is SOL003 clause 9.5.2.3. Windlass grants its own operations, or an NFVO gives the grant. It is decided from
// the plan before anything is touched, and never changes afterwards.
type Grant struct {
	ID            string        `json:"id"`
	VnfInstanceID VnfInstanceID `json:"vnfInstanceId"`
	OpOccID       OpOccID       `json:"vnfLcmOpOccId"`
	// VimConnections name the VIMs. Windlass's own grants have neither interfaceInfo nor accessInfo. Secrets in an NFVO's
	// grant are {"$secret": ref}.
	VimConnections []VimConnectionInfo `json:"vimConnections,omitempty"`
	// Zones are the availability zones of present and planned resources.
	Zones           []GrantZone     `json:"zones,omitempty"`
	AddResources    []GrantResource `json:"addResources,omitempty"`
	RemoveResources []GrantResource `json:"removeResources,omitempty"`
	UpdateResources []GrantResource `json:"updateResources,omitempty"`

	// Only an NFVO's grants have the following members.

	// VimAssets are the images and flavours of the VIM to use.
	VimAssets *GrantVimAssets `json:"vimAssets,omitempty"`
	// ExtVirtualLinks replace the links of the request with the same ids; they have the form of either version.
	ExtVirtualLinks json.RawMessage `json:"extVirtualLinks,omitempty"`
	// ExtManagedVirtualLinks replace internal virtual links, and the request's own replacements of them.
	ExtManagedVirtualLinks []ExtManagedVirtualLink `json:"extManagedVirtualLinks,omitempty"`
	// AdditionalParams may hold "nfv", which is merged into the parameters for the VIM; secrets are sealed.
	AdditionalParams json.RawMessage `json:"additionalParams,omitempty"`
	// Href is the link to the grant at the NFVO.
	Href string `json:"href,omitempty"`
}

// GrantVimAssets is SOL003 clause 9.5.3.11, member vimAssets of a grant.
type GrantVimAssets struct {
	ComputeResourceFlavours []GrantedFlavour `json:"computeResourceFlavours,omitempty"`
	SoftwareImages          []GrantedImage   `json:"softwareImages,omitempty"`
}

// GrantedFlavour is VimComputeResourceFlavour: the flavour of the VIM for a VDU.
type GrantedFlavour struct {
	VimConnectionID string `json:"vimConnectionId,omitempty"`
	VduID           string `json:"vnfdVirtualComputeDescId"`
	VimFlavourID    string `json:"vimFlavourId"`
}

// GrantedImage is VimSoftwareImage: the image of the VIM for a VDU, for a storage, or for every use of an image of that
// name.
type GrantedImage struct {
	VimConnectionID string `json:"vimConnectionId,omitempty"`
	SoftwareImageID string `json:"vnfdSoftwareImageId"`
	VimImageID      string `json:"vimSoftwareImageId"`
}

// GrantedChoices are the choices of NFVOs for a VNF, by VDU; images also by storage. Every later change of the
// deployment needs them again.
type GrantedChoices struct {
	Images          map[string]string `json:"images,omitempty"`
	ComputeFlavours map[string]string `json:"computeFlavours,omitempty"`
	Zones           map[string]string `json:"zones,omitempty"`
	// KeptImages are the images that VDUs and storages keep from the former VNFD, where the present VNFD names others. No
	// NFVO chose them; but with other images the VIM would replace the present servers.
	KeptImages map[string]string `json:"keptImages,omitempty"`
}

// PlacementConstraint is SOL003 clause 9.5.3.6: what an affinity rule of the VNFD means for the resources of a grant
// request.
type PlacementConstraint struct {
	AffinityOrAntiAffinity string               `json:"affinityOrAntiAffinity"` // AFFINITY or ANTI_AFFINITY
	Scope                  string               `json:"scope"`                  // NFVI_POP, ZONE, ZONE_GROUP or NFVI_NODE
	Resources              []ConstraintResource `json:"resource"`
}

// ConstraintResource is SOL003 clause 9.5.3.8: an existing resource, or a resource that the same request asks for.
type ConstraintResource struct {
	IDType          string `json:"idType"` // RES_MGMT or GRANT
	ResourceID      string `json:"resourceId"`
	VimConnectionID string `json:"vimConnectionId,omitempty"`
}

// VimConstraint is SOL003 clause 9.5.3.7: resources that have to be managed through the same VIM connection.
type VimConstraint struct {
	Resources []ConstraintResource `json:"resource"` // two or more
}

// GrantZone is SOL003 clause 9.5.3.6.
type GrantZone struct {
	// ID is what GrantResource.ZoneID refers to, ZoneID the VIM's name of the zone.
	ID              string `json:"id"`
	ZoneID          string `json:"zoneId"`
	VimConnectionID string `json:"vimConnectionId,omitempty"`
}

// GrantResource is SOL003 clause 9.5.3.3 together with its definition (clause 9.5.3.2), which an NFVO would know from
// the grant request. The built-in granting has no such request, and a grant should name its servers.
type GrantResource struct {
	ResourceDefinitionID string `json:"resourceDefinitionId"`
	VimConnectionID      string `json:"vimConnectionId,omitempty"`
	ZoneID               string `json:"zoneId,omitempty"`

	Type string `json:"type"` // COMPUTE, STORAGE, LINKPORT or VL
	// VduID is the VDU of the server, also for a volume, port or network that belongs to a server. It is "" for a network
	// of the VNF as a whole.
	VduID string `json:"vduId,omitempty"`
	// ResourceTemplateID names the part of the VNFD that describes a made or updated resource: a VDU, a virtual storage,
	// a connection point or a virtual link.
	ResourceTemplateID string `json:"resourceTemplateId,omitempty"`
	// VnfcInstanceID and Resource identify an existing server, or a resource of it. A resource that is still to be made
	// has neither.
	VnfcInstanceID string          `json:"vnfcInstanceId,omitempty"`
	Resource       *ResourceHandle `json:"resource,omitempty"`
	// Node is the server's name in the cluster. Why is the reason for its choice, as a clause.
	Node string `json:"node,omitempty"`
	Why  string `json:"why,omitempty"`
	// Replaces is the VNFC that the server replaces, when the operation heals.
	Replaces string `json:"replaces,omitempty"`
}

// The types of resources in a grant (SOL003 clause 9.5.3.2), as far as a deployment has them.
const (
	GrantCompute  = "COMPUTE"
	GrantStorage  = "STORAGE"
	GrantLinkPort = "LINKPORT"
	GrantLink     = "VL"
)
