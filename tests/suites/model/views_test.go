package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// links are the members of _links.
type links map[string]struct {
	Href string `json:"href"`
}

// opView is a VnfLcmOpOcc as either version of the API represents it.
type opView struct {
	ID               string             `json:"id"`
	Operation        lcm.Operation      `json:"operation"`
	State            lcm.OperationState `json:"operationState"`
	StateEnteredTime time.Time          `json:"stateEnteredTime"`
	StartTime        time.Time          `json:"startTime"`
	VnfInstanceID    string             `json:"vnfInstanceId"`
	GrantID          string             `json:"grantId"`
	IsCancelPending  bool               `json:"isCancelPending"`
	CancelMode       lcm.CancelMode     `json:"cancelMode"`
	Links            links              `json:"_links"`
	Error            *struct {
		Status int    `json:"status"`
		Detail string `json:"detail"`
	} `json:"error"`
	Params struct {
		VnfdID          string          `json:"vnfdId"`
		NewFlavourID    string          `json:"newFlavourId"`
		ChangeStateTo   lcm.VnfState    `json:"changeStateTo"`
		Type            lcm.ScaleType   `json:"type"`
		Metadata        map[string]any  `json:"metadata"`
		Extensions      map[string]any  `json:"extensions"`
		ScaleInfo       []lcm.ScaleInfo `json:"scaleInfo"`
		ExtVirtualLinks []extLink       `json:"extVirtualLinks"`
	} `json:"operationParams"`
}

// extLink is an external link that connection points are on.
type extLink struct {
	ID string `json:"id"`
}

// instView is a VnfInstance as the API represents it.
type instView struct {
	ID       string                 `json:"id"`
	VnfdID   string                 `json:"vnfdId"`
	State    lcm.InstantiationState `json:"instantiationState"`
	Metadata map[string]any         `json:"metadata"`
	Links    links                  `json:"_links"`
	Info     *struct {
		FlavourID          string          `json:"flavourId"`
		VnfState           lcm.VnfState    `json:"vnfState"`
		ScaleStatus        []lcm.ScaleInfo `json:"scaleStatus"`
		ExtVirtualLinkInfo []extLink       `json:"extVirtualLinkInfo"`
		Vnfcs              []struct {
			ID    string `json:"id"`
			VduID string `json:"vduId"`
		} `json:"vnfcResourceInfo"`
	} `json:"instantiatedVnfInfo"`
}

// vdus maps the ids of the VNFCs to their VDUs.
func (i instView) vdus() map[string]string {
	out := map[string]string{}
	if i.Info != nil {
		for _, v := range i.Info.Vnfcs {
			out[v.ID] = v.VduID
		}
	}
	return out
}

// underWay are the states in which an operation is at work, so that it can be cancelled.
var underWay = []lcm.OperationState{lcm.Starting, lcm.Processing, lcm.RollingBack}

// wrong lists where the representation differs from what the standard requires in the operation's state (SOL003 clauses
// 5.5.2.13 and 5.6.2). root is the URL of the API in the version of the request.
func (o opView) wrong(root string) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	self := root + "/vnf_lcm_op_occs/" + o.ID
	want := map[string]string{"self": self, "vnfInstance": root + "/vnf_instances/" + o.VnfInstanceID}
	if slices.Contains(underWay, o.State) && o.CancelMode != lcm.Forceful {
		want["cancel"] = self + "/cancel"
	}
	if o.State == lcm.FailedTemp {
		want["retry"], want["fail"] = self+"/retry", self+"/fail"
		if o.mayRollBack() {
			want["rollback"] = self + "/rollback"
		}
	}
	if grant, ok := o.Links["grant"]; ok && o.GrantID != "" && strings.HasPrefix(grant.Href, "http") {
		want["grant"] = grant.Href
	} else if o.GrantID != "" {
		add("it has a grant, and no link to it")
	}
	list = append(list, o.Links.other(want)...)

	granted := []lcm.Operation{lcm.OpInstantiate, lcm.OpHeal, lcm.OpScale, lcm.OpScaleToLevel, lcm.OpChangeExtConn, lcm.OpChangeFlavour}
	if slices.Contains(granted, o.Operation) && o.GrantID == "" && o.State != lcm.Starting && o.State != lcm.RolledBack {
		add("it has no grant")
	}
	switch o.State {
	case lcm.FailedTemp, lcm.Failed, lcm.RollingBack, lcm.RolledBack:
		if o.Error == nil || o.Error.Detail == "" || o.Error.Status < 400 {
			add("it has no error: %+v", o.Error)
		}
	case lcm.Starting, lcm.Completed:
		if o.Error != nil {
			add("it has an error: %+v", *o.Error)
		}
	default: // PROCESSING: after a retry, the error before it may be there
	}
	if o.IsCancelPending && !slices.Contains(underWay, o.State) {
		add("a cancel is pending")
	}
	if o.IsCancelPending != (o.CancelMode != "") {
		add("isCancelPending is %t, and cancelMode %q", o.IsCancelPending, o.CancelMode)
	}
	if o.StartTime.IsZero() || o.StateEnteredTime.Before(o.StartTime) {
		add("it began at %s, and has been in its state since %s", o.StartTime, o.StateEnteredTime)
	}
	return list
}

