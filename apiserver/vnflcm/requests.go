package vnflcm

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The request bodies of /vnflcm. Their types say what is checked on the way in (see rest.Decode). Afterwards the
// domain's own types are read from the same bytes.

type createVnfRequest struct {
	VnfdID                 string         `json:"vnfdId" param:"required"`
	VnfInstanceName        string         `json:"vnfInstanceName"`
	VnfInstanceDescription string         `json:"vnfInstanceDescription"`
	Metadata               map[string]any `json:"metadata"`
}

// instantiateV1 is SOL003 v2.6.1 clause 5.5.2.4. vimType is mandatory there, but Tacker's clients leave it out.
type instantiateV1 struct {
	instantiateBase
	VimConnectionInfo []vimConnectionV1            `json:"vimConnectionInfo"`
	ExtVirtualLinks   []extVirtualLink[[]cpConfig] `json:"extVirtualLinks"`
}

// instantiateV2 is SOL003 v3.3.1 clause 5.5.2.4.
type instantiateV2 struct {
	instantiateBase
	VimConnectionInfo map[string]struct {
		vimConnection
		VimType string `json:"vimType" param:"required"`
	} `json:"vimConnectionInfo"`
	ExtVirtualLinks           []extVirtualLink[map[string]cpConfig] `json:"extVirtualLinks"`
	Extensions                map[string]any                        `json:"extensions"`
	VnfConfigurableProperties map[string]any                        `json:"vnfConfigurableProperties"`
}

type instantiateBase struct {
	FlavourID              string                  `json:"flavourId" param:"required"`
	InstantiationLevelID   string                  `json:"instantiationLevelId"`
	ExtManagedVirtualLinks []extManagedVirtualLink `json:"extManagedVirtualLinks"`
	LocalizationLanguage   string                  `json:"localizationLanguage"`
	AdditionalParams       map[string]any          `json:"additionalParams"`
}

type vimConnection struct {
	VimID         string         `json:"vimId"`
	InterfaceInfo map[string]any `json:"interfaceInfo"`
	AccessInfo    map[string]any `json:"accessInfo"`
	Extra         map[string]any `json:"extra"`
}

// vimConnectionV1 is an item of v2.6.1's list.
type vimConnectionV1 struct {
	ID string `json:"id" param:"required"`
	vimConnection
	VimType string `json:"vimType"`
}

// extVirtualLink is SOL003 clause 4.4.1.11; C is a list of configurations in v2.6.1, a map in v3.3.1.
type extVirtualLink[C any] struct {
	ID              string `json:"id" param:"required"`
	ResourceID      string `json:"resourceId" param:"required"`
	VimConnectionID string `json:"vimConnectionId"`
	ExtCps          []struct {
		CpdID    string `json:"cpdId" param:"required"`
		CpConfig C      `json:"cpConfig"`
	} `json:"extCps" param:"required"`
	ExtLinkPorts []struct {
		ID             string `json:"id" param:"required"`
		ResourceHandle struct {
			ResourceID string `json:"resourceId" param:"required"`
		} `json:"resourceHandle" param:"required"`
	} `json:"extLinkPorts"`
}

type extManagedVirtualLink struct {
	ID                   string `json:"id" param:"required"`
	VnfVirtualLinkDescID string `json:"vnfVirtualLinkDescId"`
	VirtualLinkDescID    string `json:"virtualLinkDescId"` // of SOL003 v2.4.1
	ResourceID           string `json:"resourceId" param:"required"`
	VimConnectionID      string `json:"vimConnectionId"`
}

// cpConfig is SOL003 clause 4.4.1.10a. lcm.CheckLinkConfigs checks the rest of it.
type cpConfig struct {
	CpInstanceID   string `json:"cpInstanceId"`
	LinkPortID     string `json:"linkPortId"`
	CpProtocolData []struct {
		LayerProtocol  string `json:"layerProtocol" param:"required; enum=IP_OVER_ETHERNET"`
		IPOverEthernet *struct {
			MacAddress  string `json:"macAddress" param:"is=MAC address"`
			IPAddresses []struct {
				Type                string   `json:"type" param:"required; enum=IPV4|IPV6"`
				FixedAddresses      []string `json:"fixedAddresses" param:"is=IP address"`
				NumDynamicAddresses int      `json:"numDynamicAddresses" param:"min=1"`
				SubnetID            string   `json:"subnetId"`
			} `json:"ipAddresses"`
		} `json:"ipOverEthernet"`
	} `json:"cpProtocolData"`
}

type terminateV1 struct {
	TerminationType            string          `json:"terminationType" param:"required; enum=FORCEFUL|GRACEFUL"`
	GracefulTerminationTimeout *int            `json:"gracefulTerminationTimeout" param:"min=0"`
	AdditionalParams           terminateParams `json:"additionalParams"`
}

type terminateV2 struct {
	TerminationType            string          `json:"terminationType" param:"required; enum=FORCEFUL|GRACEFUL"`
	GracefulTerminationTimeout *int            `json:"gracefulTerminationTimeout" param:"min=1"`
	AdditionalParams           terminateParams `json:"additionalParams"`
}

// terminateParams are Windlass's own; see lcm.TerminateRequest.
type terminateParams struct {
	Claims        string `json:"claims" param:"enum=delete|keep"`
	TerminateVnfs bool   `json:"terminate_vnfs"`
	Patience      int    `json:"patience" param:"min=1; max=3600; unit=seconds"`
}

// The bodies of scalings and healings are the same in both versions; v3.3.1's healScript is not read.

