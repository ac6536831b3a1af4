package lcm

import (
	"fmt"
	"slices"
	"time"
)

// DriftKind is the kind of a difference between a VNF and its wanted state.
type DriftKind string

// The kinds of drift. DriftRule holds the remedy for each.
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

// Remedy is the smallest operation that repairs a finding.
type Remedy string

// The remedies.
const (
	RemedyVnfc Remedy = "HEAL_VNFC" // a heal of the VNFC
	RemedyVnf  Remedy = "HEAL_VNF"  // only a heal of the entire VNF helps
	RemedyNone Remedy = "NONE"      // no operation: a person must look
)

// DriftRule says how to repair a kind of drift.
type DriftRule struct {
	Remedy Remedy
	// Automatic allows a policy to heal this kind without a person: the VNFC does not do its work any more. A VNFC that
	// works and only differs is left to people, because replacing a VM costs more than the difference.
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

// DriftFinding is one difference between the wanted and the seen state.
type DriftFinding struct {
	Kind DriftKind `json:"kind"`
	// VnfcInstanceID is the VNFC of the finding, "" when it concerns none or the VNF as a whole.
	VnfcInstanceID string `json:"vnfcInstanceId,omitempty"`
	Node           string `json:"node,omitempty"`
	// Detail is a sentence for the operator. It never quotes data that was read on a node, as that could be a secret.
	Detail    string `json:"detail"`
	Remedy    Remedy `json:"remedy"`
	Automatic bool   `json:"automatic"`
	// Checks is the number of consecutive checks with this finding, including this one. A notification about the VNFC's
	// server counts as one.
	Checks int `json:"checks"`
}

// Same reports whether findings of two checks describe the same difference.
func (f DriftFinding) Same(o DriftFinding) bool {
	return f.Kind == o.Kind && f.VnfcInstanceID == o.VnfcInstanceID && f.Node == o.Node
}

// DriftPolicy says when Windlass checks a VNF for drift and how it reacts. The zero value is not valid; see
// DefaultDriftPolicy.
type DriftPolicy struct {
	// Check makes Windlass check the VNF every Interval.
	Check bool `json:"check"`
	// Interval is the seconds between two checks.
	Interval int `json:"interval"`
	// AutoHeal makes Windlass heal broken VNFCs without a request, whatever triggered the check.
	AutoHeal bool `json:"autoHeal"`
	// AgreeingChecks is the number of consecutive checks that must find a VNFC out of order before it is healed.
	AgreeingChecks int `json:"agreeingChecks"`
	// MaxHeals is the largest number of automatic heals that may begin within MaxHealsPeriod, in seconds.
	MaxHeals       int `json:"maxHeals"`
	MaxHealsPeriod int `json:"maxHealsPeriod"`
}

// DefaultDriftPolicy is the policy of a VNF instance without a policy of its own. It neither checks nor heals
// automatically.
func DefaultDriftPolicy() DriftPolicy {
	return DriftPolicy{Interval: 300, AgreeingChecks: 2, MaxHeals: 3, MaxHealsPeriod: 3600}
}

// The limits of policies. A check takes seconds, or longer when nodes do not answer.
const (
	minDriftInterval, maxDriftInterval = 10, 86400
	maxAgreeingChecks                  = 10
	maxHeals                           = 100
	minHealsPeriod, maxHealsPeriod     = 60, 7 * 86400
)

// Validate returns an Invalid error that lists every member out of bounds.
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

// DriftTrigger is the cause of a check.
type DriftTrigger string

// The triggers.
const (
	DriftBySchedule     DriftTrigger = "SCHEDULE"
	DriftByRequest      DriftTrigger = "REQUEST"
	DriftByNotification DriftTrigger = "NOTIFICATION"
)

// DriftAction is the result of a check.
type DriftAction string

// The actions.
const (
	DriftNothing DriftAction = "NOTHING" // there is nothing to heal, or the policy does not heal
	DriftWaits   DriftAction = "WAITS"   // the next check decides
	DriftHeals   DriftAction = "HEALS"   // a heal has begun
	DriftRefuses DriftAction = "REFUSES" // a heal would be due but is not possible: a person must decide
)

// DriftDecision is the action after a check, with the reason.
type DriftDecision struct {
	Action DriftAction `json:"action"`
	// Reason is a sentence.
	Reason string `json:"reason"`
	// VnfcInstanceIDs are the healed VNFCs.
	VnfcInstanceIDs []string `json:"vnfcInstanceIds,omitempty"`
	// OpOccID is the heal.
	OpOccID OpOccID `json:"vnfLcmOpOccId,omitempty"`
}

// DriftReport is the outcome of one check.
type DriftReport struct {
	// ID is the check's id. A report with the id of the last report replaces nothing.
	ID        string         `json:"id"`
	Trigger   DriftTrigger   `json:"trigger"`
	CheckedAt time.Time      `json:"checkedAt"`
	Findings  []DriftFinding `json:"findings"`
	Decision  DriftDecision  `json:"decision"`
	// VirtualIPHolder is the control plane that holds the virtual IP, "" unless exactly one does.
	VirtualIPHolder string `json:"virtualIpHolder,omitempty"`
}

// Following returns the report with the counts of its findings continued from the check before. notified are servers
// that somebody reported as out of order: each report counts like one more check.
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

// Drift is the stored result of an instance's checks.
type Drift struct {
	VnfInstanceID VnfInstanceID
	Policy        DriftPolicy
	// Report is the report of the last check, nil before the first check.
	Report *DriftReport
}

// WorkflowDrift is the name of the workflow that checks one VNF instance for drift.
const WorkflowDrift WorkflowName = "CheckDrift"

// DriftInput starts the workflow of a check.
type DriftInput struct {
	VnfInstanceID VnfInstanceID `json:"vnfInstanceId"`
	Trigger       DriftTrigger  `json:"trigger"`
	// Servers are the notified servers that were still unchecked when the workflow continued as new.
	Servers []string `json:"servers,omitempty"`
}

// SignalServerNotified is the signal that tells a check the id of a notified server.
const SignalServerNotified = "serverNotified"

// DriftScheduleID is the id of the schedule of an instance's checks. The ids of the schedule's workflows begin with it.
func DriftScheduleID(id VnfInstanceID) string { return "drift-" + string(id) }

// DriftWorkflowID is the workflow id of a check that no schedule started. By notification, only one check runs at a
// time, and this is its id. By request, it is the beginning of the id.
func DriftWorkflowID(id VnfInstanceID, trigger DriftTrigger) string {
	if trigger == DriftByNotification {
		return "drift-notified-" + string(id)
	}
	return "drift-now-" + string(id)
}
