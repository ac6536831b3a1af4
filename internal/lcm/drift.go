package lcm

import (
	"fmt"
	"slices"
	"time"
)

// DriftKind says in what a VNF differs from what it should be.
type DriftKind string

// The kinds of drift. DriftRule tells what can be done about each.
const (
	DriftVimUnreachable          DriftKind = "VIM_UNREACHABLE"
	DriftHealGivenUp             DriftKind = "HEAL_GIVEN_UP"
	DriftDeploymentMissing       DriftKind = "STACK_MISSING"
	DriftDeploymentStatus        DriftKind = "STACK_STATUS"
	DriftDeploymentMemberMissing DriftKind = "STACK_MEMBER_MISSING"
	DriftDeploymentMemberUnknown DriftKind = "STACK_MEMBER_UNKNOWN"
	DriftScaleLevel              DriftKind = "SCALE_LEVEL_DIFFERS"
	DriftBalancerMissing         DriftKind = "LOAD_BALANCER_MISSING"
	DriftBalancerStatus          DriftKind = "LOAD_BALANCER_STATUS"
	DriftServerMissing           DriftKind = "SERVER_MISSING"
	DriftServerError             DriftKind = "SERVER_ERROR"
	DriftServerStopped           DriftKind = "SERVER_STOPPED"
	DriftServerStatus            DriftKind = "SERVER_STATUS"
	DriftNodeUnreachable         DriftKind = "NODE_UNREACHABLE"
	DriftClusterUnreachable      DriftKind = "CLUSTER_UNREACHABLE"
	DriftNodeObjectMissing       DriftKind = "NODE_OBJECT_MISSING"
	DriftNodeObjectUnknown       DriftKind = "NODE_OBJECT_UNKNOWN"
	DriftNodeNotReady            DriftKind = "NODE_NOT_READY"
	DriftNodeCordoned            DriftKind = "NODE_CORDONED"
	DriftEtcdQuorumLost          DriftKind = "ETCD_QUORUM_LOST"
	DriftEtcdMemberMissing       DriftKind = "ETCD_MEMBER_MISSING"
	DriftEtcdMemberUnknown       DriftKind = "ETCD_MEMBER_UNKNOWN"
	DriftEtcdMemberUnhealthy     DriftKind = "ETCD_MEMBER_UNHEALTHY"
	DriftEtcdMemberLearner       DriftKind = "ETCD_MEMBER_LEARNER"
	DriftHAProxyConfiguration    DriftKind = "HAPROXY_CONFIGURATION"
	DriftHAProxyStopped          DriftKind = "HAPROXY_STOPPED"
	DriftKeepalivedStopped       DriftKind = "KEEPALIVED_STOPPED"
	DriftVirtualIPMissing        DriftKind = "VIRTUAL_IP_MISSING"
	DriftVirtualIPDoubled        DriftKind = "VIRTUAL_IP_DOUBLED"
	DriftVirtualIPUnreachable    DriftKind = "VIRTUAL_IP_UNREACHABLE"
	DriftNodeCADiffers           DriftKind = "NODE_CA_DIFFERS"
	DriftRegisteredCADiffers     DriftKind = "REGISTERED_CA_DIFFERS"
	DriftClusterVimUnregistered  DriftKind = "CLUSTER_VIM_UNREGISTERED"
)

// Remedy is the smallest operation that mends a finding.
type Remedy string

// The remedies.
const (
	RemedyVnfc Remedy = "HEAL_VNFC" // a heal of the VNFC
	RemedyVnf  Remedy = "HEAL_VNF"  // nothing less than a heal of the entire VNF
	RemedyNone Remedy = "NONE"      // no operation: a person must look
)

// DriftRule is what can be done about a kind of drift.
type DriftRule struct {
	Remedy Remedy
	// Automatic is set for what a policy may heal by itself: the VNFC does not do its work any more. What still works,
	// and only differs, is left to people: to replace a VM costs more than such a difference.
	Automatic bool
}

