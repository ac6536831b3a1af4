package lifecycle

import (
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Hook is a place in an operation where drivers contribute steps: SOL001's Vnflcm interface (clause 6.7) names an
// implementation for the start and the end of each operation. The steps of the infrastructure stand between them.
type Hook string

// The hooks. In SOL001 the start of a scaling is before servers leave, and its end after servers have come, as Tacker
// has them; a SCALE_TO_LEVEL may have both, and then servers come first. Scripts of packages want to know of the
// beginning and the end of every scaling, which are hooks of their own. A heal of an entire VNF has those of a
// termination and an instantiation.
const (
	InstantiateStart Hook = "instantiate_start"
	InstantiateEnd   Hook = "instantiate_end"
	TerminateStart   Hook = "terminate_start"
	TerminateEnd     Hook = "terminate_end"
	ScaleBegin       Hook = "scale_begin"
	ScaleStart       Hook = "scale_start"
	ScaleEnd         Hook = "scale_end"
	ScaleDone        Hook = "scale_done"
	HealStart        Hook = "heal_start"
	HealEnd          Hook = "heal_end"
	OperateBegin     Hook = "operate_begin" // before anything stops or starts
	OperateDone      Hook = "operate_done"  // after everything has
	OperateStart     Hook = "operate_start" // before the servers that are no driver's own stop
	OperateEnd       Hook = "operate_end"   // after they have started
	ModifyStart      Hook = "modify_information_start"
	ModifyEnd        Hook = "modify_information_end"
	ExtConnStart     Hook = "change_external_connectivity_start"
	ExtConnEnd       Hook = "change_external_connectivity_end"
	PackageStart     Hook = "change_current_package_start"
	PackageEnd       Hook = "change_current_package_end"
)

// Driver makes something of the servers of one VNF, with the parameters of that VNF. Package driver knows all of them.
// What only some drivers have to do with is in the optional interfaces below.
type Driver interface {
	// Name is the one that a VNFD names the driver with.
	Name() string
	// Steps are those that the driver contributes at a hook of an operation that carries out p, none where it has
	// nothing to do there. Their ids are unique among all drivers, and the infrastructure's.
	Steps(at Hook, f Facts, p lcm.Plan) []Step
	// Check says what of a plan the driver refuses, before anything is touched: an Invalid or a Conflict. It is asked
	// twice, before the request is read, when the plan has the operation only, and when the plan is made.
	Check(f Facts, p lcm.Plan) error
}

// Substitute is a driver that does the work of a step of the infrastructure itself, e.g. takes nodes out of their
// cluster before their servers are deleted.
type Substitute interface {
	// Instead are the steps in the place of s; false leaves s where it is.
	Instead(s Step, f Facts, p lcm.Plan) ([]Step, bool)
}

// Healer is a driver that says how a VNF is healed of which the request names no VNFC.
type Healer interface {
	// HealsInPlace tells whether all servers may be replaced in the infrastructure that is there. When they may not, the
	// entire VNF is made anew.
	HealsInPlace(req lcm.HealRequest) bool
}

// VolumeKeeper is a driver that decides what becomes of volumes when their servers are replaced. Those of all other
// VDUs are kept, unless the request says otherwise.
type VolumeKeeper interface {
	// OwnsVolumes tells whether the driver decides about the volumes of that VDU.
	OwnsVolumes(f Facts, vduID string) bool
	// PlanVolumes adds to the plan of a heal what becomes of them.
	PlanVolumes(f Facts, p *lcm.Plan, req lcm.HealRequest)
}

// Fixer is a driver that cannot do without some parts of a VNF as they are.
type Fixer interface {
	// NotScaled says why servers of a VDU are not scaled, as a clause; "" when they are.
	NotScaled(f Facts, vduID string) string
	// NotReconnected says why a connection point stays on its network, as sentences; "" when it need not.
	NotReconnected(cpdID string) string
}

// Access is how a server is reached by SSH.
type Access struct {
	User string
	// PrivateKey is preferred to Password where both are given.
	Password, PrivateKey lcm.Secret
	// HostPort is where a server answers that is none of the VNF's, "" for those that are.
	HostPort string
	Login    time.Duration // how long a login may take
	SSH      time.Duration // how long a server may take until it answers
}

// Reacher is a driver that logs in to servers.
type Reacher interface {
	// Access is how the servers of a role are reached; false for a role that the driver does not have.
	Access(role lcm.Role) (Access, bool)
}

// Deployer is a driver whose VNFs may take another time to be deployed than others.
type Deployer interface {
	// DeployTimeout is how long the VIM may take for a deployment, or a change of it; 0 for the default.
	DeployTimeout() time.Duration
}

// DeployTimeout is the longest of those that drivers want, 0 when none does.
func DeployTimeout(drivers []Driver) (longest time.Duration) {
	for d := range only[Deployer](drivers) {
		longest = max(longest, d.DeployTimeout())
	}
	return longest
}

// AccessTo is how the servers of a role are reached, as the first of the drivers says that has the role.
func AccessTo(drivers []Driver, role lcm.Role) (Access, bool) {
	for d := range only[Reacher](drivers) {
		if a, ok := d.Access(role); ok {
			return a, true
		}
	}
	return Access{}, false
}

// driversAt are the steps of all drivers at a hook, in the order in which the VNFD names the drivers.
func (l listing) driversAt(at Hook) (out []Step) {
	for _, d := range l.facts.Drivers {
		out = append(out, d.Steps(at, l.facts, l.plan)...)
	}
	return out
}

// infrastructure are steps of the infrastructure, or what a driver does in their place.
func (l listing) infrastructure(list ...Step) (out []Step) {
	for _, s := range list {
		out = append(out, l.instead(s)...)
	}
	return out
}

func (l listing) instead(s Step) []Step {
	for d := range only[Substitute](l.facts.Drivers) {
		if steps, ok := d.Instead(s, l.facts, l.plan); ok {
			return steps
		}
	}
	return []Step{s}
}

// only are the drivers of a kind.
func only[D any](drivers []Driver) func(yield func(D) bool) {
	return func(yield func(D) bool) {
		for _, d := range drivers {
			if of, ok := d.(D); ok && !yield(of) {
				return
			}
		}
	}
}

// refused is what the first driver says that does not carry out the plan.
func (f Facts) refused(p lcm.Plan) error {
	for _, d := range f.Drivers {
		if err := d.Check(f, p); err != nil {
			return err
		}
	}
	return nil
}

// notScaled says why servers of a VDU are not scaled, "" when they are.
func (f Facts) notScaled(vdu string) string {
	for d := range only[Fixer](f.Drivers) {
		if why := d.NotScaled(f, vdu); why != "" {
			return why
		}
	}
	return ""
}

// notReconnected says why a connection point stays on its network, "" when it need not.
func (f Facts) notReconnected(cpd string) string {
	for d := range only[Fixer](f.Drivers) {
		if why := d.NotReconnected(cpd); why != "" {
			return why
		}
	}
	return ""
}

// ownsVolumes tells whether a driver decides about the volumes of a VDU.
func (f Facts) ownsVolumes(vdu string) bool {
	for d := range only[VolumeKeeper](f.Drivers) {
		if d.OwnsVolumes(f, vdu) {
			return true
		}
	}
	return false
}
