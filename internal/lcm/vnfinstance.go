package lcm

import (
	"encoding/json"
	"time"
)

// DeploymentName is the VIM's name for a VNF's deployment, and for its load balancer.
func DeploymentName(id VnfInstanceID) string { return "vnf-" + string(id) }

// VnfInstance is SOL003 clause 5.5.2.2, independent of the API's version.
type VnfInstance struct {
	ID                 VnfInstanceID
	ProjectID          ProjectID // set by the database
	Name               string
	Description        string
	VnfdID             VnfdID
	VnfPkgID           VnfPkgID
	Provider           string
	ProductName        string
	SoftwareVersion    string
	VnfdVersion        string
	InstantiationState InstantiationState
	Metadata           map[string]any
	// Extensions and ConfigurableProperties are the VNF's own key-value pairs; Windlass only stores them.
	Extensions             map[string]any
	ConfigurableProperties map[string]any
	// VimConnections is a map in v2 and a list in v1; here it is a list ordered by ID.
	VimConnections []VimConnectionInfo
	// Instantiated is nil in NOT_INSTANTIATED.
	Instantiated *InstantiatedVnfInfo
	Created      time.Time
	Updated      time.Time
	// Version grows by one with every change; the ETag is made from it.
	Version int64
}

// VimConnectionInfo is SOL003 clause 4.4.1.6. Secrets in its maps are {"$secret": ref}.
type VimConnectionInfo struct {
	ID            string         `json:"id"`
	VimID         VimID          `json:"vimId,omitempty"`
	VimType       string         `json:"vimType"`
	InterfaceInfo map[string]any `json:"interfaceInfo,omitempty"`
	AccessInfo    map[string]any `json:"accessInfo,omitempty"`
	Extra         map[string]any `json:"extra,omitempty"`
}

// InstantiatedVnfInfo is SOL003 clause 5.5.2.2, member instantiatedVnfInfo.
type InstantiatedVnfInfo struct {
	FlavourID            string                       `json:"flavourId"`
	InstantiationLevelID string                       `json:"instantiationLevelId,omitempty"`
	LocalizationLanguage string                       `json:"localizationLanguage,omitempty"`
	VnfState             VnfState                     `json:"vnfState"`
	ScaleStatus          []ScaleInfo                  `json:"scaleStatus,omitempty"`
	MaxScaleLevels       []ScaleInfo                  `json:"maxScaleLevels,omitempty"`
	ExtCps               []VnfExtCpInfo               `json:"extCpInfo,omitempty"`
	VnfcResources        []VnfcResourceInfo           `json:"vnfcResourceInfo,omitempty"`
	VirtualStorages      []VirtualStorageResourceInfo `json:"virtualStorageResourceInfo,omitempty"`
	// VirtualLinks are the VNF's own networks.
	VirtualLinks []VnfVirtualLinkResourceInfo `json:"virtualLinkResourceInfo,omitempty"`
	// Attached are the volumes and ports of the VNFCs, and the networks of the deployment. It is nil when the last record
	// of the VNF is from a release without this member.
	Attached []AttachedResource `json:"attached,omitempty"`
	// NetworksSeen is set when Attached includes the networks; before that, the VNF's networks are unknown.
	NetworksSeen bool `json:"networksSeen,omitempty"`
	// DeploymentID is the id of the deployment; Tacker calls it instance_id.
	DeploymentID string `json:"stackId,omitempty"`
	// ExtVirtualLinks are the links of the instantiate request: a new VM is connected like the first ones.
	ExtVirtualLinks []ExtVirtualLink `json:"extVirtualLinks,omitempty"`
	// ExtManagedVirtualLinks are those of the instantiate request, or of its grant, for the same reason.
	ExtManagedVirtualLinks []ExtManagedVirtualLink `json:"extManagedVirtualLinks,omitempty"`
	// AdditionalParams are those of the instantiate request, sealed; day-2 operations read them.
	AdditionalParams json.RawMessage `json:"additionalParams,omitempty"`
	// Granted holds the choices of NFVOs for the VNF; nil when there was no choice.
	Granted *GrantedChoices `json:"granted,omitempty"`
	// Nodes are the cluster's nodes, when the VNF is a cluster.
	Nodes Nodes `json:"nodes,omitempty"`
	// Storage is the cluster's storage server, nil when it has none.
	Storage *StorageServer `json:"storage,omitempty"`
	// Balancers are the external load balancers, servers in front of the cluster. It is also empty when the last record
	// of the VNF is from a release without this member.
	Balancers Nodes `json:"balancers,omitempty"`
	// ClusterVimID is the Kubernetes VIM that the cluster is registered as, "" for none.
	ClusterVimID VimID `json:"clusterVimId,omitempty"`
	// ExposedPorts are the Service ports that the load balancer of the VNF's cluster serves.
	ExposedPorts []int `json:"exposedPorts,omitempty"`
	// BetweenFlavours is set after a change of the deployment flavour that was given up: the deployment may have parts of
	// both flavours.
	BetweenFlavours bool `json:"betweenFlavours,omitempty"`
	// Stopped are the VNFCs that an OPERATE stopped and none has started since.
	Stopped []StoppedVnfc `json:"stopped,omitempty"`
}

// ScaleInfo is SOL003 clause 5.5.3.4.
type ScaleInfo struct {
	AspectID   string `json:"aspectId"`
	ScaleLevel int    `json:"scaleLevel"`
}

