package vnflcm

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The request bodies of /vnflcm that begin no operation; package requests has those of operations.

type createVnfRequest struct {
	VnfdID                 string         `json:"vnfdId" param:"required"`
	VnfInstanceName        string         `json:"vnfInstanceName"`
	VnfInstanceDescription string         `json:"vnfInstanceDescription"`
	Metadata               map[string]any `json:"metadata"`
}

type cancelRequest struct {
	CancelMode string `json:"cancelMode" param:"required; enum=GRACEFUL|FORCEFUL"`
}

// dialect is one version of /vnflcm: its checks of requests and its form of resources. All versions share one domain
// model.
type dialect struct {
	rest.Root
	// vimConnections shows vimConnectionInfo.
	vimConnections func([]lcm.VimConnectionInfo) any
	// operationParams converts a stored request of either version into this version's form.
	operationParams func(params json.RawMessage) (json.RawMessage, error)
	// vnfcInfo tells whether instantiatedVnfInfo has the member vnfcInfo. A heal takes the ids of that member.
	vnfcInfo bool
	// vnfPkgID tells whether VnfInstance has the package's id, as v2.4.1 wants it.
	vnfPkgID bool
	// excludedOperationParts are left out of lists by default (SOL013 clause 5.3).
	excludedOperationParts []string
	// packageChanges tells whether a VnfLcmOpOcc shows the changes that came with another package (CHANGE_VNFPKG).
	packageChanges bool
	// unusedOperationParts are the standard's attributes of a VnfLcmOpOcc that Windlass never has a value of.
	unusedOperationParts []string
}
