// Package lifecycle says what an operation will do, before it begins. Steps says which steps the operation has. For
// says what a scaling, a healing or an operating changes. Both use the request, the VNFD and the present parts of the
// VNF. The package is pure: the API server plans to refuse what is not possible, and the worker plans to act.
package lifecycle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Facts are the input of a plan.
type Facts struct {
	Instance lcm.VnfInstance
	Flavour  *descriptor.Flavour
	// Drivers work on the VNF's servers, in the order in which the VNFD names them; often there is none.
	Drivers []VnfDriver
	// Managed are networks that replace internal virtual links; the deployment does not make them.
	Managed []lcm.ExtManagedVirtualLink
	// Links are the known external links of a VNF that does not exist yet.
	Links []lcm.ExtVirtualLink
	// Unhealthy maps the names of nodes that do not work to the reason, as a clause. These nodes go first.
	Unhealthy map[string]string
	// APIVersion is the version of the request, 1 or 2; 0 counts as 1. It decides what a heal of an entire VNF keeps if
	// the request does not say.
	APIVersion int
	// Graceful is set when a termination first shuts the servers down, or when a stop drains the nodes.
	Graceful bool
	// TerminatesVnfs is set when the termination of a cluster terminates the VNFs on it first.
	TerminatesVnfs bool
	// ChangesVim is set when the request changes the VNF's VIM connection.
	ChangesVim bool
	// ChangesRegistries is set when a modification changes the registries of a cluster that is in use.
	ChangesRegistries bool
	// VnfPkgID is the package of the VNF after an operation that gives it another flavour, or another package. Flavour is
	// what the VNF has then. FormerFlavour and FormerDrivers are what it has before.
	VnfPkgID      lcm.VnfPkgID
	FormerFlavour *descriptor.Flavour
	FormerDrivers []VnfDriver
	// Images is set if any flavour of the VNFD carries images: the VNF may have had that flavour.
	Images bool
	// VimTypes are the types of the VNF's VIM connections, if they choose among several kinds of VIMs.
	VimTypes []string
	// Scripts says what to do with scripts of the package.
	Scripts lcm.ScriptPolicy
}

// For makes the plan of an operation with this request. An error is Invalid with the members' JSON paths, or Conflict
// when only the VNF's present state forbids the plan.
func For(f Facts, r lcm.Request) (lcm.Plan, error) {
	if r == nil {
		return lcm.Plan{}, lcm.Errorf(lcm.KindBug, "There is no plan without a request.")
	}
	op := r.Operation()
	k, ok := kinds[op]
	switch {
	case !ok:
		return lcm.Plan{}, lcm.Errorf(lcm.KindBug, "There is no plan for %s.", op)
	case !k.decides:
		return k.plan(f, r)
	}
	if err := f.ready(op); err != nil {
		return lcm.Plan{}, err
	}
	if f.Instance.Instantiated.BetweenFlavours && !k.settles {
		return lcm.Plan{}, lcm.Errorf(lcm.KindConflict, "The VNF instance %s has parts of two deployment flavours, since a "+
			"change of its flavour was given up. Change its flavour again, or back, or terminate it.", f.Instance.ID)
	}
	if err := f.refused(lcm.Plan{Operation: op}); err != nil {
		return lcm.Plan{}, err
	}
	p, err := k.plan(f, r)
	if err == nil {
		err = f.checkAddresses(p)
	}
	if err != nil {
		return p, err
	}
	return p, f.refused(p)
}

// ready refuses an operation that the VNF's present state forbids.
func (f Facts) ready(op lcm.Operation) error {
	if err := f.instantiated(); err != nil {
		return err
	}
	if op.Type().Started && f.Instance.Instantiated.VnfState == lcm.VnfStopped {
		return lcm.Errorf(lcm.KindConflict,
			"The VNF instance %s is stopped: start it first (operate, with changeStateTo STARTED).", f.Instance.ID)
	}
	return nil
}

