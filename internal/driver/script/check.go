package script

import (
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// CheckRequest implements driver.Binding. It checks whether the operator allows the scripts, and whether they can run.
func (s *Scripts) CheckRequest(ctx context.Context, r driver.Request, wrong params.Mistakes) error {
	switch r.Scripts.Policy {
	case lcm.ScriptsRefused:
		for _, at := range hooks(r.Flavour) {
			r.Found.Names("$.flavourId", "its VNFD runs the script %s at %s, but the operator of Windlass does not "+
				"allow it (scripts.policy is refuse)", list(r.Flavour.Hooks[at]), at)
		}
		return nil
	case lcm.ScriptsRun:
	default:
		return nil
	}
	p := s.Params
	r.Found.Mistake(wrong.With(lcm.Tackers.Check(paramsPath, p))...)
	p.Servers.Check(r, paramsPath+".servers")
	for _, at := range hooks(r.Flavour) {
		if err := checkHook(ctx, r, at, p); err != nil {
			return err
		}
	}
	return nil
}

// checkHook reports mistakes in the scripts of one hook.
func checkHook(ctx context.Context, r driver.Request, at string, p Params) error {
	hook := r.Flavour.Hooks[at]
	for _, file := range hook.Scripts() {
		text, err := r.Package.Read(ctx, file)
		switch {
		case lcm.Is(err, lcm.KindNotFound):
			r.Found.Names("$.flavourId", "the VNF package has no script %q, which its VNFD runs at %s", file, at)
		case err != nil:
			return err
		case descriptor.IsPython(file) && descriptor.IsTackerV1Driver(text) && r.Scripts.SkipTackerV1:
		case descriptor.IsPython(file) && !r.Scripts.Python:
			r.Found.Names("$.flavourId", "its VNFD runs the script %s at %s, but no Python is configured for it "+
				"(userData.python)", file, at)
		case descriptor.IsPython(file) && descriptor.IsTackerV1Driver(text):
			r.Found.Names("$.flavourId", "%s, which its VNFD runs at %s, is a management driver of Tacker's v1: a "+
				"class of its conductor, not a program as in v2 (scripts.skipTackerV1 would skip it)", file, at)
		}
	}
	for _, id := range hook.Vdus {
		if _, ok := r.Flavour.Vdu(id); !ok {
			r.Found.Names("$.flavourId", "its VNFD runs a script at %s on servers of the VDU %q, but it has no such "+
				"VDU", at, id)
			continue
		}
		if _, ok := p.Servers[id]; !ok && shell(hook) {
			r.Found.Mistake(lcm.Problem{
				Path:   paramsPath + ".servers." + id,
				Detail: "is missing: it says how to reach the servers that run " + list(hook) + " (" + at + ")",
			})
		}
	}
	if shell(hook) && len(hook.Vdus) == 0 && len(p.Servers) == 0 {
		r.Found.Mistake(lcm.Problem{
			Path:   paramsPath + ".servers",
			Detail: "is missing: it says how to reach the servers that run " + list(hook) + " (" + at + ")",
		})
	}
	return nil
}

// hooks are the hooks of a flavour that run scripts.
func hooks(f *descriptor.Flavour) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.Hooks)),
		func(at string) bool { return len(f.Hooks[at].Scripts()) == 0 })
}

// shell tells whether a hook runs scripts on servers.
func shell(h descriptor.Hook) bool {
	return slices.ContainsFunc(h.Scripts(), func(file string) bool { return !descriptor.IsPython(file) })
}

// CheckHeal implements driver.HealChecker.
func (s *Scripts) CheckHeal(wrong params.Mistakes) error {
	return lcm.InvalidAll("The package's scripts cannot be run with these parameters.",
		wrong.With(lcm.Tackers.Check(paramsPath, s.Params)))
}

// Check implements lifecycle.VnfDriver. Where scripts are refused, an existing VNF can only be terminated, or changed by
// operations without scripts.
func (*Scripts) Check(f lifecycle.Facts, p lcm.Plan) error {
	if f.Scripts != lcm.ScriptsRefused || !lifecycle.Decides(p.Operation) {
		return nil
	}
	for _, side := range []Side{Start, End} {
		if name, hook, ok := HookOf(f.Flavour, p.Operation, side); ok {
			return lcm.Errorf(lcm.KindConflict, "The VNFD runs the script %s at %s, but the operator of Windlass does "+
				"not allow it (scripts.policy is refuse).", list(hook), name)
		}
	}
	return nil
}
