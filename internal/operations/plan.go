package operations

import (
	"cmp"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Plan returns the operation's stored plan, or else the plan that would be decided now.
func (o *Operation) Plan(unhealthy map[string]string) (lcm.Plan, error) {
	if o.OpOcc.Plan != nil {
		return *o.OpOcc.Plan, nil
	}
	return o.PlanOf(o.Own, unhealthy)
}

// PlanOf returns the plan of an operation with that request.
func (o *Operation) PlanOf(request lcm.Request, unhealthy map[string]string) (lcm.Plan, error) {
	facts, err := o.Facts(unhealthy)
	if err != nil {
		return lcm.Plan{}, err
	}
	return lifecycle.For(facts, request)
}

// Facts returns the input for plans and grants.
func (o *Operation) Facts(unhealthy map[string]string) (lifecycle.Facts, error) {
	facts := lifecycle.Facts{
		Instance: o.Instance, Flavour: o.Flavour, Unhealthy: unhealthy, Managed: o.Request.ExtManagedVirtualLinks,
		Links: o.Request.ExtVirtualLinks, APIVersion: o.OpOcc.APIVersion, ChangesVim: len(o.ChangedConnections()) > 0,
		ChangesRegistries: o.ChangesRegistries(), Scripts: o.scripts, VimTypes: o.vimTypes,
	}
	switch r := o.Own.(type) {
	case lcm.TerminateRequest:
		facts.Graceful, facts.TerminatesVnfs = r.Graceful(), r.TerminatesVnfs
	case lcm.OperateRequest:
		facts.Graceful = r.Graceful()
	}
	o.changing(&facts)
	facts.Images = o.Vnfd != nil && slices.ContainsFunc(o.Vnfd.Flavours, func(f descriptor.Flavour) bool {
		return len(f.PackagedImages()) > 0
	})
	var err error
	facts.Drivers, err = o.Drivers()
	return facts, err
}

// Drivers returns the VNF's drivers, in the order of its VNFD.
func (o *Operation) Drivers() ([]lifecycle.VnfDriver, error) { return driver.Usable(o.Bound()) }

// Bound returns the VNF's drivers with the mistakes in their parameters.
func (o *Operation) Bound() []driver.Bound {
	if o.bound == nil {
		o.bind()
	}
	return o.bound
}

func (o *Operation) bind() { o.bound = all.Drivers.Bind(o.Flavour, o.Request.AdditionalParams) }

// Planned returns the part of an operation that an NFVO grants.
func (o *Operation) Planned() (lifecycle.Facts, lcm.Plan, error) {
	facts, err := o.Facts(nil)
	if err != nil {
		return facts, lcm.Plan{}, err
	}
	if p := o.OpOcc.Plan; p != nil && lifecycle.Decides(o.OpOcc.Operation) {
		return facts, *p, nil
	}
	p, err := lifecycle.For(facts, o.Own)
	return facts, p, err
}

// Servers returns the ids of the VNF's recorded servers.
func (o *Operation) Servers() []string {
	var out []string
	if o.Instance.Instantiated != nil {
		for _, v := range o.Instance.Instantiated.VnfcResources {
			out = append(out, v.ComputeResource.ResourceID)
		}
	}
	return out
}

// Recorded returns the number of recorded VNFCs of each VDU.
func (o *Operation) Recorded() map[string]int {
	out := map[string]int{}
	for _, vdu := range o.Flavour.Vdus {
		out[vdu.ID] = 0
	}
	for _, v := range o.Instance.Instantiated.VnfcResources {
		out[v.VduID]++
	}
	return out
}

// Capacity returns the number of VNFCs of each VDU that the VNF has, or will have after its instantiation.
func (o *Operation) Capacity() (map[string]int, error) {
	if o.Instance.Instantiated != nil {
		return o.keptSizes()
	}
	return o.Flavour.Capacity(o.Request.InstantiationLevelID)
}

// ScaledCapacity returns the number of VMs of each VDU at the VNF's levels: at its instantiation level, else at its
// scale levels. It omits VDUs whose recorded number differs: after a scaling by steps, an instantiation level no longer
// matches, and that is no drift. Without levels in the VNFD it returns nil.
func (o *Operation) ScaledCapacity() map[string]int {
	info := o.Instance.Instantiated
	if info == nil || len(o.Flavour.Aspects) == 0 {
		return nil
	}
	levels := map[string]int{}
	for _, s := range info.ScaleStatus {
		levels[s.AspectID] = s.ScaleLevel
	}
	capacity, err := o.Flavour.CapacityAt(levels)
	if info.InstantiationLevelID != "" {
		capacity, err = o.Flavour.Capacity(info.InstantiationLevelID)
	}
	if err != nil {
		return nil
	}
	out := map[string]int{}
	for vdu, n := range o.Recorded() {
		if capacity[vdu] == n {
			out[vdu] = n
		}
	}
	return out
}

// Levels returns the instantiation level and the scale status after the operation.
func (o *Operation) Levels() (string, []lcm.ScaleInfo) {
	if p := o.OpOcc.Plan; p != nil {
		return p.InstantiationLevelID, p.ScaleStatus
	}
	return cmp.Or(o.Request.InstantiationLevelID, o.Flavour.DefaultLevel),
		o.Flavour.ScaleStatus(o.Request.InstantiationLevelID)
}
