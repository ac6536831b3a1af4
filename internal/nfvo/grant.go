package nfvo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// GrantRequest is Windlass's request for a grant (SOL003 clause 9.5.2.2).
type GrantRequest struct {
	VnfInstanceID         lcm.VnfInstanceID
	OpOccID               lcm.OpOccID
	VnfdID                lcm.VnfdID
	FlavourID             string
	InstantiationLevelID  string
	Operation             lcm.Operation
	IsAutomaticInvocation bool
	// Resources are the resources that the operation adds, updates and removes, defined as in Windlass's own grants.
	Resources lcm.Grant
	Placement []lcm.PlacementConstraint
	OneVim    []lcm.VimConstraint
	// APIVersion is the API version of the operation; Endpoint begins the links to Windlass.
	APIVersion int
	Endpoint   string
}

type grantRequestBody struct {
	VnfInstanceID         lcm.VnfInstanceID         `json:"vnfInstanceId"`
	VnfLcmOpOccID         lcm.OpOccID               `json:"vnfLcmOpOccId"`
	VnfdID                lcm.VnfdID                `json:"vnfdId"`
	FlavourID             string                    `json:"flavourId,omitempty"`
	Operation             lcm.Operation             `json:"operation"`
	IsAutomaticInvocation bool                      `json:"isAutomaticInvocation"`
	InstantiationLevelID  string                    `json:"instantiationLevelId,omitempty"`
	AddResources          []resourceDefinition      `json:"addResources,omitempty"`
	RemoveResources       []resourceDefinition      `json:"removeResources,omitempty"`
	UpdateResources       []resourceDefinition      `json:"updateResources,omitempty"`
	PlacementConstraints  []lcm.PlacementConstraint `json:"placementConstraints,omitempty"`
	VimConstraints        []lcm.VimConstraint       `json:"vimConstraints,omitempty"`
	Links                 map[string]link           `json:"_links"`
}

// resourceDefinition is clause 9.5.3.2. An existing resource has a handle. A resource to make or update has the VNFD's
// template that describes it.
type resourceDefinition struct {
	ID                 string              `json:"id"`
	Type               string              `json:"type"`
	VduID              string              `json:"vduId,omitempty"`
	ResourceTemplateID string              `json:"resourceTemplateId,omitempty"`
	Resource           *lcm.ResourceHandle `json:"resource,omitempty"`
}

func definitions(list []lcm.GrantResource) (out []resourceDefinition) {
	for _, r := range list {
		out = append(out, resourceDefinition{
			ID: r.ResourceDefinitionID, Type: r.Type, VduID: r.VduID, ResourceTemplateID: r.ResourceTemplateID,
			Resource: r.Resource,
		})
	}
	return out
}

func (r GrantRequest) body() grantRequestBody {
	root := r.Endpoint + "/vnflcm/" + map[int]string{1: "v1", 2: "v2"}[r.APIVersion]
	return grantRequestBody{
		VnfInstanceID: r.VnfInstanceID, VnfLcmOpOccID: r.OpOccID, VnfdID: r.VnfdID, FlavourID: r.FlavourID,
		Operation: r.Operation, IsAutomaticInvocation: r.IsAutomaticInvocation, InstantiationLevelID: r.InstantiationLevelID,
		AddResources: definitions(r.Resources.AddResources), RemoveResources: definitions(r.Resources.RemoveResources),
		UpdateResources: definitions(r.Resources.UpdateResources), PlacementConstraints: r.Placement,
		VimConstraints: r.OneVim,
		Links: map[string]link{
			"vnfLcmOpOcc": {root + "/vnf_lcm_op_occs/" + string(r.OpOccID)},
			"vnfInstance": {root + "/vnf_instances/" + string(r.VnfInstanceID)},
		},
	}
}

// rawGrant is a Grant of either version: the VIMs are a list in v2.6.1, a map in v3.3.1.
type rawGrant struct {
	ID                     string                           `json:"id"`
	VnfInstanceID          lcm.VnfInstanceID                `json:"vnfInstanceId"`
	OpOccID                lcm.OpOccID                      `json:"vnfLcmOpOccId"`
	VimConnections         []lcm.VimConnectionInfo          `json:"vimConnections"`
	VimConnectionInfo      map[string]lcm.VimConnectionInfo `json:"vimConnectionInfo"`
	Zones                  []lcm.GrantZone                  `json:"zones"`
	AddResources           []rawGrantInfo                   `json:"addResources"`
	TempResources          []rawGrantInfo                   `json:"tempResources"`
	RemoveResources        []rawGrantInfo                   `json:"removeResources"`
	UpdateResources        []rawGrantInfo                   `json:"updateResources"`
	VimAssets              *lcm.GrantVimAssets              `json:"vimAssets"`
	ExtVirtualLinks        json.RawMessage                  `json:"extVirtualLinks"`
	ExtManagedVirtualLinks []rawManagedLink                 `json:"extManagedVirtualLinks"`
	AdditionalParams       json.RawMessage                  `json:"additionalParams"`
	ComputeReservationID   string                           `json:"computeReservationId"`
	NetworkReservationID   string                           `json:"networkReservationId"`
	StorageReservationID   string                           `json:"storageReservationId"`
	Links                  struct {
		Self link `json:"self"`
	} `json:"_links"`
}

