// Package nfvo talks to the other side of the northbound API: to subscribers, who get notifications about VNFs, and to
// the NFVO.
package nfvo

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

// notification is any of the three of SOL003 clauses 5.5.2.17 to 5.5.2.19, or of the two of clauses 10.5.2.5 and
// 10.5.2.6.
type notification struct {
	ID               string               `json:"id"`
	NotificationType lcm.NotificationType `json:"notificationType"`
	SubscriptionID   lcm.SubscriptionID   `json:"subscriptionId"`
	TimeStamp        time.Time            `json:"timeStamp"`
	VnfInstanceID    lcm.VnfInstanceID    `json:"vnfInstanceId,omitempty"`
	*occurrence
	*packageChange
	Links map[string]link `json:"_links"`
}

// occurrence holds the members that only operations have.
type occurrence struct {
	NotificationStatus    string             `json:"notificationStatus"` // START or RESULT
	OperationState        lcm.OperationState `json:"operationState"`
	Operation             lcm.Operation      `json:"operation"`
	IsAutomaticInvocation bool               `json:"isAutomaticInvocation"`
	Verbosity             lcm.Verbosity      `json:"verbosity,omitempty"` // v3.3.1 only
	VnfLcmOpOccID         lcm.OpOccID        `json:"vnfLcmOpOccId"`
	*lcm.ResourceChanges
	ChangedInfo map[string]any `json:"changedInfo,omitempty"`
	// PackageChanges are the changes that came with another package (CHANGE_VNFPKG), in v2 only.
	PackageChanges map[string]any `json:"modificationsTriggeredByVnfPkgChange,omitempty"`

	ChangedExtConnectivity []lcm.ExtVirtualLinkInfo `json:"changedExtConnectivity,omitempty"`
	Error                  *problem.Details         `json:"error,omitempty"`
}

// packageChange holds the members that only packages have.
type packageChange struct {
	VnfPkgID         lcm.VnfPkgID `json:"vnfPkgId"`
	VnfdID           lcm.VnfdID   `json:"vnfdId"`
	ChangeType       string       `json:"changeType,omitempty"`
	OperationalState string       `json:"operationalState,omitempty"`
}

type link struct {
	Href string `json:"href"`
}

// notificationOf makes the body that the subscriber gets, in the version of its subscription.
func notificationOf(s lcm.Subscription, e lcm.VnfEvent) notification {
	if e.OfPackage() {
		return packageNotificationOf(s, e)
	}
	root := s.Endpoint + "/vnflcm/" + map[int]string{1: "v1", 2: "v2"}[s.APIVersion]
	n := notification{
		ID: e.ID, NotificationType: e.Type, SubscriptionID: s.ID, TimeStamp: e.At.UTC(), VnfInstanceID: e.VnfInstanceID,
		Links: map[string]link{
			"vnfInstance":  {root + "/vnf_instances/" + string(e.VnfInstanceID)},
			"subscription": {root + "/subscriptions/" + string(s.ID)},
		},
	}
	if e.Type != lcm.NotifyOperation {
		return n
	}
	n.Links["vnfLcmOpOcc"] = link{root + "/vnf_lcm_op_occs/" + string(e.OpOccID)}
	n.occurrence = &occurrence{
		NotificationStatus: "RESULT", OperationState: e.State, Operation: e.Operation,
		IsAutomaticInvocation: e.IsAutomaticInvocation, VnfLcmOpOccID: e.OpOccID,
	}
	if e.State.Starts() {
		n.NotificationStatus = "START"
	}
	if s.APIVersion == 2 {
		n.Verbosity = s.Verbosity
	}
	n.Error = problem.OfOperation(e.Error)
	if s.Verbosity == lcm.VerbosityShort { // an error is no detail of a change
		return n
	}
	if !e.Operation.Type().Repackages {
		n.ChangedInfo = e.ChangedInfo.Shown(s.APIVersion)
	} else if s.APIVersion == 2 {
		n.PackageChanges = e.ChangedInfo.Shown(s.APIVersion)
	}
	n.ChangedExtConnectivity = e.Connectivity.ChangedLinkInfo(s.APIVersion)
	n.ResourceChanges = e.ResourceChanges.Shown(s.APIVersion)
	return n
}

func packageNotificationOf(s lcm.Subscription, e lcm.VnfEvent) notification {
	root := s.Endpoint + "/vnfpkgm/v1"
	n := notification{
		ID: e.ID, NotificationType: e.Type, SubscriptionID: s.ID, TimeStamp: e.At.UTC(),
		packageChange: &packageChange{VnfPkgID: e.VnfPkgID, VnfdID: e.VnfdID, ChangeType: e.ChangeType},
		Links: map[string]link{
			"vnfPackage":   {root + "/vnf_packages/" + string(e.VnfPkgID)},
			"subscription": {root + "/subscriptions/" + string(s.ID)},
		},
	}
	if e.ChangeType == lcm.PkgOpStateChange { // it is of no other change
		n.OperationalState = e.OperationalState
	}
	return n
}