// mayRollBack reports whether the operation must offer a rollback in FAILED_TEMP. A TERMINATE never does. For an
// operation that replaces servers this depends on its progress, which the model cannot see, so both are right.
func (o opView) mayRollBack() bool {
	switch o.Operation {
	case lcm.OpTerminate:
		return false
	case lcm.OpInstantiate, lcm.OpOperate, lcm.OpModifyInfo, lcm.OpChangeExtConn:
		return true
	default:
		_, offered := o.Links["rollback"]
		return offered
	}
}

// follows lists why o cannot be a later view of the same operation than before.
func (o opView) follows(before opView) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if before.ID != o.ID {
		return nil
	}
	if !o.StartTime.Equal(before.StartTime) {
		add("startTime was %s, and is %s", before.StartTime, o.StartTime)
	}
	switch {
	case o.StateEnteredTime.Before(before.StateEnteredTime):
		add("stateEnteredTime was %s in %s, and is %s in %s", before.StateEnteredTime, before.State, o.StateEnteredTime,
			o.State)
	case o.StateEnteredTime.Equal(before.StateEnteredTime) != (o.State == before.State) && !o.backIn(before):
		add("stateEnteredTime was %s in %s, and is %s in %s", before.StateEnteredTime, before.State, o.StateEnteredTime,
			o.State)
	}
	if before.State.Terminal() && o.State != before.State {
		add("it was %s, and is %s", before.State, o.State)
	}
	if before.GrantID != "" && o.GrantID != before.GrantID {
		add("grantId was %s, and is %s", before.GrantID, o.GrantID)
	}
	return list
}

// backIn reports whether the operation has left its state and entered it again.
func (o opView) backIn(before opView) bool {
	return o.State == before.State && o.StateEnteredTime.After(before.StateEnteredTime) && !o.State.Terminal() &&
		o.State != lcm.Starting
}

// wrong lists where the representation differs from what the standard requires in the instance's state (SOL003 clause
// 5.5.2.2).
func (i instView) wrong(root string) (list []string) {
	self := root + "/vnf_instances/" + i.ID
	tasks := map[string]string{"instantiate": "instantiate"}
	if i.State == lcm.Instantiated {
		tasks = map[string]string{"terminate": "terminate", "operate": "operate", "changeExtConn": "change_ext_conn"}
		if i.Info != nil && i.Info.VnfState == lcm.VnfStarted {
			tasks["heal"], tasks["scale"], tasks["scaleToLevel"] = "heal", "scale", "scale_to_level"
			tasks["changeFlavour"] = "change_flavour"
		}
	}
	want := map[string]string{"self": self}
	for name, task := range tasks {
		want[name] = self + "/" + task
	}
	list = i.Links.other(want)
	if (i.Info != nil) != (i.State == lcm.Instantiated) {
		list = append(list, fmt.Sprintf("it is %s, and instantiatedVnfInfo is %+v", i.State, i.Info))
	}
	if i.Info != nil && i.Info.VnfState != lcm.VnfStarted && i.Info.VnfState != lcm.VnfStopped {
		list = append(list, fmt.Sprintf("vnfState is %q", i.Info.VnfState))
	}
	return list
}

// other lists the links that are missing, superfluous or lead elsewhere.
func (l links) other(want map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if l[name].Href != want[name] {
			list = append(list, fmt.Sprintf("its link %s is %q, not %q", name, l[name].Href, want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if _, ok := want[name]; !ok {
			list = append(list, fmt.Sprintf("it has a link %s to %s", name, l[name].Href))
		}
	}
	return list
}

// eventsWrong lists where the events of an operation, in their order, differ from the figure of clause 5.6.2.2, and
// from the times and errors that the states require.
func eventsWrong(op lcm.Operation, events []lcm.OperationEvent) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	states := make([]lcm.OperationState, 0, len(events))
	for i, e := range events {
		states = append(states, e.State)
		failed := slices.Contains([]lcm.OperationState{lcm.FailedTemp, lcm.Failed, lcm.RollingBack, lcm.RolledBack}, e.State)
		if failed && e.Error == nil || e.Error != nil && (e.State == lcm.Starting || e.State == lcm.Completed) {
			add("%s has the error %v", e.State, e.Error)
		}
		if e.IsCancelPending && !slices.Contains(underWay, e.State) || e.IsCancelPending != (e.CancelMode != "") {
			add("%s: isCancelPending is %t, cancelMode %q", e.State, e.IsCancelPending, e.CancelMode)
		}
		if i == 0 {
			continue
		}
		last := events[i-1]
		if stayed := e.State == last.State; stayed != e.StateEnteredTime.Equal(last.StateEnteredTime) ||
			e.StateEnteredTime.Before(last.StateEnteredTime) {
			add("%s since %s, then %s since %s", last.State, last.StateEnteredTime, e.State, e.StateEnteredTime)
		}
	}
	if len(states) == 0 || !follows(op, states) {
		add("it went through %v", states)
	}
	return list
}