// VnfExtCpInfo is the part of SOL003 clause 5.5.3.9 that Windlass knows.
type VnfExtCpInfo struct {
	ID    string `json:"id"`
	CpdID string `json:"cpdId"`
	// CpProtocolInfo are its addresses. It is nil when the last record of the VNF is from a release without this member.
	CpProtocolInfo []CpProtocolInfo `json:"cpProtocolInfo,omitempty"`
	// ExtLinkPortID is the id of the port: the VIM's id of a port that the deployment made, or the request's id of a
	// given port. It is "" when the connection point is not a VNFC's.
	ExtLinkPortID string `json:"extLinkPortId,omitempty"`
	// PortID is the VIM's id of a given port, "" for others.
	PortID string `json:"portId,omitempty"`
	// PortType is the VIM's type of the port (vimLevelResourceType).
	PortType string `json:"portType,omitempty"`
	// AssociatedVnfcCpID is the VNFC's connection point that is made external.
	AssociatedVnfcCpID string `json:"associatedVnfcCpId,omitempty"`
}

// ResourceHandle is SOL003 clause 4.4.1.7.
type ResourceHandle struct {
	VimConnectionID      string `json:"vimConnectionId,omitempty"`
	ResourceID           string `json:"resourceId"`
	VimLevelResourceType string `json:"vimLevelResourceType,omitempty"`
}

// VnfcResourceInfo is SOL003 clause 5.5.3.5.
type VnfcResourceInfo struct {
	ID              string         `json:"id"`
	VduID           string         `json:"vduId"`
	ComputeResource ResourceHandle `json:"computeResource"`
	ZoneID          string         `json:"zoneId,omitempty"`
	StorageIDs      []string       `json:"storageResourceIds,omitempty"`
	CpInfo          []VnfcCpInfo   `json:"vnfcCpInfo,omitempty"`
	Metadata        map[string]any `json:"metadata,omitempty"`
	// ConfigurableProperties are the VNFC's; the API shows them in VnfcInfo (ShownVnfcResources).
	ConfigurableProperties map[string]any `json:"vnfcConfigurableProperties,omitempty"`
}

// AttachedResource is a volume, a port or a network of a VNFC. Grants name the resources that go with the VNFC.
type AttachedResource struct {
	// VnfcID is "" for a network of the VNF as a whole.
	VnfcID string `json:"vnfcId"`
	Type   string `json:"type"` // GrantStorage, GrantLinkPort or GrantLink
	// TemplateID is its virtual storage, connection point or virtual link in the VNFD, "" when the Base HOT has another
	// name for it.
	TemplateID string `json:"templateId,omitempty"`
	ResourceID string `json:"resourceId"`
	// VimType is the VIM's type of the resource (vimLevelResourceType).
	VimType string `json:"vimType,omitempty"`
}

// VirtualStorageResourceInfo is SOL003 clause 5.5.3.7.
type VirtualStorageResourceInfo struct {
	ID                   string         `json:"id"`
	VirtualStorageDescID string         `json:"virtualStorageDescId"`
	StorageResource      ResourceHandle `json:"storageResource"`
}

// VnfLcmOpOcc is SOL003 clause 5.5.2.13.
type VnfLcmOpOcc struct {
	ID                    OpOccID
	ProjectID             ProjectID // the project of its instance
	VnfInstanceID         VnfInstanceID
	Operation             Operation
	State                 OperationState
	StateEnteredTime      time.Time
	StartTime             time.Time
	GrantID               string
	IsAutomaticInvocation bool
	IsCancelPending       bool
	CancelMode            CancelMode
	// Request is the request in the canonical form of package requests, sealed; nil in the rows of releases before it.
	Request json.RawMessage
	// Params is the request's body as it was sent, sealed: for operationParams and for scripts of packages.
	Params json.RawMessage
	// APIVersion is 1 or 2, the /vnflcm root of the request; it sets the form of Params.
	APIVersion      int
	Error           *Error
	ResourceChanges *ResourceChanges
	// ChangedInfo holds the changes of a completed MODIFY_INFO, or the package of a CHANGE_VNFPKG.
	ChangedInfo *VnfInfoModifications
	// OfVersion, when not 0, is the instance version that the request was made for; it is not stored.
	OfVersion int64
	// RegistersVim is the VIM name under which a new operation registers a cluster, if any. Others see it in the
	// database only.
	RegistersVim VimName
	// ForwardOnly is set when rollback is no longer possible.
	ForwardOnly bool
	// Plan holds the decisions of a scaling or a healing, nil until they are made.
	Plan *Plan
	// Granted says whether there is a grant. GrantHref is its link at the NFVO, "" for a grant of Windlass's own.
	Granted   bool
	GrantHref string
	// Step is the title of the current step, or of the failed step.
	Step string
	// Sequence is the number of the last record: a late or repeated record changes nothing.
	Sequence int64
}

// Vim is a VIM of the registry at /v1.0/vims.
type Vim struct {
	ID          VimID
	ProjectID   ProjectID // set by the database
	Name        string
	Description string
	Type        string // "openstack" or "kubernetes"
	AuthURL     string
	// AuthCred are the credentials; their secrets are {"$secret": ref}.
	AuthCred map[string]any
	// Project is vim_project: {"name": ..., "project_domain_name": ...}.
	Project   map[string]any
	Regions   []string
	IsDefault bool
	Status    string // VimReachable, VimUnreachable or VimPending
	Check     VimCheck
	Extra     map[string]any
	Created   time.Time
	Updated   time.Time
}

// The types of VIMs.
const (
	VimOpenStack  = "openstack"
	VimKubernetes = "kubernetes"
)
