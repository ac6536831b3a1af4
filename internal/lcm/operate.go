package lcm

import (
	"slices"
	"time"
)

// VnfState says whether a VNF, or one of its VNFCs, runs (SOL003 clause 5.5.4.3 VnfOperationalStateType).
type VnfState string

// The states of SOL003 clause 5.5.4.3.
const (
	VnfStarted VnfState = "STARTED"
	VnfStopped VnfState = "STOPPED"
)

// OperateRequest is SOL003 clause 5.5.2.10 with the member vnfcInstanceId of SOL002. Without vnfcInstanceId, it is for
// the entire VNF.
type OperateRequest struct {
	VnfcInstanceID      []string   `json:"vnfcInstanceId,omitempty"`
	ChangeStateTo       VnfState   `json:"changeStateTo"`
	StopType            CancelMode `json:"stopType,omitempty"` // FORCEFUL when it is not given
	GracefulStopTimeout *int       `json:"gracefulStopTimeout,omitempty"`
	// VnfcIDs, of additionalParams, means the same as vnfcInstanceId; it is for clients that know only SOL003.
	VnfcIDs []string `json:"vnfcIds,omitempty"`
	Waits
}

// Graceful reports whether the VNFCs are taken out of service before they stop.
func (r OperateRequest) Graceful() bool {
	return r.ChangeStateTo == VnfStopped && r.StopType == Graceful
}

// GracePeriod is how long a graceful stop waits until the VNFCs are out of service.
func (r OperateRequest) GracePeriod() time.Duration {
	return TerminateRequest{GracefulTerminationTimeout: r.GracefulStopTimeout}.GracePeriod()
}

// StoppedVnfc is a VNFC that was stopped on purpose.
type StoppedVnfc struct {
	VnfcID string `json:"vnfcId"`
	// Cordoned is set when the VNFC's node was drained first. The node takes pods again when it starts.
	Cordoned bool `json:"cordoned,omitempty"`
}

// StateOf returns STOPPED for a VNFC that was stopped on purpose.
func (i *InstantiatedVnfInfo) StateOf(vnfc string) VnfState {
	if i != nil && slices.ContainsFunc(i.Stopped, func(s StoppedVnfc) bool { return s.VnfcID == vnfc }) {
		return VnfStopped
	}
	return VnfStarted
}

// Cordoned reports whether the node of that VNFC was drained when it was stopped.
func (i *InstantiatedVnfInfo) Cordoned(vnfc string) bool {
	return i != nil && slices.ContainsFunc(i.Stopped, func(s StoppedVnfc) bool { return s.VnfcID == vnfc && s.Cordoned })
}

// StoppedServers are the servers of the VNFCs that were stopped on purpose, in order.
func (i *InstantiatedVnfInfo) StoppedServers() (servers []string) {
	if i == nil {
		return nil
	}
	for _, v := range i.VnfcResources {
		if i.StateOf(v.ID) == VnfStopped {
			servers = append(servers, v.ComputeResource.ResourceID)
		}
	}
	return servers
}

// Switch records that VNFCs were started or stopped; cordoned are those with a drained node. The VNF is STOPPED when
// all of its VNFCs are.
func (i *InstantiatedVnfInfo) Switch(to VnfState, vnfcs, cordoned []string) {
	i.Stopped = slices.DeleteFunc(slices.Clone(i.Stopped), func(s StoppedVnfc) bool {
		return to == VnfStarted && slices.Contains(vnfcs, s.VnfcID)
	})
	for _, id := range vnfcs {
		if to == VnfStopped && i.StateOf(id) != VnfStopped {
			i.Stopped = append(i.Stopped, StoppedVnfc{VnfcID: id, Cordoned: slices.Contains(cordoned, id)})
		}
	}
	i.settleState()
}

// KeepStopped copies the stopped VNFCs from before, as far as they still exist.
func (i *InstantiatedVnfInfo) KeepStopped(before *InstantiatedVnfInfo) {
	if before == nil {
		return
	}
	i.Stopped = nil
	for _, s := range before.Stopped {
		if slices.ContainsFunc(i.VnfcResources, func(v VnfcResourceInfo) bool { return v.ID == s.VnfcID }) {
			i.Stopped = append(i.Stopped, s)
		}
	}
	i.settleState()
}

func (i *InstantiatedVnfInfo) settleState() {
	i.VnfState = VnfStarted
	runs := func(v VnfcResourceInfo) bool { return i.StateOf(v.ID) == VnfStarted }
	if len(i.VnfcResources) > 0 && !slices.ContainsFunc(i.VnfcResources, runs) {
		i.VnfState = VnfStopped
	}
}
