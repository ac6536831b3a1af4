package requests

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// changeFlavourV1 is SOL003 v2.6.1 clause 5.5.2.7. Its vimConnectionInfo is a merge patch, as a modification's.
type changeFlavourV1 struct {
	flavourChange
	ExtVirtualLinks   []link[cpList] `json:"extVirtualLinks"`
	VimConnectionInfo []connectionV1 `json:"vimConnectionInfo"`
}

// changeFlavourV2 is SOL003 v3.3.1 clause 5.5.2.7.
type changeFlavourV2 struct {
	flavourChange
	ExtVirtualLinks   []link[cpPatch]               `json:"extVirtualLinks"`
	VimConnectionInfo map[string]*patchedConnection `json:"vimConnectionInfo"`
}

type flavourChange struct {
	params.Noted
	NewFlavourID              string         `json:"newFlavourId" param:"required"`
	InstantiationLevelID      string         `json:"instantiationLevelId"`
	ExtManagedVirtualLinks    []managedLink  `json:"extManagedVirtualLinks"`
	AdditionalParams          map[string]any `json:"additionalParams"`
	Extensions                map[string]any `json:"extensions"`
	VnfConfigurableProperties map[string]any `json:"vnfConfigurableProperties"`
}

func (r *flavourChange) problems() []lcm.Problem { return notNull(r.Noted, "vimConnectionInfo") }

func (r *changeFlavourV1) reading() Reading {
	return changingFlavour(r.flavourChange, r.ExtVirtualLinks, patchesOfList(r.VimConnectionInfo))
}

func (r *changeFlavourV2) reading() Reading {
	return changingFlavour(r.flavourChange, r.ExtVirtualLinks, patchesOfMap(r.VimConnectionInfo))
}

func changingFlavour[C cpConfigs](r flavourChange, links []link[C], vims []lcm.VimConnectionPatch) Reading {
	var times patience
	lcm.Tackers.Read("$.additionalParams", paramsIn(r.Noted), &times) // package cnf reports their mistakes
	request := lcm.ChangeFlavourRequest{
		NewFlavourID: r.NewFlavourID, InstantiationLevelID: r.InstantiationLevelID, ExtVirtualLinks: valuesOf(links),
		VimConnections: vims, AdditionalParams: paramsIn(r.Noted), Extensions: r.Extensions,
		ConfigurableProperties: r.VnfConfigurableProperties, Waits: times.waits(),
	}
	for _, l := range r.ExtManagedVirtualLinks {
		request.ExtManagedVirtualLinks = append(request.ExtManagedVirtualLinks, l.value())
	}
	mistakes, impossible := checkLinks(links, paramsIn(r.Noted))
	return Reading{request, mistakes, impossible}
}

// storedFlavourChange is the canonical form of a CHANGE_FLAVOUR.
type storedFlavourChange struct {
	lcm.ChangeFlavourRequest
	Links []storedLink `json:"extVirtualLinks,omitempty"`
}

func flavourChangeToStore(r lcm.ChangeFlavourRequest) storedFlavourChange {
	return storedFlavourChange{r, linksToStore(r.ExtVirtualLinks)}
}

func (s storedFlavourChange) request() lcm.Request {
	s.ExtVirtualLinks = linksOf(s.Links)
	return s.ChangeFlavourRequest
}
