package vnflcm

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

// vnfInstanceView is VnfInstance of either version (SOL003 clause 5.5.2.2).
type vnfInstanceView struct {
	ID                     lcm.VnfInstanceID      `json:"id"`
	VnfInstanceName        string                 `json:"vnfInstanceName,omitempty"`
	VnfInstanceDescription string                 `json:"vnfInstanceDescription,omitempty"`
	VnfdID                 lcm.VnfdID             `json:"vnfdId"`
	VnfProvider            string                 `json:"vnfProvider"`
	VnfProductName         string                 `json:"vnfProductName"`
	VnfSoftwareVersion     string                 `json:"vnfSoftwareVersion"`
	VnfdVersion            string                 `json:"vnfdVersion"`
	VnfPkgID               lcm.VnfPkgID           `json:"vnfPkgId,omitempty"`
	VimConnectionInfo      any                    `json:"vimConnectionInfo,omitempty"`
	InstantiationState     lcm.InstantiationState `json:"instantiationState"`
	InstantiatedVnfInfo    *instantiatedView      `json:"instantiatedVnfInfo,omitempty"`
	Metadata               map[string]any         `json:"metadata,omitempty"`
	Extensions             map[string]any         `json:"extensions,omitempty"`
	ConfigurableProperties map[string]any         `json:"vnfConfigurableProperties,omitempty"`
	Links                  map[string]rest.Link   `json:"_links"`
}

type instantiatedView struct {
	FlavourID        string                           `json:"flavourId"`
	VnfState         lcm.VnfState                     `json:"vnfState"`
	ScaleStatus      []lcm.ScaleInfo                  `json:"scaleStatus,omitempty"`
	MaxScaleLevels   []lcm.ScaleInfo                  `json:"maxScaleLevels,omitempty"`
	ExtCpInfo        []extCpView                      `json:"extCpInfo,omitempty"`
	ExtVirtualLinks  []lcm.ExtVirtualLinkInfo         `json:"extVirtualLinkInfo,omitempty"`
	ManagedLinks     []lcm.ExtManagedVirtualLinkInfo  `json:"extManagedVirtualLinkInfo,omitempty"`
	Localization     string                           `json:"localizationLanguage,omitempty"`
	VnfcResourceInfo []lcm.VnfcResourceInfo           `json:"vnfcResourceInfo,omitempty"`
	VirtualLinks     []lcm.VnfVirtualLinkResourceInfo `json:"virtualLinkResourceInfo,omitempty"`
	VirtualStorages  []lcm.VirtualStorageResourceInfo `json:"virtualStorageResourceInfo,omitempty"`
	VnfcInfo         []vnfcView                       `json:"vnfcInfo,omitempty"`
}

type extCpView struct {
	ID             string               `json:"id"`
	CpdID          string               `json:"cpdId"`
	CpConfigID     string               `json:"cpConfigId"`
	CpProtocolInfo []lcm.CpProtocolInfo `json:"cpProtocolInfo"`
	// ExtLinkPortID is an item of extVirtualLinkInfo's extLinkPorts.
	ExtLinkPortID string `json:"extLinkPortId,omitempty"`
	// AssociatedVnfcCpID is the VNFC's connection point that is made external.
	AssociatedVnfcCpID string `json:"associatedVnfcCpId"`
}

// vnfcView is SOL002's VnfcInfo; a heal request of v3.3.1 names its ids.
type vnfcView struct {
	ID                 string       `json:"id"`
	VduID              string       `json:"vduId"`
	VnfcResourceInfoID string       `json:"vnfcResourceInfoId"`
	VnfcState          lcm.VnfState `json:"vnfcState"`

	ConfigurableProperties map[string]any `json:"vnfcConfigurableProperties,omitempty"`
}

func (d *dialect) vnfInstance(base string, i lcm.VnfInstance) vnfInstanceView {
	self := base + d.Prefix + "/vnf_instances/" + string(i.ID)
	v := vnfInstanceView{
		ID: i.ID, VnfInstanceName: i.Name, VnfInstanceDescription: i.Description, VnfdID: i.VnfdID, VnfProvider: i.Provider,
		VnfProductName: i.ProductName, VnfSoftwareVersion: i.SoftwareVersion, VnfdVersion: i.VnfdVersion,
		VimConnectionInfo: d.vimConnections(i.VimConnections), InstantiationState: i.InstantiationState,
		InstantiatedVnfInfo: d.instantiated(i), Metadata: i.Metadata,
		Extensions: i.Extensions, ConfigurableProperties: i.ConfigurableProperties,
		Links: map[string]rest.Link{"self": {Href: self}},
	}
	if d.vnfPkgID {
		v.VnfPkgID = i.VnfPkgID
	}
	for _, t := range lcm.Operations {
		if t.Link != "" && t.Supported() && t.Since <= d.Number && fits(t, i) {
			v.Links[t.Link] = rest.Link{Href: self + "/" + t.Task}
		}
	}
	return v
}

// fits tells whether an instance has the state and the parts that an operation needs.
func fits(t lcm.OperationType, i lcm.VnfInstance) bool {
	stopped := i.Instantiated != nil && i.Instantiated.VnfState == lcm.VnfStopped
	return t.Needs == i.InstantiationState && !(t.Started && stopped) && (!t.Scaling || scales(i.Instantiated))
}

// scales tells whether the VNF has anything to scale: a scaling aspect in its VNFD.
func scales(i *lcm.InstantiatedVnfInfo) bool {
	return i != nil && len(i.ScaleStatus)+len(i.MaxScaleLevels) > 0
}