// rawManagedLink is ExtManagedVirtualLinkData (clause 4.4.1.12) of either version.
type rawManagedLink struct {
	lcm.ExtManagedVirtualLink
	// VirtualLinkDescID is the name that earlier versions of SOL003 have for vnfVirtualLinkDescId.
	VirtualLinkDescID  string `json:"virtualLinkDescId"`
	ResourceProviderID string `json:"resourceProviderId"`
	// VnfLinkPort are the ports that the network's manager made for it.
	VnfLinkPort []json.RawMessage `json:"vnfLinkPort"`
}

// rawGrantInfo is GrantInfo (clause 9.5.3.3).
type rawGrantInfo struct {
	ResourceDefinitionID string `json:"resourceDefinitionId"`
	ReservationID        string `json:"reservationId"`
	VimConnectionID      string `json:"vimConnectionId"`
	ResourceProviderID   string `json:"resourceProviderId"`
	ZoneID               string `json:"zoneId"`
}

// parseGrant reads a grant. It reports everything that Windlass cannot honour together, as Invalid: the NFVO counts on
// its whole grant.
func parseGrant(body []byte, id lcm.OpOccID) (lcm.Grant, error) {
	var raw rawGrant
	if err := json.Unmarshal(body, &raw); err != nil {
		return lcm.Grant{}, lcm.Wrap(lcm.KindBroken, err, "The NFVO's grant is no Grant of SOL003.")
	}
	if raw.ID == "" {
		return lcm.Grant{}, lcm.Errorf(lcm.KindBroken, "The NFVO's grant has no id.")
	}
	if raw.OpOccID != "" && raw.OpOccID != id {
		return lcm.Grant{}, lcm.Errorf(lcm.KindBroken, "The NFVO's grant is for another operation, %s.", raw.OpOccID)
	}
	if err := raw.unsupported(); err != nil {
		return lcm.Grant{}, err
	}
	return lcm.Grant{
		ID: raw.ID, VnfInstanceID: raw.VnfInstanceID, OpOccID: id, VimConnections: raw.vims(), Zones: raw.Zones,
		AddResources: infos(raw.AddResources), RemoveResources: infos(raw.RemoveResources),
		UpdateResources: infos(raw.UpdateResources), VimAssets: raw.VimAssets,
		ExtVirtualLinks: notNull(raw.ExtVirtualLinks), AdditionalParams: notNull(raw.AdditionalParams),
		ExtManagedVirtualLinks: managedLinks(raw.ExtManagedVirtualLinks), Href: raw.Links.Self.Href,
	}, nil
}

func notNull(doc json.RawMessage) json.RawMessage {
	if string(doc) == "null" {
		return nil
	}
	return doc
}

func (g rawGrant) vims() []lcm.VimConnectionInfo {
	out := slices.Clone(g.VimConnections)
	for _, id := range slices.Sorted(maps.Keys(g.VimConnectionInfo)) {
		vim := g.VimConnectionInfo[id]
		vim.ID = id
		out = append(out, vim)
	}
	return out
}

func managedLinks(list []rawManagedLink) (out []lcm.ExtManagedVirtualLink) {
	for _, l := range list {
		l.VnfVirtualLinkDescID = cmp.Or(l.VnfVirtualLinkDescID, l.VirtualLinkDescID)
		out = append(out, l.ExtManagedVirtualLink)
	}
	return out
}

func infos(list []rawGrantInfo) (out []lcm.GrantResource) {
	for _, r := range list {
		out = append(out, lcm.GrantResource{
			ResourceDefinitionID: r.ResourceDefinitionID, VimConnectionID: r.VimConnectionID, ZoneID: r.ZoneID,
		})
	}
	return out
}

func (g rawGrant) unsupported() error {
	var problems []lcm.Problem
	add := func(given bool, path, detail string) {
		if given {
			problems = append(problems, lcm.Problem{Path: path, Detail: detail})
		}
	}
	const reserved, temporary = "resources of a reservation cannot be used", "no temporary resources were asked for"
	add(g.ComputeReservationID != "", "$.computeReservationId", reserved)
	add(g.NetworkReservationID != "", "$.networkReservationId", reserved)
	add(g.StorageReservationID != "", "$.storageReservationId", reserved)
	add(len(g.TempResources) > 0, "$.tempResources", temporary)
	const direct = "resources are managed in direct mode only"
	for i, l := range g.ExtManagedVirtualLinks {
		path := fmt.Sprintf("$.extManagedVirtualLinks[%d]", i)
		add(cmp.Or(l.VnfVirtualLinkDescID, l.VirtualLinkDescID) == "", path+".vnfVirtualLinkDescId", "is missing")
		add(l.ResourceID == "", path+".resourceId", "is missing")
		add(l.ResourceProviderID != "", path+".resourceProviderId", direct)
		add(len(l.VnfLinkPort) > 0, path+".vnfLinkPort",
			"ports that are made elsewhere cannot be used: the stack makes the ports of its servers")
	}
	for i, r := range g.AddResources {
		path := fmt.Sprintf("$.addResources[%d]", i)
		add(r.ReservationID != "", path+".reservationId", reserved)
		add(r.ResourceProviderID != "", path+".resourceProviderId", direct)
	}
	return lcm.InvalidAll(lcm.UnhonouredGrant, problems)
}