// DriftRules lists every kind.
var DriftRules = map[DriftKind]DriftRule{
	DriftVimUnreachable:          {RemedyNone, false},
	DriftHealGivenUp:             {RemedyVnf, false},
	DriftDeploymentMissing:       {RemedyVnf, false},
	DriftDeploymentStatus:        {RemedyNone, false},
	DriftDeploymentMemberMissing: {RemedyVnfc, false},
	DriftDeploymentMemberUnknown: {RemedyNone, false},
	DriftScaleLevel:              {RemedyNone, false},
	DriftBalancerMissing:         {RemedyNone, false},
	DriftBalancerStatus:          {RemedyNone, false},
	DriftServerMissing:           {RemedyVnfc, true},
	DriftServerError:             {RemedyVnfc, true},
	DriftServerStopped:           {RemedyVnfc, true},
	DriftServerStatus:            {RemedyNone, false},
	DriftNodeUnreachable:         {RemedyNone, false},
	DriftClusterUnreachable:      {RemedyVnf, false},
	DriftNodeObjectMissing:       {RemedyVnfc, true},
	DriftNodeObjectUnknown:       {RemedyNone, false},
	DriftNodeNotReady:            {RemedyVnfc, true},
	DriftNodeCordoned:            {RemedyNone, false},
	DriftEtcdQuorumLost:          {RemedyVnf, false},
	DriftEtcdMemberMissing:       {RemedyVnfc, true},
	DriftEtcdMemberUnknown:       {RemedyNone, false},
	DriftEtcdMemberUnhealthy:     {RemedyVnfc, true},
	DriftEtcdMemberLearner:       {RemedyVnfc, false},
	DriftHAProxyConfiguration:    {RemedyVnfc, false},
	DriftHAProxyStopped:          {RemedyVnfc, false},
	DriftKeepalivedStopped:       {RemedyVnfc, false},
	DriftVirtualIPMissing:        {RemedyNone, false},
	DriftVirtualIPDoubled:        {RemedyNone, false},
	DriftVirtualIPUnreachable:    {RemedyNone, false},
	DriftNodeCADiffers:           {RemedyVnfc, false},
	DriftRegisteredCADiffers:     {RemedyVnf, false},
	DriftClusterVimUnregistered:  {RemedyVnf, false},
}

// DriftFinding is one difference between what should be and what is seen.
type DriftFinding struct {
	Kind DriftKind `json:"kind"`
	// VnfcInstanceID is the VNFC that it is about, "" when it is about none or about the VNF as a whole.
	VnfcInstanceID string `json:"vnfcInstanceId,omitempty"`
	Node           string `json:"node,omitempty"`
	// Detail is a sentence for the operator. It never quotes what was read on a node: that could be a secret.
	Detail    string `json:"detail"`
	Remedy    Remedy `json:"remedy"`
	Automatic bool   `json:"automatic"`
	// Checks is in how many checks in a row it was found, this one included. A notification of the VNFC's server counts
	// as one.
	Checks int `json:"checks"`
}

// Same reports whether two findings, of different checks, are of the same thing.
func (f DriftFinding) Same(o DriftFinding) bool {
	return f.Kind == o.Kind && f.VnfcInstanceID == o.VnfcInstanceID && f.Node == o.Node
}

// DriftPolicy says when a VNF is checked for drift and what follows. The zero value is not valid; see
// DefaultDriftPolicy.
type DriftPolicy struct {
	// Check is set when the VNF is checked every Interval.
	Check bool `json:"check"`
	// Interval is the seconds between two checks.
	Interval int `json:"interval"`
	// AutoHeal is set when VNFCs that do not work are healed without being asked for, whatever led to the check.
	AutoHeal bool `json:"autoHeal"`
	// AgreeingChecks is in how many checks in a row a VNFC must be found out of order before it is healed.
	AgreeingChecks int `json:"agreeingChecks"`
	// MaxHeals is how many automatic heals may begin within MaxHealsPeriod, in seconds.
	MaxHeals       int `json:"maxHeals"`
	MaxHealsPeriod int `json:"maxHealsPeriod"`
}

// DefaultDriftPolicy is that of a VNF instance for which nobody has set one: nothing happens by itself.
func DefaultDriftPolicy() DriftPolicy {
	return DriftPolicy{Interval: 300, AgreeingChecks: 2, MaxHeals: 3, MaxHealsPeriod: 3600}
}

// The limits of policies. A check takes seconds, longer with nodes that do not answer.
const (
	minDriftInterval, maxDriftInterval = 10, 86400
	maxAgreeingChecks                  = 10
	maxHeals                           = 100
	minHealsPeriod, maxHealsPeriod     = 60, 7 * 86400
)