type scaleRequest struct {
	Type             string       `json:"type" param:"required; enum=SCALE_OUT|SCALE_IN"`
	AspectID         string       `json:"aspectId" param:"required"`
	NumberOfSteps    lcm.Count    `json:"numberOfSteps" param:"min=1"`
	AdditionalParams changeParams `json:"additionalParams"`
}

type scaleToLevelRequest struct {
	InstantiationLevelID string `json:"instantiationLevelId"`
	ScaleInfo            []struct {
		AspectID   string `json:"aspectId" param:"required"`
		ScaleLevel *int   `json:"scaleLevel" param:"required; min=0"`
	} `json:"scaleInfo"`
	AdditionalParams changeParams `json:"additionalParams"`
}

type healRequest struct {
	VnfcInstanceID   lcm.Texts      `json:"vnfcInstanceId"`
	Cause            string         `json:"cause"`
	AdditionalParams map[string]any `json:"additionalParams"`
}

type operateRequest struct {
	VnfcInstanceID      lcm.Texts `json:"vnfcInstanceId"`
	ChangeStateTo       string    `json:"changeStateTo" param:"required; enum=STARTED|STOPPED"`
	StopType            string    `json:"stopType" param:"enum=FORCEFUL|GRACEFUL"`
	GracefulStopTimeout *int      `json:"gracefulStopTimeout" param:"min=0"`
	AdditionalParams    struct {
		VnfcInstanceIDs lcm.Texts `json:"vnfc_instance_ids"`
		patienceParam
	} `json:"additionalParams"`
}

// changeParams chooses the VMs that go; see lcm.ScaleInChoice.
type changeParams struct {
	VnfcInstanceIDs lcm.Texts `json:"vnfc_instance_ids"`
	ScaleInPolicy   string    `json:"scale_in_policy" param:"enum=newest|oldest"`
	nfvParams
	patienceParam
}

// patienceParam is for VNFs of containers; see lcm.Patience and lcm.ReadyTimeout.
type patienceParam struct {
	Patience     *int `json:"patience" param:"min=1; max=3600; unit=seconds"`
	ReadyTimeout *int `json:"ready_timeout" param:"min=1; max=7200; unit=seconds"`
}

// nfvParams is the parameter nfv, whose values templates take; see worker.overridden.
type nfvParams struct {
	Nfv map[string]any `json:"nfv"`
}

// modifyV1 is SOL003 v2.6.1 clause 5.5.2.12. Entries of vimConnectionInfo are laid over existing entries with the same
// id.
type modifyV1 struct {
	modifyBase
	VimConnectionInfo          []vimConnectionV1 `json:"vimConnectionInfo"`
	VimConnectionInfoDeleteIDs []string          `json:"vimConnectionInfoDeleteIds"`
}

// modifyV2 is SOL003 v3.3.1 clause 5.5.2.12. null removes an entry.
type modifyV2 struct {
	modifyBase
	VimConnectionInfo     map[string]json.RawMessage `json:"vimConnectionInfo"`
	VnfcInfoModifications []vnfcInfoModification     `json:"vnfcInfoModifications"`
}

// vnfcInfoModification comes from SOL002 v3.3.1; Tacker's API takes it, too. See lcm.VnfcInfoModifications.
type vnfcInfoModification struct {
	ID                         string         `json:"id" param:"required"`
	VnfcConfigurableProperties map[string]any `json:"vnfcConfigurableProperties" param:"required"`
}

// modifyBase has both ids of a package: SOL003 v3.3.1 has vnfdId in the text of its clause, and vnfPkgId in its OpenAPI
// file.
type modifyBase struct {
	VnfInstanceName           string         `json:"vnfInstanceName"`
	VnfInstanceDescription    string         `json:"vnfInstanceDescription"`
	VnfPkgID                  string         `json:"vnfPkgId"`
	VnfdID                    string         `json:"vnfdId"`
	VnfConfigurableProperties map[string]any `json:"vnfConfigurableProperties"`
	Metadata                  map[string]any `json:"metadata"`
	Extensions                map[string]any `json:"extensions"`
}

// changeExtConnV1 is SOL003 v2.6.1 clause 5.5.2.11. Its vimConnectionInfo is a merge patch, as a modification's.
type changeExtConnV1 struct {
	ExtVirtualLinks   []extVirtualLink[[]cpConfig] `json:"extVirtualLinks" param:"required"`
	VimConnectionInfo []vimConnectionV1            `json:"vimConnectionInfo"`
	AdditionalParams  extConnParams                `json:"additionalParams"`
}

// changeExtConnV2 is SOL003 v3.3.1 clause 5.5.2.11. null removes a configuration, as in any merge patch.
type changeExtConnV2 struct {
	ExtVirtualLinks   []extVirtualLink[map[string]*cpConfig] `json:"extVirtualLinks" param:"required"`
	VimConnectionInfo map[string]json.RawMessage             `json:"vimConnectionInfo"`
	AdditionalParams  extConnParams                          `json:"additionalParams"`
}

type extConnParams struct {
	nfvParams
	patienceParam
}

// changeVnfPkgV2 is SOL003 v3.3.1 clause 5.5.2.11a.
type changeVnfPkgV2 struct {
	VnfdID                    string         `json:"vnfdId" param:"required"`
	AdditionalParams          map[string]any `json:"additionalParams"`
	Extensions                map[string]any `json:"extensions"`
	VnfConfigurableProperties map[string]any `json:"vnfConfigurableProperties"`
}

type vimConnectionPatch struct {
	vimConnection
	VimType string `json:"vimType"`
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

func check[T any](body []byte) error {
	_, err := rest.Decode[T](body)
	return err
}
