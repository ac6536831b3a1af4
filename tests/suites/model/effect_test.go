package model

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// vnf is the state of a VNF as far as operations change it.
type vnf struct {
	servers      bool
	vnfd         string // the id of its VNFD
	instantiated bool
	stopped      bool
	level        int    // scale level of the aspect, 0 while it is not instantiated
	flavour      string // "" while it is not instantiated
	link         string // the link that its connection points are on, "" while it is not instantiated
	label        string // what the last modification has put into the metadata
}

// labelKey is the member of the metadata that modifications change.
const labelKey = "by"

// misfitting is a value of an extension that the VNFD does not allow.
const misfitting = "loud"

// vnf returns the VNF as its resource shows it.
func (i instView) vnf() vnf {
	out := vnf{vnfd: i.VnfdID, instantiated: i.State == lcm.Instantiated}
	out.label, _ = i.Metadata[labelKey].(string)
	if i.Info == nil {
		return out
	}
	out.stopped, out.flavour = i.Info.VnfState == lcm.VnfStopped, i.Info.FlavourID
	for _, s := range i.Info.ScaleStatus {
		out.level = s.ScaleLevel
	}
	for _, link := range i.Info.ExtVirtualLinkInfo {
		out.link += link.ID
	}
	return out
}

// after returns the states that the VNF may be in while the operation is in its state. An operation changes the VNF
// only when it has ended (SOL003 clauses 5.4.4 to 5.4.11). The list is empty when the operation must not be in that
// state. With uneven, the servers may differ from the scale level.
func (o opView) after(before vnf, uneven bool) []vnf {
	done := before
	switch o.Operation {
	case lcm.OpInstantiate:
		done.instantiated, done.stopped, done.level, done.link, done.flavour = true, false, 0, networks[0], "simple"
		if !before.servers {
			done.link = ""
		}
	case lcm.OpHeal:
		done.stopped = false
	case lcm.OpTerminate:
		done.instantiated, done.stopped, done.level, done.link, done.flavour = false, false, 0, "", ""
	case lcm.OpOperate:
		done.stopped = o.Params.ChangeStateTo == lcm.VnfStopped
	case lcm.OpScale:
		done.level++
		if o.Params.Type == lcm.ScaleIn {
			done.level = before.level - 1
		}
	case lcm.OpScaleToLevel:
		for _, to := range o.Params.ScaleInfo {
			done.level = to.ScaleLevel
		}
	case lcm.OpChangeExtConn:
		for _, to := range o.Params.ExtVirtualLinks {
			done.link = to.ID
		}
	case lcm.OpChangeVnfPkg:
		done.vnfd = o.Params.VnfdID
	case lcm.OpChangeFlavour:
		done.flavour, done.level = o.Params.NewFlavourID, 0
	case lcm.OpModifyInfo:
		done.label, _ = o.Params.Metadata[labelKey].(string)
	default:
	}
	misfits := o.Params.Extensions["logLevel"] == misfitting
	switch {
	case misfits && o.State != lcm.Processing && o.State != lcm.RolledBack:
		return nil
	case o.State == lcm.Failed && o.leavesUneven(), o.State == lcm.Completed && uneven && o.Operation != lcm.OpTerminate &&
		o.Operation != lcm.OpModifyInfo:
		return anyOf(before, done)
	case o.State == lcm.Failed && o.Operation == lcm.OpChangeExtConn:
		// The VNF's record follows Neutron, which may have changed or not.
		return []vnf{before, done}
	case o.State == lcm.Completed:
		return []vnf{done}
	default:
		return []vnf{before}
	}
}

// leavesUneven reports whether the operation, when it becomes FAILED, may leave other servers than the scale level
// requires.
func (o opView) leavesUneven() bool {
	return slices.Contains([]lcm.Operation{
		lcm.OpOperate, lcm.OpScale, lcm.OpScaleToLevel, lcm.OpHeal, lcm.OpChangeVnfPkg, lcm.OpChangeFlavour,
	}, o.Operation)
}

// remakes reports whether the operation, if it is about the entire VNF, replaces everything that was there.
func (o opView) remakes() bool {
	return slices.Contains([]lcm.Operation{lcm.OpInstantiate, lcm.OpHeal, lcm.OpTerminate}, o.Operation)
}

// anyOf returns each of these VNFs with every scale level, running and stopped: some servers may have been made,
// removed or switched.
func anyOf(list ...vnf) (out []vnf) {
	for _, v := range list {
		for v.level = 0; v.level <= mostLevel; v.level++ {
			for _, v.stopped = range []bool{false, true} {
				out = append(out, v)
			}
		}
	}
	return out
}
