// Package registry is the driver mgmt-drivers-private-registry. It makes a VNF's only server a registry of container
// images.
package registry

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Driver makes registries.
type Driver struct{}

// Optional interfaces that this driver implements.
var (
	_ driver.HealChecker     = (*Server)(nil)
	_ lifecycle.Healer       = (*Server)(nil)
	_ lifecycle.VolumeKeeper = (*Server)(nil)
	_ lifecycle.Reacher      = (*Server)(nil)
	_ lifecycle.Deployer     = (*Server)(nil)
)

// Name implements driver.Driver.
func (Driver) Name() string { return descriptor.DriverPrivateRegistry }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: ParamsKey, Params: Params{}}
}

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	p, wrong := Read(additionalParams)
	return &Server{Params: p}, wrong
}

// Makes tells whether the driver is for VNFs of a flavour.
func Makes(f *descriptor.Flavour) bool {
	return f != nil && slices.Contains(f.Drivers(), descriptor.DriverPrivateRegistry)
}

// Server is the driver of one VNF that is a registry.
type Server struct{ Params Params }

// Name implements lifecycle.VnfDriver.
func (*Server) Name() string { return descriptor.DriverPrivateRegistry }

// Steps implements lifecycle.VnfDriver.
func (s *Server) Steps(at lifecycle.Hook, _ lifecycle.Facts, _ lcm.Plan) []lifecycle.Step {
	switch at {
	case lifecycle.InstantiateEnd:
		return s.made()
	case lifecycle.HealEnd: // the same with the server that replaces another
		return append(s.made(), lifecycle.Step{ID: StepForgetRegistry, Title: "Forget the server that has left"})
	default:
		return nil
	}
}

func (s *Server) made() []lifecycle.Step {
	return lifecycle.Join(
		[]lifecycle.Step{{
			ID: StepWaitForRegistry, Title: "Wait until the server answers on SSH",
			Undo: "its host key and the generated secrets are forgotten",
		}},
		lifecycle.When(s.Params.HasVolume(), lifecycle.Step{
			ID:    StepMountRegistryVolume,
			Title: "Mount the volume of the registry",
		}),
		[]lifecycle.Step{{ID: StepInstallRegistry, Title: "Install the registry"}},
	)
}

// Access implements lifecycle.Reacher.
func (s *Server) Access(role lcm.Role) (lifecycle.Access, bool) {
	p := s.Params
	return lifecycle.Access{
		User: p.Username, Password: p.Password, PrivateKey: p.PrivateKey,
		Login: time.Duration(p.Timeouts.Login) * time.Second, SSH: time.Duration(p.Timeouts.SSH) * time.Second,
	}, role == lcm.RegistryServer
}

// Settled implements lifecycle.Settled: another server would not have the images.
func (*Server) Settled() string {
	return "its server has the images of a registry. Terminate it, and instantiate it with the other flavour"
}

// DeployTimeout implements lifecycle.Deployer.
func (s *Server) DeployTimeout() time.Duration {
	return time.Duration(s.Params.Timeouts.Stack) * time.Second
}

// In is the driver among a VNF's drivers that makes a registry, nil when none does.
func In(drivers []lifecycle.VnfDriver) *Server {
	for _, d := range drivers {
		if s, ok := d.(*Server); ok {
			return s
		}
	}
	return nil
}

// Check implements lifecycle.VnfDriver. It refuses to scale a registry.
func (*Server) Check(f lifecycle.Facts, p lcm.Plan) error {
	if !p.Operation.Scales() {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is a registry of images on one server and cannot be "+
		"scaled: a second server would not have its images.", f.Instance.ID)
}

// HealsInPlace implements lifecycle.Healer. Images on a volume stay, also when the request names no VNFC, as in the
// standard's requests.
func (s *Server) HealsInPlace(req lcm.HealRequest) bool {
	keep, by := req.KeepsVolumes()
	return s.Params.HasVolume() && (keep || by == "")
}

// OwnsVolumes implements lifecycle.VolumeKeeper.
func (s *Server) OwnsVolumes(lifecycle.Facts, string) bool { return s.Params.HasVolume() }

// PlanVolumes implements lifecycle.VolumeKeeper.
func (s *Server) PlanVolumes(f lifecycle.Facts, p *lcm.Plan, req lcm.HealRequest) {
	if !s.Params.HasVolume() {
		return
	}
	if p.KeepVolumes = s.HealsInPlace(req); p.KeepVolumes {
		p.Keepers = p.LeavingServers()
		return
	}
	for _, l := range p.Leaving {
		if v, ok := lifecycle.Vnfc(f.Instance, l.ServerID); ok {
			p.LeavingVolumes = append(p.LeavingVolumes, slices.Clone(v.StorageIDs)...)
		}
	}
}
