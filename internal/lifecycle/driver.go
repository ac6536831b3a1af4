package lifecycle

import (
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Hook is a place in an operation where drivers contribute steps. SOL001's Vnflcm interface (clause 6.7) names an
// implementation for the start and the end of each operation. The steps of the infrastructure stand between them.
type Hook string

// The hooks. In SOL001 the start of a scaling is before servers leave, and its end is after servers have come. Tacker
// has them so. A SCALE_TO_LEVEL may have both, and then servers come first. Scripts of packages need the beginning and
// the end of every scaling: these are hooks of their own. A heal of an entire VNF has the hooks of a termination and an
// instantiation.
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
	FlavourStart     Hook = "change_flavour_start"
	FlavourEnd       Hook = "change_flavour_end"
)

// VnfDriver does the work on the servers of one VNF, with the parameters of that VNF. Package driver knows all drivers.
// Methods that only some drivers need are in the optional interfaces below.
type VnfDriver interface {
	// Name is the driver's name in a VNFD.
	Name() string
	// Steps are the driver's steps at a hook of an operation that carries out p. There are none where the driver has
	// nothing to do. Their ids are unique among all drivers and the infrastructure.
	Steps(at Hook, f Facts, p lcm.Plan) []Step
	// Check refuses a plan that the driver cannot carry out, before anything is touched: Invalid or Conflict. Windlass
	// calls it twice. Before the request is read the plan has only the operation; later the plan is complete.
	Check(f Facts, p lcm.Plan) error
}

// Substitute is a driver that does a step of the infrastructure itself. For example, it takes nodes out of their
// cluster before their servers are deleted.
type Substitute interface {
	// Instead returns the steps that replace s; false leaves s as it is.
	Instead(s Step, f Facts, p lcm.Plan) ([]Step, bool)
}

// Healer is a driver that says how to heal a VNF when the request names no VNFC.
type Healer interface {
	// HealsInPlace tells whether all servers may be replaced in the existing infrastructure. If not, the entire VNF is
	// made anew.
	HealsInPlace(req lcm.HealRequest) bool
}

// VolumeKeeper is a driver that decides about volumes when their servers are replaced. The volumes of all other VDUs
// are kept, unless the request says otherwise.
type VolumeKeeper interface {
	// OwnsVolumes tells whether the driver decides about the volumes of that VDU.
	OwnsVolumes(f Facts, vduID string) bool
	// PlanVolumes adds the driver's decisions about them to the plan of a heal.
	PlanVolumes(f Facts, p *lcm.Plan, req lcm.HealRequest)
}

// Fixer is a driver that needs some parts of a VNF unchanged.
type Fixer interface {
	// NotScaled says, as a clause, why servers of a VDU are not scaled; "" when they are.
	NotScaled(f Facts, vduID string) string
	// NotReconnected says, as sentences, why a connection point stays on its network; "" when it need not.
	NotReconnected(cpdID string) string
}

// Settled is a driver whose VNFs keep the VDUs with which they were instantiated.
type Settled interface {
	// Settled says, as a clause, why the VNF cannot get another deployment flavour while it is instantiated.
	Settled() string
}

// settled says why the VNF keeps its deployment flavour, "" if its drivers allow another one.
func (f Facts) settled() string {
	for d := range only[Settled](slices.Concat(f.FormerDrivers, f.Drivers)) {
		return d.Settled()
	}
	return ""
}

// Access is how a server is reached by SSH.
type Access struct {
	User string
	// PrivateKey is preferred to Password where both are given.
	Password, PrivateKey lcm.Secret
	// HostPort is the address of a server that is not the VNF's own, "" for the VNF's servers.
	HostPort string
	Login    time.Duration // how long a login may take
	SSH      time.Duration // how long a server may take until it answers
}

// Reacher is a driver that logs in to servers.
type Reacher interface {
	// Access says how to reach the servers of a role; false for a role that the driver does not have.
	Access(role lcm.Role) (Access, bool)
}

// Deployer is a driver whose VNFs may need a time limit of their own for their deployment.
type Deployer interface {
	// DeployTimeout is how long the VIM may take to make or change a deployment; 0 for the default.
	DeployTimeout() time.Duration
}

// DeployTimeout is the longest timeout that the drivers want, 0 when none wants any.
func DeployTimeout(drivers []VnfDriver) (longest time.Duration) {
	for d := range only[Deployer](drivers) {
		longest = max(longest, d.DeployTimeout())
	}
	return longest
}

// AccessTo says how to reach the servers of a role. It asks the drivers in order, and takes the first answer.
func AccessTo(drivers []VnfDriver, role lcm.Role) (Access, bool) {
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

// infrastructure returns steps of the infrastructure, or the steps with which a driver replaces them.
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

// only returns the drivers that have the interface D.
func only[D any](drivers []VnfDriver) func(yield func(D) bool) {
	return func(yield func(D) bool) {
		for _, d := range drivers {
			if of, ok := d.(D); ok && !yield(of) {
				return
			}
		}
	}
}

// refused is the first refusal of the plan by a driver.
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
