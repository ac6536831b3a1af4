package requests

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// changeExtConnV1 is SOL003 v2.6.1 clause 5.5.2.11. Its vimConnectionInfo is a merge patch, as a modification's.
type changeExtConnV1 struct {
	reconnection
	ExtVirtualLinks   []link[cpList] `json:"extVirtualLinks" param:"required"`
	VimConnectionInfo []connectionV1 `json:"vimConnectionInfo"`
}

// changeExtConnV2 is SOL003 v3.3.1 clause 5.5.2.11. null removes a configuration, as in any merge patch.
type changeExtConnV2 struct {
	reconnection
	ExtVirtualLinks   []link[cpPatch]               `json:"extVirtualLinks" param:"required"`
	VimConnectionInfo map[string]*patchedConnection `json:"vimConnectionInfo"`
}

type reconnection struct {
	params.Noted
	AdditionalParams struct {
		Nfv map[string]any `json:"nfv"`
		patience
	} `json:"additionalParams"`
}

func (r *reconnection) problems() []lcm.Problem { return notNull(r.Noted, "vimConnectionInfo") }

func (r *changeExtConnV1) reading() Reading {
	return reconnecting(r.reconnection, r.ExtVirtualLinks, patchesOfList(r.VimConnectionInfo))
}

func (r *changeExtConnV2) reading() Reading {
	return reconnecting(r.reconnection, r.ExtVirtualLinks, patchesOfMap(r.VimConnectionInfo))
}

func reconnecting[C cpConfigs](r reconnection, links []link[C], vims []lcm.VimConnectionPatch) Reading {
	mistakes, impossible := checkLinks(links, paramsIn(r.Noted))
	return Reading{lcm.ChangeExtConnRequest{
		ExtVirtualLinks: valuesOf(links), VimConnections: vims, AdditionalParams: paramsIn(r.Noted),
		Waits: r.AdditionalParams.waits(),
	}, mistakes, impossible}
}