func (d *dialect) instantiated(inst lcm.VnfInstance) *instantiatedView {
	i := inst.Instantiated
	if i == nil {
		return nil
	}
	v := &instantiatedView{
		FlavourID: i.FlavourID, VnfState: i.VnfState, ScaleStatus: i.ScaleStatus, MaxScaleLevels: i.MaxScaleLevels,
		VnfcResourceInfo: i.ShownVnfcResources(), VirtualStorages: i.VirtualStorages, Localization: i.LocalizationLanguage,
		VirtualLinks:    i.ShownLinks(d.Number),
		ExtVirtualLinks: i.LinkInfo(d.Number),
		ManagedLinks:    lcm.ManagedLinkInfo(i.ExtManagedVirtualLinks, i.VimConnectionID()),
	}
	for _, cp := range i.ExtCps {
		v.ExtCpInfo = append(v.ExtCpInfo, extCpView{
			ID: cp.ID, CpdID: cp.CpdID, CpConfigID: i.CpConfigID(cp),
			CpProtocolInfo: append([]lcm.CpProtocolInfo{}, cp.CpProtocolInfo...),
			ExtLinkPortID:  cp.ExtLinkPortID, AssociatedVnfcCpID: cmp.Or(cp.AssociatedVnfcCpID, cp.ID),
		})
	}
	for _, r := range i.VnfcResources {
		if d.vnfcInfo {
			v.VnfcInfo = append(v.VnfcInfo, vnfcView{
				ID: inst.VnfcInfoID(r), VduID: r.VduID, VnfcResourceInfoID: r.ID, VnfcState: i.StateOf(r.ID),
				ConfigurableProperties: r.ConfigurableProperties,
			})
		}
	}
	return v
}

// opOccView is VnfLcmOpOcc of either version (SOL003 clause 5.5.2.13).
type opOccView struct {
	ID                    lcm.OpOccID          `json:"id"`
	OperationState        lcm.OperationState   `json:"operationState"`
	StateEnteredTime      time.Time            `json:"stateEnteredTime"`
	StartTime             time.Time            `json:"startTime"`
	VnfInstanceID         lcm.VnfInstanceID    `json:"vnfInstanceId"`
	GrantID               string               `json:"grantId,omitempty"`
	Operation             lcm.Operation        `json:"operation"`
	IsAutomaticInvocation bool                 `json:"isAutomaticInvocation"`
	OperationParams       json.RawMessage      `json:"operationParams,omitempty"`
	IsCancelPending       bool                 `json:"isCancelPending"`
	CancelMode            lcm.CancelMode       `json:"cancelMode,omitempty"`
	Error                 *rest.ProblemDetails `json:"error,omitempty"`
	ResourceChanges       *lcm.ResourceChanges `json:"resourceChanges,omitempty"`
	ChangedInfo           map[string]any       `json:"changedInfo,omitempty"`
	PackageChanges        map[string]any       `json:"modificationsTriggeredByVnfPkgChange,omitempty"`

	ChangedExtConnectivity []lcm.ExtVirtualLinkInfo `json:"changedExtConnectivity,omitempty"`
	Links                  map[string]rest.Link     `json:"_links"`
}

func (d *dialect) opOcc(base string, o lcm.VnfLcmOpOcc) (opOccView, error) {
	params, err := d.operationParams(o.Params)
	if err != nil {
		return opOccView{}, err
	}
	self := base + d.Prefix + "/vnf_lcm_op_occs/" + string(o.ID)
	v := opOccView{
		ID: o.ID, OperationState: o.State, StateEnteredTime: o.StateEnteredTime.UTC(), StartTime: o.StartTime.UTC(),
		VnfInstanceID: o.VnfInstanceID, GrantID: o.GrantID, Operation: o.Operation,
		IsAutomaticInvocation: o.IsAutomaticInvocation,
		OperationParams:       params, IsCancelPending: o.IsCancelPending, CancelMode: o.CancelMode,
		Error:           problem.OfStep(o.Error, o.State, o.Step),
		ResourceChanges: o.ResourceChanges.Shown(d.Number), ChangedInfo: o.ChangedInfo.Shown(d.Number),
		ChangedExtConnectivity: o.Connectivity().ChangedLinkInfo(d.Number),
		Links: map[string]rest.Link{
			"self": {Href: self}, "vnfInstance": {Href: base + d.Prefix + "/vnf_instances/" + string(o.VnfInstanceID)},
		},
	}
	if o.Operation.Type().Repackages {
		v.ChangedInfo, v.PackageChanges = nil, nil
		if d.packageChanges {
			v.PackageChanges = o.ChangedInfo.Shown(d.Number)
		}
	}
	if o.Granted { // the NFVO's, or where Windlass shows its own
		v.Links["grant"] = rest.Link{Href: cmp.Or(o.GrantHref, base+"/windlass/v1/vnf_lcm_op_occs/"+string(o.ID)+"/grant")}
	}
	for _, a := range []lcm.Action{lcm.Retry, lcm.Rollback, lcm.Fail, lcm.Cancel} {
		if o.State.Accepts(a) && hasTask(o, a) && (a != lcm.Rollback || !o.ForwardOnly) &&
			(a != lcm.Cancel || o.CancelMode != lcm.Forceful) {
			v.Links[string(a)] = rest.Link{Href: self + "/" + string(a)}
		}
	}
	return v, nil
}