// Validate is Invalid with every member that is out of bounds.
func (p DriftPolicy) Validate() error {
	var problems []Problem
	within := func(member string, value, least, most int) {
		if value < least || value > most {
			problems = append(problems, Problem{
				Path:   "$." + member,
				Detail: fmt.Sprintf("it must be between %d and %d", least, most),
			})
		}
	}
	within("interval", p.Interval, minDriftInterval, maxDriftInterval)
	within("agreeingChecks", p.AgreeingChecks, 1, maxAgreeingChecks)
	within("maxHeals", p.MaxHeals, 1, maxHeals)
	within("maxHealsPeriod", p.MaxHealsPeriod, minHealsPeriod, maxHealsPeriod)
	return InvalidAll("The policy has mistakes", problems)
}

// DriftTrigger is what led to a check.
type DriftTrigger string

// The triggers.
const (
	DriftBySchedule     DriftTrigger = "SCHEDULE"
	DriftByRequest      DriftTrigger = "REQUEST"
	DriftByNotification DriftTrigger = "NOTIFICATION"
)

// DriftAction is what a check has led to.
type DriftAction string

// The actions.
const (
	DriftNothing DriftAction = "NOTHING" // there is nothing to heal, or the policy does not heal
	DriftWaits   DriftAction = "WAITS"   // the next check decides
	DriftHeals   DriftAction = "HEALS"   // a heal has begun
	DriftRefuses DriftAction = "REFUSES" // a heal would be due but is not possible: a person must decide
)

// DriftDecision is what follows from a check, and why.
type DriftDecision struct {
	Action DriftAction `json:"action"`
	// Reason is a sentence.
	Reason string `json:"reason"`
	// VnfcInstanceIDs are the VNFCs that are healed.
	VnfcInstanceIDs []string `json:"vnfcInstanceIds,omitempty"`
	// OpOccID is the heal.
	OpOccID OpOccID `json:"vnfLcmOpOccId,omitempty"`
}

// DriftReport is the outcome of one check.
type DriftReport struct {
	// ID is the check's: a report with the id of the last one replaces nothing.
	ID        string         `json:"id"`
	Trigger   DriftTrigger   `json:"trigger"`
	CheckedAt time.Time      `json:"checkedAt"`
	Findings  []DriftFinding `json:"findings"`
	Decision  DriftDecision  `json:"decision"`
	// VirtualIPHolder is the control plane that holds the virtual IP, "" when there is none, or not exactly one.
	VirtualIPHolder string `json:"virtualIpHolder,omitempty"`
}

// Following counts, in the report's findings, those of the check before on. notified are servers of which somebody has
// told that they are out of order: one more who says so.
func (r DriftReport) Following(last *DriftReport, notified []string) DriftReport {
	r.Findings = slices.Clone(r.Findings)
	for i, f := range r.Findings {
		r.Findings[i].Checks = 1
		if slices.Contains(notified, f.VnfcInstanceID) && f.VnfcInstanceID != "" {
			r.Findings[i].Checks++
		}
		if last == nil {
			continue
		}
		if j := slices.IndexFunc(last.Findings, f.Same); j >= 0 {
			r.Findings[i].Checks = max(last.Findings[j].Checks+1, r.Findings[i].Checks)
		}
	}
	return r
}

// Drift is what Windlass keeps of an instance's checks.
type Drift struct {
	VnfInstanceID VnfInstanceID
	Policy        DriftPolicy
	// Report is that of the last check, nil before the first.
	Report *DriftReport
}

// WorkflowDrift is the name of the workflow that checks one VNF instance for drift.
const WorkflowDrift WorkflowName = "CheckDrift"

// DriftInput starts the workflow of a check.
type DriftInput struct {
	VnfInstanceID VnfInstanceID `json:"vnfInstanceId"`
	Trigger       DriftTrigger  `json:"trigger"`
	// Servers are those that were notified and not yet looked at when the workflow was continued as a new one.
	Servers []string `json:"servers,omitempty"`
}

// SignalServerNotified tells a check by notification of a server, by its id.
const SignalServerNotified = "serverNotified"

// DriftScheduleID is the id of the schedule of an instance's checks, and the beginning of those of their workflows.
func DriftScheduleID(id VnfInstanceID) string { return "drift-" + string(id) }

// DriftWorkflowID is the id of a check that no schedule has started: that by notification, of which there is one at a
// time, or the beginning of those by request.
func DriftWorkflowID(id VnfInstanceID, trigger DriftTrigger) string {
	if trigger == DriftByNotification {
		return "drift-notified-" + string(id)
	}
	return "drift-now-" + string(id)
}
