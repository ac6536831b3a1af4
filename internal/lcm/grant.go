package lcm

import "encoding/json"

// UnhonouredGrant is how errors begin that name the parts of a grant that Windlass cannot keep to.
const UnhonouredGrant = "The NFVO's grant cannot be honoured"

// Grant is SOL003 clause 9.5.2.3, as Windlass gives it to its own operations, or as an NFVO has given it: decided from
// the plan before anything is touched, and never changed afterwards.
type Grant struct {
	ID            string        `json:"id"`
	VnfInstanceID VnfInstanceID `json:"vnfInstanceId"`
	OpOccID       OpOccID       `json:"vnfLcmOpOccId"`
	// VimConnections name the VIMs; Windlass's own grants have neither interfaceInfo nor accessInfo. Secrets of an
	// NFVO's are {"$secret": ref}.
	VimConnections []VimConnectionInfo `json:"vimConnections,omitempty"`
	// Zones are the availability zones in which resources are, or are to be.
	Zones           []GrantZone     `json:"zones,omitempty"`
	AddResources    []GrantResource `json:"addResources,omitempty"`
	RemoveResources []GrantResource `json:"removeResources,omitempty"`
	UpdateResources []GrantResource `json:"updateResources,omitempty"`

	// The rest is of an NFVO's grants only.

	// VimAssets are the images and flavours of the VIM that are to be used.
	VimAssets *GrantVimAssets `json:"vimAssets,omitempty"`
	// ExtVirtualLinks take the place of those of the request that have the same ids; in the form of either version.
	ExtVirtualLinks json.RawMessage `json:"extVirtualLinks,omitempty"`
	// ExtManagedVirtualLinks take the place of internal virtual links, and of what the request has in their place.
	ExtManagedVirtualLinks []ExtManagedVirtualLink `json:"extManagedVirtualLinks,omitempty"`
	// AdditionalParams may hold "nfv", which is merged into what the VIM gets; secrets are sealed.
	AdditionalParams json.RawMessage `json:"additionalParams,omitempty"`
	// Href is where the NFVO has the grant.
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

// GrantedImage is VimSoftwareImage: the image of the VIM for a VDU, for a storage, or for all that have an image of
// that name.
type GrantedImage struct {
	VimConnectionID string `json:"vimConnectionId,omitempty"`
	SoftwareImageID string `json:"vnfdSoftwareImageId"`
	VimImageID      string `json:"vimSoftwareImageId"`
}

// GrantedChoices are what NFVOs have chosen for a VNF, by VDU; images also by storage. Every later change of its
// deployment needs them again.
type GrantedChoices struct {
	Images          map[string]string `json:"images,omitempty"`
	ComputeFlavours map[string]string `json:"computeFlavours,omitempty"`
	Zones           map[string]string `json:"zones,omitempty"`
	// KeptImages are those that VDUs and storages have from the VNFD before the present one, which has others: nobody
	// has chosen them, but with others the VIM would make the servers that are there anew.
	KeptImages map[string]string `json:"keptImages,omitempty"`
}

// PlacementConstraint is SOL003 clause 9.5.3.6: what an affinity rule of the VNFD means for the resources of a grant
// request.
type PlacementConstraint struct {
	AffinityOrAntiAffinity string               `json:"affinityOrAntiAffinity"` // AFFINITY or ANTI_AFFINITY
	Scope                  string               `json:"scope"`                  // NFVI_POP, ZONE, ZONE_GROUP or NFVI_NODE
	Resources              []ConstraintResource `json:"resource"`
}

// ConstraintResource is SOL003 clause 9.5.3.8: a resource that is there, or one that the same request asks for.
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

// GrantResource is SOL003 clause 9.5.3.3 together with the definition (clause 9.5.3.2) that an NFVO would know from the
// grant request: the built-in granting has none, and a grant should say which servers it is about.
type GrantResource struct {
	ResourceDefinitionID string `json:"resourceDefinitionId"`
	VimConnectionID      string `json:"vimConnectionId,omitempty"`
	ZoneID               string `json:"zoneId,omitempty"`

	Type string `json:"type"` // COMPUTE, STORAGE, LINKPORT or VL
	// VduID is the VDU of the server, or of the one that the volume, the port or the network belongs to; "" for a
	// network of the VNF as a whole.
	VduID string `json:"vduId,omitempty"`
	// ResourceTemplateID is what describes in the VNFD what is made or updated: a VDU, a virtual storage, a connection
	// point or a virtual link.
	ResourceTemplateID string `json:"resourceTemplateId,omitempty"`
	// VnfcInstanceID and Resource are a server that exists, or what belongs to it; what is to be made has neither.
	VnfcInstanceID string          `json:"vnfcInstanceId,omitempty"`
	Resource       *ResourceHandle `json:"resource,omitempty"`
	// Node is its name in the cluster, Why it was chosen, as a clause.
	Node string `json:"node,omitempty"`
	Why  string `json:"why,omitempty"`
	// Replaces is the VNFC in whose place the server is made, when the operation heals.
	Replaces string `json:"replaces,omitempty"`
}

// The types of resources in a grant (SOL003 clause 9.5.3.2), as far as a deployment has them.
const (
	GrantCompute  = "COMPUTE"
	GrantStorage  = "STORAGE"
	GrantLinkPort = "LINKPORT"
	GrantLink     = "VL"
)
