package ansible

import (
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/playbook"
)

// CheckRequest implements driver.Binding. It checks whether the operator allows playbooks, and whether they can run.
func (a *Ansible) CheckRequest(ctx context.Context, r driver.Request, wrong params.Mistakes) error {
	hooks := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Flavour.Hooks)),
		func(at string) bool { return len(r.Flavour.Hooks[at].Played) == 0 })
	switch r.Scripts.Policy {
	case lcm.ScriptsRefused:
		for _, at := range hooks {
			r.Found.Names("$.flavourId", "its VNFD runs playbooks at %s (%s), but the operator of Windlass does not "+
				"allow them (scripts.policy is refuse)", at, r.Flavour.Hooks[at].Playbooks)
		}
		return nil
	case lcm.ScriptsRun:
	default:
		return nil
	}
	p, problems := a.Params, wrong.With(k8s.Manner.Check(paramsPath, a.Params))
	r.Found.Mistake(problems...)
	p.Servers.Check(r, paramsPath+".servers")
	if p.Server == nil && !r.Scripts.Ansible && len(hooks) > 0 {
		r.Found.Mistake(lcm.Problem{
			Path: paramsPath + ".server", Detail: "is missing: it is the Ansible server that runs the package's " +
				"playbooks; the operator of Windlass does not allow playbooks on the worker's host (scripts.ansible)",
		})
	}
	if len(problems) > 0 {
		return nil
	}
	for _, at := range hooks {
		if err := checkHook(ctx, r, a, at); err != nil {
			return err
		}
	}
	return nil
}

// checkHook fills in the playbooks of a hook with unused addresses, and reports what fails.
func checkHook(ctx context.Context, r driver.Request, a *Ansible, at string) error {
	hook := r.Flavour.Hooks[at]
	text, err := r.Package.Read(ctx, hook.Playbooks)
	if err != nil {
		return err
	}
	list, err := playbook.Read(hook.Playbooks, text)
	if err != nil {
		return err
	}
	variables, _, err := a.Variables(list, func(s lcm.Secret) (string, error) { return s.Clear, nil })
	if err != nil {
		return err
	}
	for _, of := range list.Vdus {
		action := playbook.Action(at)
		if _, ok := r.Flavour.Vdu(of.Vdu); !ok && len(of.Plays[action]) > 0 {
			r.Found.Names("$.flavourId", "%s has playbooks for the VDU %q, which the VNFD does not have", hook.Playbooks, of.Vdu)
			continue
		}
		for i := range of.Plays[action] {
			told := Told{
				Vdu: of, Action: action, Play: i, Address: "192.0.2.1", Addresses: map[string][]string{of.Vdu: {"192.0.2.1"}},
				Variables: variables, Login: Login{Username: a.Params.Servers[of.Vdu].Username},
			}
			told.suppose()
			if _, err := told.Make(); err != nil {
				r.Found.Mistake(lcm.Problem{Path: paramsPath, Detail: lcm.Sentence(err)})
			}
		}
	}
	return nil
}

// CheckHeal implements driver.HealChecker.
func (a *Ansible) CheckHeal(wrong params.Mistakes) error {
	return lcm.InvalidAll("The package's playbooks cannot be run with these parameters.",
		wrong.With(k8s.Manner.Check(paramsPath, a.Params)))
}

// Check implements lifecycle.VnfDriver. Where playbooks are refused, an existing VNF can only be terminated, or changed by
// operations that run no playbook.
func (*Ansible) Check(f lifecycle.Facts, p lcm.Plan) error {
	if f.Scripts != lcm.ScriptsRefused || !lifecycle.Decides(p.Operation) {
		return nil
	}
	for _, start := range []bool{true, false} {
		if name, hook, ok := HookOf(f.Flavour, p.Operation, start); ok {
			return lcm.Errorf(lcm.KindConflict, "The VNFD runs playbooks at %s (%s), but the operator of Windlass "+
				"does not allow them (scripts.policy is refuse).", name, hook.Playbooks)
		}
	}
	return nil
}
