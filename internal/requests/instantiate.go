package requests

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// instantiateV1 is SOL003 v2.6.1 clause 5.5.2.4. vimType is mandatory there, but Tacker's clients leave it out.
type instantiateV1 struct {
	instantiation
	VimConnectionInfo []connectionV1 `json:"vimConnectionInfo"`
	ExtVirtualLinks   []link[cpList] `json:"extVirtualLinks"`
}

// instantiateV2 is SOL003 v3.3.1 clause 5.5.2.4.
type instantiateV2 struct {
	instantiation
	VimConnectionInfo map[string]typedConnection `json:"vimConnectionInfo"`
	ExtVirtualLinks   []link[cpMap]              `json:"extVirtualLinks"`
}

type instantiation struct {
	params.Noted
	FlavourID                 string         `json:"flavourId" param:"required"`
	InstantiationLevelID      string         `json:"instantiationLevelId"`
	ExtManagedVirtualLinks    []managedLink  `json:"extManagedVirtualLinks"`
	LocalizationLanguage      string         `json:"localizationLanguage"`
	AdditionalParams          map[string]any `json:"additionalParams"`
	Extensions                map[string]any `json:"extensions"`
	VnfConfigurableProperties map[string]any `json:"vnfConfigurableProperties"`
}

type managedLink struct {
	ID                   string `json:"id" param:"required"`
	VnfVirtualLinkDescID string `json:"vnfVirtualLinkDescId"`
	VirtualLinkDescID    string `json:"virtualLinkDescId"` // of SOL003 v2.4.1
	ResourceID           string `json:"resourceId" param:"required"`
	VimConnectionID      string `json:"vimConnectionId"`
	VnfLinkPort          []any  `json:"vnfLinkPort"`
}

func (r *instantiation) problems() []lcm.Problem { return nil }

// request is the value without links and connections.
func (r *instantiation) request() lcm.InstantiateRequest {
	out := lcm.InstantiateRequest{
		FlavourID: r.FlavourID, InstantiationLevelID: r.InstantiationLevelID,
		LocalizationLanguage: r.LocalizationLanguage, AdditionalParams: paramsIn(r.Noted),
		Extensions: r.Extensions, ConfigurableProperties: r.VnfConfigurableProperties,
	}
	for _, l := range r.ExtManagedVirtualLinks {
		out.ExtManagedVirtualLinks = append(out.ExtManagedVirtualLinks, l.value())
	}
	return out
}

func (l managedLink) value() lcm.ExtManagedVirtualLink {
	if l.VnfVirtualLinkDescID == "" {
		l.VnfVirtualLinkDescID = l.VirtualLinkDescID
	}
	return lcm.ExtManagedVirtualLink{
		ID: l.ID, VnfVirtualLinkDescID: l.VnfVirtualLinkDescID, ResourceID: l.ResourceID,
		VimConnectionID: l.VimConnectionID, LinkPorts: len(l.VnfLinkPort),
	}
}

func (r *instantiateV1) reading() Reading {
	request := r.request()
	for _, c := range r.VimConnectionInfo {
		request.VimConnections = append(request.VimConnections, c.named(c.ID, c.VimType))
	}
	return instantiating(r.Noted, request, r.ExtVirtualLinks)
}

func (r *instantiateV2) reading() Reading {
	request := r.request()
	for id, c := range inOrder(r.VimConnectionInfo) {
		request.VimConnections = append(request.VimConnections, c.named(id, c.VimType))
	}
	return instantiating(r.Noted, request, r.ExtVirtualLinks)
}

// instantiating completes the value with its links.
func instantiating[C cpConfigs](body params.Noted, request lcm.InstantiateRequest, links []link[C]) Reading {
	apart := lcm.ParseUserData(request.AdditionalParams).SeparateResources()
	request.ExtVirtualLinks = lcm.WithNfvPorts(valuesOf(links), request.AdditionalParams, apart)
	mistakes, impossible := checkLinks(links, request.AdditionalParams)
	if levels := body.Member("targetScaleLevelInfo"); !isNothing(levels) {
		mistakes = append([]lcm.Problem{{Path: "$.targetScaleLevelInfo", Detail: "belongs to later versions of SOL003: name " +
			"an instantiation level, and scale the VNF after its instantiation (scale_to_level)"}}, mistakes...)
	}
	return Reading{request, mistakes, impossible}
}