func (f Facts) instantiated() error {
	if f.Instance.Instantiated == nil {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated.", f.Instance.ID)
	}
	return nil
}

// impossible is the beginning of errors with problems.
const impossible = "The request cannot be carried out"

func invalid(path, format string, args ...any) error {
	return lcm.InvalidAll(impossible,
		[]lcm.Problem{{Path: path, Detail: lcm.Errorf(lcm.KindInvalid, format, args...).Detail}})
}

// Sizes are the numbers of servers of each VDU, now or, before an instantiation, after it.
func (f Facts) Sizes(p lcm.Plan) map[string]int {
	out := map[string]int{}
	if f.Instance.Instantiated == nil {
		for _, g := range p.Groups {
			out[g.VduID] = g.To
		}
		return out
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		out[v.VduID]++
	}
	return out
}

// vnfcs are the VMs of a VDU. If each is a resource of its own, as in Tacker, they are in the order of their numbers.
// Else they are in the order of their creation.
func (f Facts) vnfcs(vdu string) []lcm.VnfcResourceInfo {
	var out []lcm.VnfcResourceInfo
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if v.VduID == vdu {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b lcm.VnfcResourceInfo) int {
		first, _ := a.Place()
		second, _ := b.Place()
		return cmp.Or(cmp.Compare(first, second), strings.Compare(made(a), made(b)))
	})
	return out
}

// made is the creation time of a VM, in a form that sorts.
func made(v lcm.VnfcResourceInfo) string {
	at, _ := v.Metadata[lcm.CreationTime].(string)
	return at
}

// Leaving describes a VM that goes.
func (f Facts) Leaving(v lcm.VnfcResourceInfo, why string) lcm.LeavingVnfc {
	out := lcm.LeavingVnfc{
		VnfcID: v.ID, VduID: v.VduID, ServerID: v.ComputeResource.ResourceID, Why: why,
		Pod: f.Flavour != nil && f.Flavour.Hybrid && f.ofContainers(v.VduID),
	}
	for _, node := range f.Instance.Instantiated.Nodes {
		if node.ServerID == out.ServerID {
			out.Node = node.Name
		}
	}
	return out
}

// Vnfc finds a VM of the instance by any of the names that requests use.
func Vnfc(inst lcm.VnfInstance, id string) (lcm.VnfcResourceInfo, bool) {
	if inst.Instantiated == nil {
		return lcm.VnfcResourceInfo{}, false
	}
	return Facts{Instance: inst}.find(id)
}

// find finds the VM that a request names. The name is the VM's id in v1 (vnfcResourceInfo.id) or in v2 (vnfcInfo.id),
// the id of its server, or the name of its node.
func (f Facts) find(id string) (lcm.VnfcResourceInfo, bool) {
	for _, node := range f.Instance.Instantiated.Nodes {
		if node.Name == id {
			id = node.ServerID
		}
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if id == f.Instance.VnfcInfoID(v) {
			return v, true
		}
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if id == v.ID || id == v.VduID+"-"+v.ID || id == v.ComputeResource.ResourceID {
			return v, true
		}
	}
	return lcm.VnfcResourceInfo{}, false
}

// named are the VMs that a request names at path.
func (f Facts) named(path string, ids []string) ([]lcm.VnfcResourceInfo, error) {
	var out []lcm.VnfcResourceInfo
	var problems []lcm.Problem
	for i, id := range ids {
		v, ok := f.find(id)
		switch {
		case !ok:
			problems = append(problems, lcm.Problem{Path: at(path, i), Detail: "the VNF has no VNFC " +
				strings.ToValidUTF8(id, "?")})
		case !slices.ContainsFunc(out, func(o lcm.VnfcResourceInfo) bool { return o.ID == v.ID }):
			out = append(out, v)
		}
	}
	return out, problemsOf(problems)
}

func problemsOf(problems []lcm.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return lcm.InvalidAll(impossible, problems)
}
