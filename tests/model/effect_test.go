package model

import "github.com/windlass-nfv/windlass/internal/lcm"

// vnf is what operations make of a VNF instance.
type vnf struct {
	instantiated bool
	stopped      bool
	label        string // what the last modification has put into the metadata
}

// labelKey is the member of the metadata that modifications change.
const labelKey = "by"

// vnf is the VNF as its resource shows it.
func (i instView) vnf() vnf {
	label, _ := i.Metadata[labelKey].(string)
	return vnf{instantiated: i.State == lcm.Instantiated, stopped: i.Info != nil && i.Info.VnfState == lcm.VnfStopped, label: label}
}

// after is what the VNF may be when the operation is where it is: nothing of it counts before it is over (SOL003 clauses 5.4.4 to
// 5.4.10).
func (o opView) after(before vnf) []vnf {
	done := before
	switch o.Operation {
	case lcm.OpInstantiate, lcm.OpHeal:
		done.instantiated, done.stopped = true, false
	case lcm.OpTerminate:
		done.instantiated, done.stopped = false, false
	case lcm.OpOperate:
		done.stopped = o.Params.ChangeStateTo == lcm.VnfStopped
	case lcm.OpModifyInfo:
		done.label, _ = o.Params.Metadata[labelKey].(string)
	default:
	}
	switch {
	case o.State == lcm.Completed:
		return []vnf{done}
	case o.State == lcm.Failed && o.Operation == lcm.OpOperate: // the server may have been switched before it was given up
		return []vnf{before, done}
	default:
		return []vnf{before}
	}
}
